// SPDX-License-Identifier: Apache-2.0
#include "collector/run/spool/spool_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include "collector/run/spool/spool_fields.h"
#include "collector/run/spool/spool_file.h"
#include "collector/run/spool/spool_launches.h"
#include "collector/run/spool/spool_names.h"
#include "collector/run/spool/spool_over_time.h"
#include "collector/run/spool/spool_ranges.h"
#include "collector/run/spool/spool_sources.h"
#include "collector/run/spool/spool_timeline.h"
#include "profile/text/count_text.h"

namespace roofscope {
namespace {

using namespace spool;

/// A line as JSON. The nesting is limited, because long nested JSON takes 50 times its size in
/// memory.
Json parse(std::string_view line) {
    constexpr std::size_t kLong = std::size_t{1} << 20;
    constexpr int kDeepest = 8;
    if (line.size() < kLong) return Json::parse(line);
    return Json::parse(line, [](int depth, Json::parse_event_t, Json&) {
        if (depth > kDeepest) throw std::invalid_argument("nested too deep");
        return true;
    });
}

/// A recording above this size gets a hint how to make it smaller.
constexpr std::uint64_t kLargeSpool = std::uint64_t{1} << 30;

/// Reads one process' spool.
class SpoolReader {
public:
    SpoolReader(Profile& profile, LaunchStarts& starts, LaunchPositions& positions,
                std::filesystem::path folder)
        : m_ids{.profile = profile,
                .process = static_cast<std::uint32_t>(profile.processes.size())},
          m_starts(starts),
          m_positions(positions),
          m_names(m_ids),
          m_launches(m_ids),
          m_ranges(m_ids),
          m_sources(m_ids, std::move(folder)),
          m_overTime(m_ids) {
        profile.processes.emplace_back();
    }

    void readLine(std::string_view line) {
        if (line.empty()) return;  // before a line that says how many were lost
        const bool afterCut = std::exchange(m_justUnreadable, false);
        try {
            const Json json = parse(line);
            // The cut line is among the lines that this one counts.
            if (afterCut && json.at("t") == "lost") --m_unreadable;
            apply(json);
        } catch (const std::exception&) {
            // Only the last line can be cut (by a crash or a full disk); others are damaged.
            ++m_unreadable;
            m_justUnreadable = true;
        }
    }

    /// `whole`: the spool was read to its end.
    void finish(std::string_view name, bool whole = true) {
        m_launches.finish(m_starts);
        m_sources.finish(m_launches);
        m_overTime.finish(m_launches);
        m_timeline.finish(m_ids.profile, {.process = m_ids.process,
                                          .devices = m_ids.ordinals,
                                          .ranges = m_ids.ranges,
                                          .launches = m_launches.takeByCorrelation(),
                                          .streams = m_launches.takeStreams(),
                                          .damaged = m_lostLines > 0});
        m_launches.tellPositions(m_positions);
        m_ranges.finish(m_launches);
        tellDamage(name, whole);
    }

    /// After finish().
    [[nodiscard]] std::optional<CountedFirst> countedFirst() const {
        return m_launches.countedFirst();
    }

private:
    void apply(const Json& json) {
        const auto type = json.at("t").get<std::string>();
        if (type == "lost")
            m_lostLines += whole<std::uint64_t>(json, "lines");
        else if (!m_launches.apply(type, json) && !m_sources.apply(type, json) &&
                 !m_ranges.apply(type, json) && !m_overTime.apply(type, json) &&
                 !m_names.apply(type, json))
            m_timeline.apply(type, json);
    }

    void lost(std::string_view code, std::string message, std::string advice = {}) {
        m_ids.profile.issues.push_back({.severity = Severity::DataLoss,
                                        .source = "record",
                                        .code = std::string(code),
                                        .message = std::move(message),
                                        .advice = std::move(advice)});
    }

    void tellDamage(std::string_view name, bool whole) {
        const bool counted = !m_ids.counters.empty();
        if (!m_ids.self().endedCleanly)
            lost("process-ended-early",
                 counted
                     ? fmt::format("process {} crashed, called _exit or was killed: no counters "
                                   "of {} of its {}",
                                   m_ids.self().pid, m_launches.unmeasured(),
                                   countText(m_launches.size(), "launch", "launches"))
                     : fmt::format("process {} crashed, called _exit or was killed: its last "
                                   "launches may be missing",
                                   m_ids.self().pid),
                 "everything measured before is in this profile");
        else if (counted && m_launches.unmeasured() > 0)
            lost("launches-unmeasured",
                 fmt::format("no counters of {} of {} of process {}", m_launches.unmeasured(),
                             countText(m_launches.size(), "launch", "launches"), m_ids.self().pid));
        if (m_lostLines > 0)
            lost("spool-damaged", fmt::format("{} of {} could not be written (disk full?)",
                                              countText(m_lostLines, "line", "lines"), name));
        if (m_unreadable > (m_ids.self().endedCleanly ? 0U : 1U))
            lost("spool-damaged", fmt::format("{} of {} could not be read (disk full?)",
                                              countText(m_unreadable, "line", "lines"), name));
        if (!whole)
            lost("spool-damaged",
                 fmt::format("{} was read only up to a line that is too long", name));
    }

