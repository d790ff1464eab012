// SPDX-License-Identifier: Apache-2.0
#include "collector/spool/reader/spool_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/spool/reader/line_reader.h"
#include "collector/spool/reader/spool_file.h"
#include "collector/spool/reader/spool_launches.h"
#include "collector/spool/reader/spool_names.h"
#include "collector/spool/reader/spool_over_time.h"
#include "collector/spool/reader/spool_ranges.h"
#include "collector/spool/reader/spool_sources.h"
#include "collector/spool/reader/spool_timeline.h"
#include "profile/operations/timeline_spans.h"
#include "profile/text/count_text.h"

namespace roofscope {
namespace {

using namespace spool;

/// Parses a line as JSON. For long lines the nesting is limited, because deeply nested JSON takes
/// 50 times its size in memory.
Json parse(std::string_view line) {
    constexpr std::size_t kLong = std::size_t{1} << 20;
    constexpr int kDeepest = 8;
    if (line.size() < kLong) return Json::parse(line);
    return Json::parse(line, [](int depth, Json::parse_event_t, Json&) {
        if (depth > kDeepest) throw std::invalid_argument("nested too deep");
        return true;
    });
}

/// If a spool is larger than this (in bytes), a hint tells how to make it smaller.
constexpr std::uint64_t kLargeSpool = std::uint64_t{1} << 30;

/// What the spools of a recording share.
struct AllProcesses {
    Profile profile;
    LaunchStarts starts;
    RecordingTimes times;
    SpoolDetails details;
    std::uint64_t mostLaunches = ReadLimits{}.maxLaunches;
};

class SpoolReader;

/// A line of a spool that was read but not applied yet. Lines may be read concurrently, but are
/// applied one after the other.
struct ReadLine {
    bool lost = false;  ///< the line is a LostRecord
    /// Gives the record to the part of the reader that takes it; empty: the line is unreadable.
    std::function<void(SpoolReader&)> take;
};

/// Reads one process' spool.
class SpoolReader {
public:
    /// `folder`: where the cubins are; empty if there are none.
    SpoolReader(AllProcesses& all, std::filesystem::path folder)
        : m_all(all),
          m_ids{.profile = all.profile,
                .times = all.times,
                .process = static_cast<std::uint32_t>(all.profile.processes.size()),
                .mostLaunches = all.mostLaunches},
          m_names(m_ids),
          m_launches(m_ids),
          m_ranges(m_ids),
          m_sources(m_ids, std::move(folder)),
          m_overTime(m_ids),
          m_timeline(m_ids) {
        all.profile.processes.emplace_back();
    }

    /// Reads the lines of a text. Thread-safe.
    static std::vector<ReadLine> read(std::string_view text) {
        std::vector<ReadLine> lines;
        while (!text.empty()) {
            const std::size_t end = text.find('\n');
            const std::string_view line = text.substr(0, end);
            text.remove_prefix(end == text.npos ? text.size() : end + 1);
            if (line.empty()) continue;  // the writer starts a new line before a LostRecord
            ReadLine& read = lines.emplace_back();
            try {
                const Json json = parse(line);
                const auto type = json.at("t").get<std::string>();
                read.lost = type == LostRecord::kType;
                read.take = readers().at(type)(json);
            } catch (const std::exception&) {  // unreadable: `take` stays empty
            }
        }
        return lines;
    }

    void take(std::vector<ReadLine> lines) {
        for (const ReadLine& line : lines) {
            const bool afterCut = std::exchange(m_justUnreadable, false);
            // The LostRecord already counts the cut line before it.
            if (afterCut && line.lost) --m_unreadable;
            try {
                line.take(*this);
            } catch (const std::exception&) {  // or std::bad_function_call: unreadable
                ++m_unreadable;
                m_justUnreadable = true;
            }
        }
    }

