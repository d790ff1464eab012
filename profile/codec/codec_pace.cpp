// SPDX-License-Identifier: Apache-2.0
#include "profile/codec/codec_pace.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "profile/codec/codec_table.h"

namespace roofscope {
namespace {

using json::Cursor;
using json::Writer;

/// Whole numbers beyond this are not exact in JSON.
constexpr std::int64_t kLatestMark = std::int64_t{1} << 53;

void writeMarks(Writer& w, const char* key, const std::vector<PaceMark>& marks) {
    w.key(key);
    w.open('{');
    TableWriter table(w, marks);
    std::uint64_t calls = 0;
    const auto delta = [&](const PaceMark& mark) {
        return static_cast<double>(mark.calls - std::exchange(calls, mark.calls));
    };
    table.write("calls_delta", delta, true);
    Nanoseconds before = 0;
    table.write("time_delta_ns", [&](const PaceMark& mark) {
        return static_cast<double>(mark.time - std::exchange(before, mark.time));
    });
    w.close('}');
}

std::vector<PaceMark> readMarks(const Cursor& at, const ReadLimits& limits) {
    TableReader<PaceMark> table(at, "calls_delta", limits);
    std::uint64_t calls = 0;
    table.read("calls_delta", "is not a whole number, or adds up to more than 2^53",
               [&](PaceMark& mark, double value) {
                   const auto delta = Cursor::toInteger<std::uint64_t>(value);
                   if (!delta || *delta >= kLatestMark - calls) return false;
                   mark.calls = calls += *delta;
                   return true;
               });
    Nanoseconds now = 0;
    std::size_t times = 0;
    table.read("time_delta_ns", "is not a whole number, or adds up to a time beyond 2^53 ns",
               [&](PaceMark& mark, double value) {
                   const auto delta = Cursor::toInteger<Nanoseconds>(value);
                   if (!delta || std::abs(*delta) >= 2 * kLatestMark) return false;
                   mark.time = now += *delta;
                   ++times;
                   return std::abs(now) < kLatestMark;
               });
    if (times != table.rows().size()) at.fail("\"time_delta_ns\" lacks values");
    return std::move(table.rows());
}

Problem marksProblem(const char* name, const std::vector<PaceMark>& marks) {
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const auto place = [&](const char* column) {
            return fmt::format("/{}/{}/{}", name, column, i);
        };
        if (std::abs(marks[i].time) >= kLatestMark)
            return {place("time_delta_ns"), "is a time beyond 2^53 ns"};
        if (i == 0) continue;
        if (marks[i].calls <= marks[i - 1].calls)
            return {place("calls_delta"), "must be more than the mark before has"};
        if (marks[i].time < marks[i - 1].time)
            return {place("time_delta_ns"), "is earlier than the mark before"};
    }
    return {};
}

}  // namespace

void writePace(Writer& w, const LaunchPace& pace) {
    w.key("pace");
    w.open('{');
    if (!pace.traced.empty()) writeMarks(w, "traced", pace.traced);
    if (!pace.alone.empty()) writeMarks(w, "alone", pace.alone);
    if (!pace.after.empty()) writeMarks(w, "after", pace.after);
    w.close('}');
}

LaunchPace readPace(const Cursor& at, const ReadLimits& limits) {
    LaunchPace pace;
    if (const auto marks = at.find("traced")) pace.traced = readMarks(*marks, limits);
    if (const auto marks = at.find("alone")) pace.alone = readMarks(*marks, limits);
    if (const auto marks = at.find("after")) pace.after = readMarks(*marks, limits);
    return pace;
}

Problem paceProblem(const LaunchPace& pace) {
    if (auto problem = marksProblem("traced", pace.traced)) return problem;
    if (auto problem = marksProblem("alone", pace.alone)) return problem;
    return marksProblem("after", pace.after);
}

}  // namespace roofscope