    SpoolIds m_ids;
    LaunchStarts& m_starts;
    LaunchPositions& m_positions;
    SpoolNames m_names;
    SpoolLaunches m_launches;
    SpoolRanges m_ranges;
    SpoolSources m_sources;
    SpoolOverTime m_overTime;
    SpoolTimeline m_timeline;
    std::size_t m_unreadable = 0;
    bool m_justUnreadable = false;  ///< the line before was
    std::uint64_t m_lostLines = 0;
};

constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

/// The rank that a spool says its process has, near its beginning.
std::optional<std::uint32_t> rankOf(const std::filesystem::path& path) {
    constexpr int kLines = 16;  // before it there are issues at most
    auto file = SpoolFile::open(path);
    if (!file) return {};
    for (int i = 0; i < kLines; ++i) {
        const auto line = file->line();
        if (!line) break;
        const Json json = Json::parse(*line, nullptr, false);
        if (!json.is_object() || json.value("t", Json()) != "process") continue;
        const auto rank = json.find("rank");
        if (rank == json.end() || !rank->is_number_unsigned()) return {};
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(rank->get<std::uint64_t>(), kNoRank));
    }
    return {};
}

void addIssueOfFile(Profile& profile, const char* code, Severity severity, std::string message,
                    std::string advice = {}) {
    profile.issues.push_back({.severity = severity,
                              .source = "record",
                              .code = code,
                              .message = std::move(message),
                              .advice = std::move(advice)});
}

}  // namespace

void appendSpool(std::string_view text, std::string_view name, Profile& profile) {
    LaunchStarts starts;
    LaunchPositions positions;
    SpoolReader reader(profile, starts, positions, {});
    while (!text.empty()) {
        const auto newline = text.find('\n');
        reader.readLine(text.substr(0, newline));
        if (newline == std::string_view::npos) break;
        text.remove_prefix(newline + 1);
    }
    reader.finish(name);
    countFromFirst(profile, starts);
}

void countFromFirst(Profile& profile, const LaunchStarts& starts) {
    Timeline& timeline = profile.timeline;
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    std::int64_t first = kNone;
    for (const auto& [row, ns] : starts) first = std::min(first, ns);
    // Nothing was launched or timed: time counts from whatever came first.
    const auto each = [&](const auto& apply) {
        for (Transfer& t : timeline.transfers) apply(t.time);
        for (Call& c : timeline.calls) apply(c.time);
        for (ProfilerSpan& p : timeline.profiler) apply(p.time);
        for (RangeSpan& r : timeline.ranges) {
            apply(r.time);
            if (r.gpu) apply(*r.gpu);
        }
    };
    if (first == kNone) each([&](TimeSpan& span) { first = std::min(first, span.start); });
    if (first == kNone) return;
    // Half of what a profile can hold, so that no difference of two times is more than that.
    constexpr std::int64_t kMost = std::int64_t{1} << 52;
    const auto far = [&](std::int64_t ns) { return ns < first - kMost || ns > first + kMost; };
    bool anyFar = std::ranges::any_of(starts, [&](const auto& start) { return far(start.second); });
    each([&](const TimeSpan& span) { anyFar = anyFar || far(span.start) || far(span.end); });
    if (anyFar) {
        timeline = {};
        for (Process& process : profile.processes) process.timeline.reset();
        addIssueOfFile(profile, "spool-times", Severity::DataLoss,
                       "the times that were measured are more than 50 days apart: when launches "
                       "began and what the CPU did was left out",
                       "record again");
        return;
    }
    for (const auto& [row, ns] : starts)
        profile.launches[row].start = Seconds{static_cast<double>(ns - first) / 1e9};
    each([&](TimeSpan& span) { span = {.start = span.start - first, .end = span.end - first}; });
    for (Process& process : profile.processes)
        if (process.timeline) process.clockZero = static_cast<std::uint64_t>(first);
}

Result<Profile> readSpools(const std::filesystem::path& folder, LaunchPositions* positions,
                           CountedFirstBy* countedFirst) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".spool") files.push_back(entry.path());
    if (error)
        return Error{.code = ErrorCode::Io,
                     .what = "the measurements could not be read back: " + error.message(),
                     .where = folder.string()};
    // By process id, which follows the order of creation but for wrap-around; and by rank before
    // that: the ranks of a job start in any order, and runs are joined by the order of processes.
    std::ranges::sort(files, [](const auto& a, const auto& b) {
        return a.filename().string().size() != b.filename().string().size()
                   ? a.filename().string().size() < b.filename().string().size()
                   : a.filename() < b.filename();
    });
    std::map<std::filesystem::path, std::uint32_t> ranks;
    for (const auto& file : files) ranks[file] = rankOf(file).value_or(kNoRank);
    std::ranges::stable_sort(files, {}, [&](const auto& file) { return ranks.at(file); });
    Profile profile;
    LaunchStarts starts;
    LaunchPositions unwanted;
    for (const auto& path : files) {
        const std::string name = path.filename().string();
        auto file = SpoolFile::open(path);
        if (!file) {
            addIssueOfFile(profile, "spool-refused", Severity::DataLoss,
                           fmt::format("{} among the measurements {}: it was not read", name,
                                       file.error().what));
            continue;
        }
        if (file->bytes() >= kLargeSpool)
            addIssueOfFile(profile, "spool-large", Severity::Info,
                           fmt::format("the measurements of one process took {:.1f} GB",
                                       static_cast<double>(file->bytes()) / 1e9),
                           "choose launches (--kernel, --nvtx, --launch-count), or --timeline gpu");
        SpoolReader reader(profile, starts, positions ? *positions : unwanted, folder);
        while (const auto line = file->line()) reader.readLine(*line);
        reader.finish(name, file->whole());
        if (const auto first = reader.countedFirst(); first && countedFirst)
            countedFirst->emplace(profile.processes.size() - 1, *first);
    }
    countFromFirst(profile, starts);
    return profile;
}

}  // namespace roofscope