    /// `whole`: the spool was read to its end.
    void finish(std::string_view name, bool whole = true) {
        SpoolDetails& details = m_all.details;
        m_launches.finish(m_all.starts);
        m_sources.finish(m_launches);
        m_overTime.finish(m_launches);
        m_timeline.finish({.launches = m_launches.takeByCorrelation(),
                           .streams = m_launches.takeStreams(),
                           .damaged = m_lost.lines > 0 || damaged()});
        m_launches.addPositions(details.positions);
        m_ranges.finish(m_launches);
        details.code.insert(details.code.end(), m_sources.code().begin(), m_sources.code().end());
        if (const auto first = m_launches.countedFirst())
            details.countedFirst.emplace(m_ids.process, *first);
        addDamageIssues(name, whole);
    }

private:
    /// Functions that read a line's record, by the type of the line.
    using Readers =
        std::unordered_map<std::string, std::function<void(SpoolReader&)> (*)(const Json&)>;

    static const Readers& readers() {
        static const Readers all = [] {
            Readers readers;
            add<&SpoolReader::m_names, ProcessRecord, DeviceRecord, PeaksRecord, CountersRecord,
                KernelRecord, RangeRecord, SiteRecord, IssueRecord, RunRecord, EndRecord>(readers);
            add<&SpoolReader::m_launches, LaunchRecord, ValuesRecord, KernelTime, NodeTimeRecord,
                OldGraphRecord, BufferRecord, ArgumentsRecord, RetractRecord, MissedRecord,
                CountsFirstRecord, TimesNowRecord>(readers);
            add<&SpoolReader::m_ranges, RangeFacts, RangeCountersRecord, RangeValuesRecord>(
                readers);
            add<&SpoolReader::m_sources, SourceRecord, SampleRecord>(readers);
            add<&SpoolReader::m_overTime, OverTimeRecord>(readers);
            add<&SpoolReader::m_timeline, TimelineRecord, ThreadRecord, CallNameRecord,
                TransferTime, CallTime, RangeBegin, RangeLeft, ProfilerRecord, CpuStacksRecord,
                CpuSampleRow, PaceRow>(readers);
            add<&SpoolReader::m_lost, LostRecord>(readers);
            return readers;
        }();
        return all;
    }

    /// Registers `part` for these records.
    template <auto part, class... Records>
    static void add(Readers& readers) {
        (readers.emplace(Records::kType,
                         [](const Json& json) -> std::function<void(SpoolReader&)> {
                             return
                                 [record = readLineOf<Records>(json)](SpoolReader& reader) mutable {
                                     (reader.*part).take(std::move(record));
                                 };
                         }),
         ...);
    }

    /// Counts the lines that the writer had to drop.
    struct LostLines {
        std::uint64_t lines = 0;
        void take(const LostRecord& record) { lines += record.lines; }
    };

    /// Whether more than the last line is unreadable; a crash may have cut off that one.
    [[nodiscard]] bool damaged() const {
        return m_unreadable > (m_ids.self().endedCleanly ? 0U : 1U);
    }

    void lost(std::string_view code, std::string message, std::string advice = {}) {
        m_ids.profile.issues.push_back({.severity = Severity::DataLoss,
                                        .source = "record",
                                        .code = std::string(code),
                                        .message = std::move(message),
                                        .advice = std::move(advice)});
    }

    void addDamageIssues(std::string_view name, bool whole) {
        const bool counted = !m_ids.counters.empty();
        if (!m_ids.self().endedCleanly)
            lost("process-ended-early",
                 counted && m_launches.unmeasured() > 0
                     ? fmt::format("process {} crashed, called _exit or was killed: no "
                                   "counters for {} of its {}",
                                   m_ids.self().pid, m_launches.unmeasured(),
                                   countText(m_launches.size(), "launch", "launches"))
                     : fmt::format("process {} crashed, called _exit or was killed: its last "
                                   "launches may be missing",
                                   m_ids.self().pid),
                 "everything measured before that is in this profile");
        else if (counted && m_launches.unmeasured() > 0)
            lost("launches-unmeasured",
                 fmt::format("no counters for {} of {} of process {}", m_launches.unmeasured(),
                             countText(m_launches.size(), "launch", "launches"), m_ids.self().pid));
        if (m_lost.lines > 0)
            lost("spool-damaged", fmt::format("{} of {} could not be written (disk full?)",
                                              countText(m_lost.lines, "line", "lines"), name));
        if (damaged())
            lost("spool-damaged", fmt::format("{} of {} could not be read (disk full?)",
                                              countText(m_unreadable, "line", "lines"), name));
        if (!whole)
            lost("spool-damaged",
                 fmt::format("{} was read only up to a line that is too long", name));
    }

