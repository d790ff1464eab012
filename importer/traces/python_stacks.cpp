// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/python_stacks.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "importer/traces/python_frames.h"

namespace roofscope::traces {
namespace {

constexpr std::int64_t kSamples = 50'000, kMostSamples = 200'000;  // per thread, in total
constexpr std::size_t kDeepest = 256;

/// "<built-in method to of Tensor object at 0x7f12>" → "Tensor.to", "<built-in function next>" →
/// "next".
std::string nameOfBuiltin(std::string_view text) {
    for (const std::string_view start : {"<built-in function ", "<built-in method "})
        if (text.starts_with(start)) text.remove_prefix(start.size());
    if (text.ends_with('>')) text.remove_suffix(1);
    text = text.substr(0, text.find(" object at 0x"));
    const auto of = text.find(" of ");
    if (of == text.npos) return std::string(text);
    return std::string(text.substr(of + 4)) + "." + std::string(text.substr(0, of));
}

/// The frame of a function in the profiler's notation. Absent if it is not a function: "nn.Module:
/// Block_3" is the call of a module.
std::optional<CpuFrame> frameOf(std::string_view name) {
    if (name.starts_with("<built-in "))
        return CpuFrame{.function = nameOfBuiltin(name), .file = "<built-in>"};
    const auto named = pythonFrame(name);
    if (!named) return std::nullopt;
    CpuFrame frame{.function = std::string(named->function), .file = std::string(named->file)};
    const std::string_view line = named->line;
    if (std::from_chars(line.data(), line.data() + line.size(), frame.line).ec != std::errc())
        return std::nullopt;  // the number is too large
    // The profiler removes the folders of sys.path, which mark installed packages. Restore the
    // mark.
    if (!ownFrame(name) && !frame.file.starts_with('<') && !frame.file.starts_with('/'))
        frame.file = "/site-packages/" + frame.file;
    return frame;
}

CpuWait waitOf(const CpuFrame& frame) {
    if (frame.file != "<built-in>") return CpuWait::None;
    const std::string_view name = frame.function;
    if (name == "_thread.lock.acquire" || name == "_thread.RLock.acquire") return CpuWait::Lock;
    if (name == "sleep" || name == "time.sleep") return CpuWait::Sleep;
    if (name == "select" || name.ends_with(".poll")) return CpuWait::Poll;
    return CpuWait::None;
}

class Sampler {
public:
    Sampler(const TraceRows& rows, const std::vector<std::uint32_t>& threadOf, Nanoseconds zero)
        : m_rows(rows), m_threadOf(threadOf), m_zero(zero) {}

    std::optional<CpuSamples> run() {
        std::optional<TimeSpan> all;
        std::set<std::uint32_t> threads;
        for (const FrameRow& frame : m_rows.frames) {
            if (!counts(frame)) continue;
            if (!all) all = frame.time;
            all->start = std::min(all->start, frame.time.start);
            all->end = std::max(all->end, frame.time.end);
            threads.insert(frame.thread);
        }
        if (!all) return std::nullopt;
        limit(*all);
        if (all->length() < 1) return std::nullopt;
        m_from = all->start;
        m_to = all->end;
        const std::int64_t each = std::min(kSamples, kMostSamples / std::ssize(threads));
        m_found.period = all->length() / std::max<std::int64_t>(each, 1) + 1;
        const auto& frames = m_rows.frames;
        for (std::size_t from = 0, to = 0; from < frames.size(); from = to) {
            while (to < frames.size() && frames[to].thread == frames[from].thread) ++to;
            if (m_threadOf[frames[from].thread] != kNoRow) go(from, to);
        }
        if (m_found.samples.empty()) return std::nullopt;
        return std::move(m_found);
    }

private:
    /// Cuts off times far from CUDA calls and GPU work. Otherwise one impossible time would stretch
    /// the span so much that hardly any samples fall into the rest.
    void limit(TimeSpan& all) const {
        std::optional<TimeSpan> work;
        const auto extend = [&](const TimeSpan& time) {
            if (!work) work = time;
            work->start = std::min(work->start, time.start);
            work->end = std::max(work->end, time.end);
        };
        for (const CallRow& call : m_rows.calls) extend(call.time);
        if (!work)
            for (const WorkRow& row : m_rows.work)
                if (row.timed) extend(row.time);
        if (!work) return;
        constexpr Nanoseconds kLeast = 1'000'000'000;
        const Nanoseconds room = 10 * std::max(work->length(), kLeast);
        all.start = std::max(all.start, work->start - room);
        all.end = std::min(all.end, work->end + room);
    }

