// SPDX-License-Identifier: Apache-2.0
#include "profile/codec/codec_cpu_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "profile/codec/codec_table.h"
#include "profile/codec/json_columns.h"

namespace roofscope {
namespace {

using json::BadValue;
using json::Cursor;
using json::Numbers;
using json::Writer;

/// Texts shared by many frames, each stored once. The empty text has no number.
class FrameTexts {
public:
    std::optional<std::uint32_t> numberOf(const std::string& text) {
        if (text.empty()) return std::nullopt;
        const auto [known, isNew] =
            m_numbers.try_emplace(text, static_cast<std::uint32_t>(m_texts.size()));
        if (isNew) m_texts.push_back(text);
        return known->second;
    }
    [[nodiscard]] const std::vector<std::string>& all() const { return m_texts; }

private:
    std::map<std::string, std::uint32_t> m_numbers;
    std::vector<std::string> m_texts;
};

/// A frame as a table row, with numbers in place of its texts.
struct FrameRow {
    std::optional<std::uint32_t> module, function, file;
    std::uint64_t offset = 0;
    std::uint32_t line = 0;
};

void frameColumns(auto& table) {
    table.first("line", &FrameRow::line);
    table.column("offset", &FrameRow::offset);
    table.column("module", &FrameRow::module);
    table.column("function", &FrameRow::function);
    table.column("file", &FrameRow::file);
}

/// The columns other than time and wait.
void sampleColumns(auto& table) {
    table.first("stack", &CpuSample::stack);
    table.column("thread", &CpuSample::thread);
}

const std::string& textOf(const Cursor& at, const std::vector<std::string>& texts,
                          std::optional<std::uint32_t> number) {
    static const std::string kNone;
    if (!number) return kNone;
    if (*number >= texts.size())
        at.fail(
            fmt::format("refers to entry {} of \"texts\", which has {}", *number, texts.size()));
    return texts[*number];
}

std::vector<CpuFrame> readFrames(const Cursor& at, const std::vector<std::string>& texts,
                                 const ReadLimits& limits) {
    TableReader<FrameRow> table(at, "line", limits);
    frameColumns(table);
    std::vector<CpuFrame> frames;
    frames.reserve(table.rows().size());
    for (const FrameRow& row : table.rows())
        frames.push_back({.module = textOf(at, texts, row.module),
                          .offset = row.offset,
                          .function = textOf(at, texts, row.function),
                          .file = textOf(at, texts, row.file),
                          .line = row.line});
    return frames;
}

std::vector<std::vector<std::uint32_t>> readStacks(const Cursor& at) {
    const Numbers& lengths = json::fullColumn(at, "length");
    const Numbers& frames = json::fullColumn(at, "frame");
    std::vector<std::vector<std::uint32_t>> stacks(lengths.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const auto length = json::wholeAt<std::uint32_t>(at, "length", lengths, i);
        if (length > frames.size() - next)
            at.fail(fmt::format("\"length\" asks for more than the {} values of \"frame\"",
                                frames.size()));
        for (const std::size_t end = next + length; next < end; ++next)
            stacks[i].push_back(json::wholeAt<std::uint32_t>(at, "frame", frames, next));
    }
    if (next != frames.size())
        at.fail(fmt::format("\"length\" accounts for {} of the {} values of \"frame\"", next,
                            frames.size()));
    return stacks;
}

std::vector<CpuSample> readSamples(const Cursor& at, const ReadLimits& limits) {
    TableReader<CpuSample> table(at, "stack", limits);
    sampleColumns(table);
    table.read("wait", "is not a kind of waiting", [](CpuSample& sample, double value) {
        const auto kind = Cursor::toInteger<std::uint32_t>(value);
        if (!kind) return false;
        // A later version may know more kinds.
        sample.wait = *kind < kCpuWaits.size() ? kCpuWaits[*kind].second : CpuWait::Other;
        return true;
    });
    Nanoseconds now = 0;
    std::size_t times = 0;
    table.read("time_delta_ns", "is not a whole number, or adds up to a time beyond 2^53 ns",
               [&](CpuSample& sample, double value) {
                   const auto delta = Cursor::toInteger<Nanoseconds>(value);
                   if (!delta || *delta <= -2 * kLatest || *delta >= 2 * kLatest) return false;
                   sample.time = now += *delta;
                   ++times;
                   return now > -kLatest && now < kLatest;
               });
    if (times != table.rows().size()) at.fail("\"time_delta_ns\" lacks values");
    return std::move(table.rows());
}

}  // namespace

void writeCpuSamples(Writer& w, const CpuSamples& samples) {
    FrameTexts texts;
    std::vector<FrameRow> rows;
    for (const CpuFrame& frame : samples.frames)
        rows.push_back({.module = texts.numberOf(frame.module),
                        .function = texts.numberOf(frame.function),
                        .file = texts.numberOf(frame.file),
                        .offset = frame.offset,
                        .line = frame.line});
    std::vector<double> lengths, frames;
    for (const auto& stack : samples.stacks) {
        lengths.push_back(static_cast<double>(stack.size()));
        frames.insert(frames.end(), stack.begin(), stack.end());
    }
    w.key("cpu_samples");
    w.open('{');
    w.field("period_ns", samples.period);
    if (samples.cpus) w.field("cpus", *samples.cpus);
    w.field("texts", texts.all());
    w.key("frames");
    w.open('{');
    TableWriter frameTable(w, rows);
    frameColumns(frameTable);
    w.close('}');
    w.key("stacks");
    w.open('{');
    json::writeColumn(w, "length", lengths, true);
    json::writeColumn(w, "frame", frames, true);
    w.close('}');
    w.key("samples");
    w.open('{');
    TableWriter table(w, samples.samples);
    sampleColumns(table);
    table.write("wait", &CpuSample::wait);
    Nanoseconds before = 0;
    table.write("time_delta_ns", [&](const CpuSample& sample) {
        return static_cast<double>(sample.time - std::exchange(before, sample.time));
    });
    w.close('}');
    w.close('}');
}

CpuSamples readCpuSamples(const Cursor& at, const ReadLimits& limits) {
    CpuSamples samples;
    at.read("period_ns", samples.period);
    at.read("cpus", samples.cpus);
    std::vector<std::string> texts;
    at.read("texts", texts);
    if (const auto frames = at.find("frames")) samples.frames = readFrames(*frames, texts, limits);
    if (const auto stacks = at.find("stacks")) samples.stacks = readStacks(*stacks);
    if (const auto rows = at.find("samples")) samples.samples = readSamples(*rows, limits);
    return samples;
}

Problem cpuSamplesProblem(const CpuSamples& samples, std::uint32_t process,
                          const Timeline& timeline) {
    const auto place = [](const char* column, std::size_t row) {
        return fmt::format("/{}/{}", column, row);
    };
    std::size_t at = 0;
    if (samples.period < 0) return {"/period_ns", "must not be negative"};
    if (samples.cpus == 0U) return {"/cpus", "must be at least 1"};
    for (const auto& stack : samples.stacks)
        for (const std::uint32_t frame : stack) {
            if (frame >= samples.frames.size())
                return outside(place("stacks/frame", at), frame, "frames", samples.frames.size());
            ++at;
        }
    for (std::size_t i = 0; i < samples.samples.size(); ++i) {
        const CpuSample& sample = samples.samples[i];
        if (sample.stack >= samples.stacks.size())
            return outside(place("samples/stack", i), sample.stack, "stacks",
                           samples.stacks.size());
        if (sample.thread >= timeline.threads.size())
            return outside(place("samples/thread", i), sample.thread, "threads",
                           timeline.threads.size());
        if (timeline.threads[sample.thread].process != process)
            return {place("samples/thread", i), "is a thread of another process"};
        if (sample.time <= -kLatest || sample.time >= kLatest)
            return {place("samples/time_delta_ns", i), "is a time beyond 2^53 ns"};
    }
    return {};
}

}  // namespace roofscope