    AllProcesses& m_all;
    SpoolIds m_ids;
    SpoolNames m_names;
    SpoolLaunches m_launches;
    SpoolRanges m_ranges;
    SpoolSources m_sources;
    SpoolOverTime m_overTime;
    SpoolTimeline m_timeline;
    std::size_t m_unreadable = 0;
    bool m_justUnreadable = false;  ///< the previous line was unreadable
    LostLines m_lost;
};

constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

/// The rank in the process record of a spool, which is one of its first lines.
std::uint32_t rankOf(const std::filesystem::path& path) {
    constexpr int kLines = 16;  // only issues precede the process record
    auto file = SpoolFile::open(path);
    for (int i = 0; file && i < kLines; ++i) {
        const auto line = file->line();
        if (!line) break;
        const Json json = Json::parse(*line, nullptr, false);
        if (!json.is_object() || json.value("t", Json()) != ProcessRecord::kType) continue;
        try {
            return readRecord<ProcessRecord>(json).process.rank.value_or(kNoRank);
        } catch (const std::exception&) {
            break;  // the reader will skip the line as well
        }
    }
    return kNoRank;
}

void addIssueOfFile(Profile& profile, const char* code, Severity severity, std::string message,
                    std::string advice = {}) {
    profile.issues.push_back({.severity = severity,
                              .source = "record",
                              .code = code,
                              .message = std::move(message),
                              .advice = std::move(advice)});
}

/// Sets Launch::start, and changes the timeline's times from CUPTI's time to the time since the
/// first launch.
void makeTimesRelative(Profile& profile, const LaunchStarts& starts) {
    constexpr Nanoseconds kNone = std::numeric_limits<Nanoseconds>::max();
    Nanoseconds first = kNone;
    for (const auto& [row, ns] : starts) first = std::min(first, ns);
    for (Process& process : profile.processes) {
        if (!process.pace) continue;
        for (auto* marks : {&process.pace->alone, &process.pace->after}) {
            const Nanoseconds begin = marks->empty() ? 0 : marks->front().time;
            for (PaceMark& mark : *marks) mark.time -= begin;
        }
    }
    // If no launch has a time, count from the earliest event of the timeline.
    if (first == kNone)
        forEachSpan(profile.timeline, [&](std::uint32_t, const TimeSpan& span) {
            first = std::min(first, span.start);
        });
    if (first == kNone) {
        for (Process& process : profile.processes) {
            process.run.reset();
            process.cpuSamples.reset();
            if (process.pace) process.pace->traced.clear();
        }
        return;
    }
    for (const auto& [row, ns] : starts)
        profile.launches[row].start = Seconds{static_cast<double>(ns - first) / 1e9};
    forEachSpan(profile.timeline, [&](std::uint32_t, TimeSpan& span) {
        span = {.start = span.start - first, .end = span.end - first};
    });
    forEachMoment(profile.processes, [&](std::uint32_t, Nanoseconds& time) { time -= first; });
    for (Process& process : profile.processes)
        if (process.run && !fitsIntoProfile(*process.run)) process.run.reset();
    for (Process& process : profile.processes)
        if (process.timeline) process.clockZero = static_cast<std::uint64_t>(first);
}

/// The spools of a folder, sorted by rank and then by process id.
Result<std::vector<std::filesystem::path>> spoolsIn(const std::filesystem::path& folder) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".spool") files.push_back(entry.path());
    if (error)
        return Error{.code = ErrorCode::Io,
                     .what = "the measurements could not be read back: " + error.message(),
                     .where = folder.string()};
    // Process ids follow the order of creation, except after a wrap-around. Ranks come first
    // because the ranks of a job start in any order, and runs are joined by the order of processes.
    std::ranges::sort(files, [](const auto& a, const auto& b) {
        return a.filename().string().size() != b.filename().string().size()
                   ? a.filename().string().size() < b.filename().string().size()
                   : a.filename() < b.filename();
    });
    std::map<std::filesystem::path, std::uint32_t> ranks;
    for (const auto& file : files) ranks[file] = rankOf(file);
    std::ranges::stable_sort(files, {}, [&](const auto& file) { return ranks.at(file); });
    return files;
}