    [[nodiscard]] bool counts(const FrameRow& frame) const {
        return frame.kind == FrameRow::Kind::Python && m_threadOf[frame.thread] != kNoRow;
    }

    void go(std::size_t from, std::size_t to) {
        m_next = 0;
        bool any = false;
        for (std::size_t i = from; i < to; ++i) {
            const FrameRow& row = m_rows.frames[i];
            if (!counts(row)) continue;
            sampleUntil(row.time.start, row.thread);
            if (!any) m_next = std::max(row.time.start, m_from);
            any = true;
            if (m_open.size() < kDeepest)
                if (const auto frame = numberOf(row.name))
                    m_open.emplace_back(row.time.end, *frame);
        }
        sampleUntil(m_rows.frames[to - 1].time.end, m_rows.frames[from].thread);
        while (!m_open.empty()) sampleUntil(m_open.back().first, m_rows.frames[from].thread);
    }

    /// Samples the open functions until `at`, and closes those that end before.
    void sampleUntil(Nanoseconds at, std::uint32_t thread) {
        while (!m_open.empty()) {
            const Nanoseconds until = std::min({at, m_open.back().first, m_to});
            if (m_next < until) {
                const std::uint32_t stack = stackNow();
                const CpuWait wait = waitOf(m_found.frames[m_open.back().second]);
                for (; m_next < until; m_next += m_found.period)
                    m_found.samples.push_back({.time = m_next - m_zero,
                                               .thread = m_threadOf[thread],
                                               .stack = stack,
                                               .wait = wait});
            }
            if (m_open.back().first > at) return;
            m_open.pop_back();
        }
        // There are no samples between two functions.
        if (m_next < at)
            m_next += (at - m_next + m_found.period - 1) / m_found.period * m_found.period;
    }

    std::uint32_t stackNow() {
        std::vector<std::uint32_t> stack;
        for (auto open = m_open.rbegin(); open != m_open.rend(); ++open)
            stack.push_back(open->second);
        const auto next = static_cast<std::uint32_t>(m_found.stacks.size());
        const auto [entry, isNew] = m_stacks.try_emplace(stack, next);
        if (isNew) m_found.stacks.push_back(std::move(stack));
        return entry->second;
    }

    /// The index into CpuSamples::frames for a text number; absent if the text is not a function.
    std::optional<std::uint32_t> numberOf(std::uint32_t name) {
        const auto known = m_numbers.find(name);
        if (known != m_numbers.end()) return known->second;
        std::optional<std::uint32_t> number;
        if (auto frame = frameOf(m_rows.names[name])) {
            number = static_cast<std::uint32_t>(m_found.frames.size());
            m_found.frames.push_back(std::move(*frame));
        }
        m_numbers.emplace(name, number);
        return number;
    }

    const TraceRows& m_rows;
    const std::vector<std::uint32_t>& m_threadOf;
    const Nanoseconds m_zero;
    CpuSamples m_found;
    std::vector<std::pair<Nanoseconds, std::uint32_t>> m_open;  ///< end time and frame
    std::map<std::uint32_t, std::optional<std::uint32_t>> m_numbers;
    std::map<std::vector<std::uint32_t>, std::uint32_t> m_stacks;
    Nanoseconds m_next = 0, m_from = 0, m_to = 0;
};

}  // namespace

std::optional<CpuSamples> pythonStacks(const TraceRows& rows,
                                       const std::vector<std::uint32_t>& threadOf,
                                       Nanoseconds zero) {
    return Sampler(rows, threadOf, zero).run();
}

}  // namespace roofscope::traces