/// Reads and applies the lines of a file. Other threads read them, because reading takes most of
/// the time of a recording with many launches.
void readFile(SpoolFile& file, SpoolReader& reader) {
    constexpr std::size_t kSlice = std::size_t{1} << 18;
    constexpr std::size_t kMostAtOnce = std::size_t{16} << 20;  // read lines take 10 times as much
    struct Slice {
        std::size_t bytes;
        std::future<std::vector<ReadLine>> lines;
    };
    const std::size_t most = std::clamp(std::thread::hardware_concurrency(), 1U, 16U) + 1;
    std::deque<Slice> slices;
    std::size_t bytes = 0;  // sum of the slices
    const auto takeFirst = [&] {
        reader.take(slices.front().lines.get());
        bytes -= slices.front().bytes;
        slices.pop_front();
    };
    std::string text;
    for (bool more = true; more;) {
        const auto line = file.line();
        more = line.has_value();
        if (line) text.append(*line).push_back('\n');
        if (text.empty() || (more && text.size() < kSlice)) continue;
        while (!slices.empty() && (slices.size() >= most || bytes + text.size() > kMostAtOnce))
            takeFirst();
        bytes += text.size();
        // Without `deferred`, this would fail if no more threads can be created.
        slices.push_back({text.size(), std::async(std::launch::async | std::launch::deferred,
                                                  [slice = std::exchange(text, {})] {
                                                      return SpoolReader::read(slice);
                                                  })});
    }
    while (!slices.empty()) takeFirst();
}

}  // namespace

Result<Profile> readSpools(const std::filesystem::path& folder, SpoolDetails* details) {
    const auto files = spoolsIn(folder);
    if (!files) return files.error();
    AllProcesses all;
    for (const auto& path : *files) {
        const std::string name = path.filename().string();
        auto file = SpoolFile::open(path);
        if (!file) {
            addIssueOfFile(
                all.profile, "spool-refused", Severity::DataLoss,
                fmt::format("the spool file {} was not read: it {}", name, file.error().what));
            continue;
        }
        if (file->bytes() >= kLargeSpool)
            addIssueOfFile(all.profile, "spool-large", Severity::Info,
                           fmt::format("the measurements of one process took {:.1f} GB",
                                       static_cast<double>(file->bytes()) / 1e9),
                           "choose launches (--kernel, --nvtx, --launch-count), or --timeline gpu");
        SpoolReader reader(all, folder);
        readFile(*file, reader);
        reader.finish(name, file->whole());
    }
    makeTimesRelative(all.profile, all.starts);
    if (details) *details = std::move(all.details);
    return std::move(all.profile);
}

Profile parseSpools(std::span<const SpoolText> spools, std::uint64_t mostLaunches) {
    AllProcesses all;
    all.mostLaunches = mostLaunches;
    for (auto [text, name] : spools) {
        SpoolReader reader(all, {});
        reader.take(SpoolReader::read(text));
        reader.finish(name);
    }
    makeTimesRelative(all.profile, all.starts);
    return std::move(all.profile);
}

Profile parseSpool(std::string_view text, std::string_view name) {
    return parseSpools(std::array{SpoolText{.text = text, .name = name}});
}

}  // namespace roofscope
