// SPDX-License-Identifier: Apache-2.0
#include "collector/run/spool_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

#include "collector/run/disassembly.h"
#include "collector/run/spool_fields.h"
#include "collector/run/spool_file.h"
#include "collector/run/spool_timeline.h"

namespace roofscope {
namespace {

using namespace spool;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Counter values of one process: as many as a profile holds.
/// The injected library writes no more of them.
constexpr std::size_t kMostCallSites = 10'000;
constexpr std::size_t kMostValues = 400'000'000;

/// A line as JSON. A long one that is nested deeper than any of ours would take 50 times its size.
Json parse(std::string_view line) {
    constexpr std::size_t kLong = std::size_t{1} << 20;
    constexpr int kDeepest = 8;
    if (line.size() < kLong) return Json::parse(line);
    return Json::parse(line, [](int depth, Json::parse_event_t, Json&) {
        if (depth > kDeepest) throw std::invalid_argument("nested too deep");
        return true;
    });
}

/// A rate that a device can have.
std::optional<double> optionalRate(const Json& json, const char* key) {
    const auto it = json.find(key);
    if (it == json.end() || it->is_null()) return {};
    if (const auto rate = it->get<double>(); rate >= 0) return rate;
    throw std::invalid_argument("no rate");
}

/// A recording that takes that much is worth a word: it can be cut down.
constexpr std::uint64_t kLargeSpool = std::uint64_t{1} << 30;

/// Reads one process' spool. Ids in a spool count per process; they are mapped to the profile's.
class SpoolReader {
public:
    SpoolReader(Profile& profile, LaunchStarts& starts, LaunchPositions& positions,
                std::filesystem::path folder)
        : m_profile(profile),
          m_starts(starts),
          m_positions(positions),
          m_folder(std::move(folder)) {
        m_process = static_cast<std::uint32_t>(profile.processes.size());
        for (const Buffer& b : profile.buffers)
            m_firstAllocation = std::max(m_firstAllocation, b.allocation + 1);
        profile.processes.emplace_back();
    }

    void readLine(std::string_view line) {
        if (line.empty()) return;  // before a line that says how many were lost
        const bool afterCut = std::exchange(m_justUnreadable, false);
        try {
            const Json json = parse(line);
            // What was cut is among the lines that it counts.
            if (afterCut && json.at("t") == "lost") --m_unreadable;
            apply(json);
        } catch (const std::exception&) {
            // Only the last line can be cut (by a crash or a full disk); anything else is odd.
            ++m_unreadable;
            m_justUnreadable = true;
        }
    }

    /// `whole`: the spool was read to its end.
    void finish(std::string_view name, bool whole = true) {
        joinTimes();
        addLaunches();
        addTimeline();
        tellPositions(lostLaunches());
        finishRanges();
        tellDamage(name, whole);
    }

private:
    struct RangeRow {
        RangeMeasurement measured;
        std::uint64_t begin = 0, end = 0;  ///< sequences of its launches, `end` excluded
        std::vector<double> values;
    };

    void apply(const Json& json) {
        const auto type = json.at("t").get<std::string>();
        if (type == "launch")
            launch(json);
        else if (type == "values")
            values(json);
        else if (type == "time")
            time(json);
        else if (type == "source")
            source(json);
        else if (type == "samples")
            samples(json);
        else if (type == "range-end")
            rangeEnd(json);
        else if (type == "range-values")
            rangeValues(json);
        else if (type == "range-counters")
            m_rangeCounters[whole<std::uint32_t>(json, "d")] =
                json.at("names").get<std::vector<std::string>>();
        else if (type == "retract")
            retract(whole<std::uint64_t>(json, "n"));
        else if (type == "lost")
            m_lostLines += whole<std::uint64_t>(json, "lines");
        else if (type == "missed")
            m_missedFrom = std::min(m_missedFrom, whole<std::uint64_t>(json, "n"));
        else if (type == "arguments")
            arguments(json);
        else if (type == "buffer")
            buffer(json);
        else if (type == "kernel")
            kernel(json);
        else if (type == "range")
            range(json);
        else if (type == "site")
            site(json);
        else if (type == "counters")
            counters(json);
        else if (type == "peaks")
            peaks(json);
        else if (type == "device")
            device(json);
        else if (type == "process")
            process(json);
        else if (type == "issue")
            issue(json);
        else if (type == "end")
            end(json);
        else if (type == "times")
            times(json);
        else
            m_timeline.apply(type, json);
    }

    void retract(std::uint64_t sequence) {
        self().launchesSeen -= m_rows.erase(sequence);
        m_retracted.insert(sequence);
    }

    void end(const Json& json) {
        self().endedCleanly = true;
        self().autotuningLaunches = optionalWhole<std::uint64_t>(json, "autotuning");
        self().unchosenLaunches = optionalWhole<std::uint64_t>(json, "not_chosen");
        if (const auto ns = optionalWhole<std::uint64_t>(json, "traced_launch_ns"))
            self().tracedLaunch = Seconds{static_cast<double>(*ns) / 1e9};
    }

    Process& self() { return m_profile.processes[m_process]; }

    void process(const Json& json) {
        self().pid = static_cast<std::int64_t>(count(json, "pid"));
        self().cuptiPath = json.value("cupti_path", "");
        self().cuptiVersion = optionalWhole<std::uint32_t>(json, "cupti_version").value_or(0);
        self().driverVersion = optionalWhole<std::uint32_t>(json, "driver_version").value_or(0);
        self().host = json.value("host", "");
        self().rank = optionalWhole<std::uint32_t>(json, "rank");
        self().localRank = optionalWhole<std::uint32_t>(json, "local_rank");
        self().worldSize = optionalWhole<std::uint32_t>(json, "world_size");
        if (self().rank && self().worldSize && *self().rank >= *self().worldSize)
            self().rank = self().worldSize = std::nullopt;
    }

    void device(const Json& json) {
        Device d;
        d.name = json.at("name").get<std::string>();
        d.chip = json.value("chip", "");
        d.computeMajor = optionalWhole<std::uint8_t>(json, "major").value_or(0);
        d.computeMinor = optionalWhole<std::uint8_t>(json, "minor").value_or(0);
        d.smCount = optionalWhole<std::uint32_t>(json, "sms").value_or(0);
        d.warpSize = optionalWhole<std::uint32_t>(json, "warp").value_or(32);
        d.maxThreadsPerSm = optionalWhole<std::uint32_t>(json, "threads_per_sm");
        d.maxThreadsPerBlock = optionalWhole<std::uint32_t>(json, "threads_per_block");
        d.maxBlocksPerSm = optionalWhole<std::uint32_t>(json, "blocks_per_sm");
        d.registersPerSm = optionalWhole<std::uint32_t>(json, "registers_per_sm");
        d.sharedPerSmBytes = optionalWhole<std::uint32_t>(json, "shared_per_sm");
        d.sharedPerBlockOptinBytes = optionalWhole<std::uint32_t>(json, "shared_optin");
        d.sharedReservedPerBlockBytes = optionalWhole<std::uint32_t>(json, "shared_reserved");
        d.l2Bytes = optionalWhole<std::uint64_t>(json, "l2");
        d.memoryBytes = optionalWhole<std::uint64_t>(json, "memory");
        if (const auto hz = optionalRate(json, "sm_hz")) d.smClockMax = Hertz{*hz};
        if (const auto hz = optionalRate(json, "memory_hz")) d.memoryClockMax = Hertz{*hz};
        d.uuid = json.value("uuid", "");
        // Processes of one run share devices. Peaks come later, so that models are not compared.
        const auto same = std::find_if(
            m_profile.devices.begin(), m_profile.devices.end(), [&](const Device& other) {
                return other.name == d.name && other.chip == d.chip && other.smCount == d.smCount &&
                       other.memoryBytes == d.memoryBytes && other.uuid == d.uuid &&
                       !m_ownDevices.contains(&other - m_profile.devices.data());
            });
        const auto index = static_cast<std::uint32_t>(same - m_profile.devices.begin());
        if (same == m_profile.devices.end()) m_profile.devices.push_back(std::move(d));
        m_ownDevices.insert(index);
        m_devices[whole<std::uint32_t>(json, "id")] = index;
        if (const auto ordinal = optionalWhole<std::uint32_t>(json, "ordinal"))
            m_ordinals.try_emplace(*ordinal, index);
    }

    void peaks(const Json& json) {
        Device& d = m_profile.devices.at(m_devices.at(whole<std::uint32_t>(json, "d")));
        for (const auto& [name, value] : json.at("values").items())
            d.peaks[name] = value.get<double>();
    }

    void counters(const Json& json) {
        m_counters[whole<std::uint32_t>(json, "d")] =
            json.at("names").get<std::vector<std::string>>();
        m_profile.capture.passes = std::max(
            m_profile.capture.passes, optionalWhole<std::uint32_t>(json, "passes").value_or(0));
    }

    void kernel(const Json& json) {
        if (m_kernels.contains(whole<std::uint32_t>(json, "id"))) return;  // told again
        Kernel k;
        k.name = json.at("name").get<std::string>();
        k.symbol = json.at("symbol").get<std::string>();
        k.registersPerThread = optionalWhole<std::uint32_t>(json, "registers");
        k.staticSharedBytes = optionalWhole<std::uint32_t>(json, "shared");
        k.localBytesPerThread = optionalWhole<std::uint32_t>(json, "local");
        k.maxThreadsPerBlock = optionalWhole<std::uint32_t>(json, "threads");
        k.ptxVersion = optionalWhole<std::uint32_t>(json, "ptx");
        k.binaryVersion = optionalWhole<std::uint32_t>(json, "binary");
        m_kernels[whole<std::uint32_t>(json, "id")] =
            static_cast<std::uint32_t>(m_profile.kernels.size());
        m_profile.kernels.push_back(std::move(k));
    }

    void site(const Json& json) {
        if (m_profile.callSites.size() >= kMostCallSites) return;
        CallSite site{.call = json.value("call", ""),
                      .file = json.value("file", ""),
                      .line = optionalWhole<std::uint32_t>(json, "line").value_or(0),
                      .function = json.value("function", ""),
                      .indirect = json.value("indirect", false),
                      .count = count(json, "count")};
        if (const auto kernel = optionalWhole<std::uint32_t>(json, "k"))
            site.kernel = m_kernels.at(*kernel);
        if (site.kernel.has_value() != site.call.empty() || site.count == 0)
            throw std::invalid_argument("no call site");
        site.module = json.value("module", "");
        if (!site.module.empty()) site.offset = count(json, "offset");
        m_profile.callSites.push_back(std::move(site));
    }

    void range(const Json& json) {
        if (m_ranges.contains(whole<std::uint32_t>(json, "id"))) return;  // told again
        m_ranges[whole<std::uint32_t>(json, "id")] =
            static_cast<std::uint32_t>(m_profile.ranges.size());
        m_profile.ranges.push_back(json.at("name").get<std::string>());
    }

    void launch(const Json& json) {
        Row row;
        Launch& l = row.launch;
        l.kernel = m_kernels.at(whole<std::uint32_t>(json, "k"));
        l.device = m_devices.at(whole<std::uint32_t>(json, "d"));
        l.process = m_process;
        l.stream = whole<std::uint32_t>(json, "s");
        l.grid = dim3(json.at("g"));
        l.block = dim3(json.at("b"));
        if (json.contains("c")) l.cluster = dim3(json.at("c"));
        l.dynamicSharedBytes = optionalWhole<std::uint64_t>(json, "m").value_or(0);
        l.residentBlocksPerSm = optionalWhole<std::uint32_t>(json, "o");
        if (const auto r = optionalWhole<std::uint32_t>(json, "r")) l.range = m_ranges.at(*r);
        l.fromGraph = json.value("graph", false);
        l.afterSync = json.value("sync", false);
        row.counted = json.value("counted", true);
        row.correlation = optionalWhole<std::uint32_t>(json, "corr");
        m_rows[count(json, "n")] = std::move(row);
        ++self().launchesSeen;
    }

    void values(const Json& json) {
        const auto it = m_rows.find(whole<std::uint64_t>(json, "n"));
        if (it == m_rows.end()) return;
        it->second.device = whole<std::uint32_t>(json, "d");
        for (const auto& v : json.at("v"))
            it->second.values.push_back(v.is_null() ? kMissing : v.get<double>());
    }

    void time(const Json& json) {
        KernelTime t{
            .time = {.start = timeOf(unsignedOf<std::int64_t>(json.at("b").get<std::int64_t>())),
                     .end = timeOf(unsignedOf<std::int64_t>(json.at("e").get<std::int64_t>()))},
            .symbol = json.value("k", ""),
            .context = optionalWhole<std::uint32_t>(json, "x").value_or(0),
            .stream = optionalWhole<std::uint32_t>(json, "s").value_or(0)};
        if (t.time.end < t.time.start) throw std::invalid_argument("ends before it starts");
        if (json.contains("g")) t.grid = dim3(json.at("g"));
        m_times[whole<std::uint32_t>(json, "c")].push_back(std::move(t));
    }

    void times(const Json& json) {
        const std::size_t n = rows(json);
        const auto correlations = growing(json, "c", n), contexts = column(json, "x", n),
                   streams = column(json, "s", n);
        const auto ran = spans(json, n);
        for (std::size_t i = 0; i < n; ++i)
            m_times[unsignedOf<std::uint32_t>(correlations[i])].push_back(
                {.time = ran[i],
                 .context = unsignedOf<std::uint32_t>(contexts[i]),
                 .stream = unsignedOf<std::uint32_t>(streams[i])});
    }

    /// Gives launches their times. All nodes of a graph launch share a correlation: among them the
    /// earliest kernel of the same name and grid is taken, which is the node itself or its equal.
    void joinTimes() {
        for (auto& [correlation, times] : m_times)
            std::stable_sort(times.begin(), times.end(), [](const auto& a, const auto& b) {
                return a.time.start < b.time.start;
            });
        for (auto& [sequence, row] : m_rows) {
            const auto it = row.correlation ? m_times.find(*row.correlation) : m_times.end();
            if (it == m_times.end()) continue;
            Launch& l = row.launch;
            const auto found =
                std::find_if(it->second.begin(), it->second.end(), [&](const KernelTime& t) {
                    return !t.taken &&
                           (!l.fromGraph ||
                            (t.grid == l.grid && t.symbol == m_profile.kernels[l.kernel].symbol));
                });
            if (found == it->second.end()) continue;
            found->taken = true;
            l.duration = Seconds{static_cast<double>(found->time.length()) / 1e9};
            // Nanoseconds since 1970 need more than the 53 bits of a double: countFromFirst().
            row.time = found->time;
            m_streams.try_emplace({found->context, found->stream}, l.stream);
        }
    }

    /// Range, device and ordinal, as the spool numbers them.
    static auto rangeKey(const Json& json) {
        return std::tuple(whole<std::uint32_t>(json, "r"), whole<std::uint32_t>(json, "d"),
                          whole<std::uint32_t>(json, "o"));
    }

    void rangeEnd(const Json& json) {
        const auto key = rangeKey(json);
        RangeRow row;
        RangeMeasurement& m = row.measured;
        m.range = m_ranges.at(std::get<0>(key));
        m.device = m_devices.at(std::get<1>(key));
        m.ordinal = std::get<2>(key);
        m.process = m_process;
        m.depth = whole<std::uint32_t>(json, "depth");
        m.launches = optionalWhole<std::uint64_t>(json, "launches");
        m.work = optionalWhole<std::uint64_t>(json, "work");
        row.begin = count(json, "from");
        row.end = count(json, "to");
        m_rangeRows[key] = std::move(row);
    }

    void rangeValues(const Json& json) {
        const auto it = m_rangeRows.find(rangeKey(json));
        if (it == m_rangeRows.end()) return;
        for (const auto& v : json.at("v"))
            it->second.values.push_back(v.is_null() ? kMissing : v.get<double>());
    }

    /// Duration and busy time of a range; neither unless the times of all its kernels are known.
    void time(RangeRow& row) const {
        std::vector<std::pair<std::int64_t, std::int64_t>> kernels;  // start, end
        for (auto it = m_rows.lower_bound(row.begin); it != m_rows.end() && it->first < row.end;
             ++it) {
            if (it->second.launch.device != row.measured.device) continue;
            if (!it->second.time) return;
            kernels.emplace_back(it->second.time->start, it->second.time->end);
        }
        if (kernels.empty() || kernels.size() != row.measured.launches) return;
        std::ranges::sort(kernels);
        std::int64_t busy = 0, last = kernels.front().first;
        for (const auto& [start, end] : kernels) {
            if (end <= last) continue;
            busy += end - std::max(start, last);
            last = end;
        }
        row.measured.duration = Seconds{static_cast<double>(last - kernels.front().first) / 1e9};
        row.measured.busy = Seconds{static_cast<double>(busy) / 1e9};
    }

    void finishRanges() {
        CounterTable& table = m_profile.rangeCounters;
        for (auto& [key, row] : m_rangeRows) {
            time(row);
            const std::size_t index = m_profile.rangeMeasurements.size();
            m_profile.rangeMeasurements.push_back(row.measured);
            const auto& names = m_rangeCounters[std::get<1>(key)];
            if (row.values.size() != names.size()) continue;
            for (std::size_t i = 0; i < names.size(); ++i)
                table.set(names[i], index, row.values[i]);
        }
        table.resize(m_profile.rangeMeasurements.size());
    }

    void source(const Json& json) {
        SourcePass pass;
        pass.kernel = m_kernels.at(whole<std::uint32_t>(json, "k"));
        pass.files = json.at("files").get<std::vector<std::string>>();
        const auto metrics = json.at("metrics").get<std::vector<std::string>>();
        const Json& rows = json.at("rows");
        std::vector<std::vector<double>> columns(metrics.size());
        for (const Json& row : rows) {
            Instruction i{.offset = whole<std::uint32_t>(row.at(0))};
            i.line = whole<std::uint32_t>(row.at(2));
            if (const auto file = row.at(1).get<std::int64_t>(); file >= 0) {
                if (static_cast<std::size_t>(file) >= pass.files.size())
                    throw std::invalid_argument("no such file");
                i.file = static_cast<std::uint32_t>(file);
            }
            if (!pass.instructions.empty() && i.offset <= pass.instructions.back().offset)
                throw std::invalid_argument("offsets must grow");
            pass.instructions.push_back(std::move(i));
            const Json& values = row.at(3);
            for (std::size_t m = 0; m < metrics.size(); ++m)
                columns[m].push_back(values.at(m).is_null() ? kMissing
                                                            : values.at(m).get<double>());
        }
        pass.counters.resize(pass.instructions.size());
        for (std::size_t m = 0; m < metrics.size(); ++m)
            pass.counters.addColumn(metrics[m], std::move(columns[m]));
        const auto cubin = json.value("cubin", "");
        // Only a file that lies there itself, and that the disassembler will not wait for.
        if (!m_folder.empty() && !cubin.empty() && cubin.find('/') == std::string::npos &&
            SpoolFile::open(m_folder / cubin))
            addCode(pass, m_folder / cubin, json.value("function", ""));
        addSourceTexts(pass);
        m_passes.emplace_back(count(json, "n"), m_profile.sources.size());
        m_profile.sources.push_back(std::move(pass));
    }

    void samples(const Json& json) {
        SourcePass pass;
        pass.kernel = m_kernels.at(whole<std::uint32_t>(json, "k"));
        const auto reasons = json.at("reasons").get<std::vector<std::string>>();
        std::vector<std::vector<double>> columns(reasons.size());
        for (const Json& row : json.at("rows")) {
            const auto offset = whole<std::uint32_t>(row.at(0));
            if (!pass.instructions.empty() && offset <= pass.instructions.back().offset)
                throw std::invalid_argument("offsets must grow");
            pass.instructions.push_back({.offset = offset});
            const Json& counts = row.at(1);
            for (std::size_t r = 0; r < reasons.size(); ++r) {
                if (!counts.at(r).is_number_unsigned()) throw std::invalid_argument("no count");
                columns[r].push_back(static_cast<double>(counts.at(r).get<std::uint64_t>()));
            }
        }
        pass.counters.resize(pass.instructions.size());
        for (std::size_t r = 0; r < reasons.size(); ++r)
            pass.counters.addColumn(reasons[r], std::move(columns[r]));
        m_passes.emplace_back(count(json, "n"), m_profile.sources.size());
        m_profile.sources.push_back(std::move(pass));
    }

    void addCode(SourcePass& pass, const std::filesystem::path& cubin,
                 const std::string& function) {
        const auto disassembler = findDisassembler();
        std::string why = "nvdisasm was not found";
        if (!disassembler.empty()) {
            auto sass = disassemble(disassembler, cubin, function);
            if (sass) return addDisassembly(pass, *sass);
            why = sass.error().message();
        }
        m_profile.issues.push_back(
            {.severity = Severity::Info,
             .source = "record",
             .code = "no-disassembly",
             .message = "instructions are known by offset only: " + why,
             .advice = "install the CUDA toolkit's nvdisasm, or set ROOFSCOPE_NVDISASM to it"});
    }

    void buffer(const Json& json) {
        const Buffer b{.allocation = m_firstAllocation + whole<std::uint32_t>(json, "allocation"),
                       .offsetBytes = count(json, "offset"),
                       .bytes = count(json, "bytes")};
        if (b.bytes == 0) throw std::invalid_argument("a buffer of no bytes");
        m_buffers[whole<std::uint32_t>(json, "id")] =
            static_cast<std::uint32_t>(m_profile.buffers.size());
        m_profile.buffers.push_back(b);
    }

    void arguments(const Json& json) {
        const auto it = m_rows.find(whole<std::uint64_t>(json, "n"));
        if (it == m_rows.end()) return;
        std::vector<BufferArgument> list;
        for (const Json& pair : json.at("l"))
            list.push_back({.buffer = m_buffers.at(whole<std::uint32_t>(pair.at(0))),
                            .parameter = whole<std::uint32_t>(pair.at(1))});
        const auto [known, isNew] =
            m_lists.try_emplace(list, static_cast<std::uint32_t>(m_profile.argumentLists.size()));
        if (isNew) m_profile.argumentLists.add(list);
        it->second.launch.arguments = known->second;
    }

    void issue(const Json& json) {
        const auto severity = json.value("severity", "error");
        m_profile.issues.push_back({.severity = severity == "info"        ? Severity::Info
                                                : severity == "data-loss" ? Severity::DataLoss
                                                                          : Severity::Error,
                                    .source = json.value("source", ""),
                                    .code = json.value("code", ""),
                                    .message = json.value("message", ""),
                                    .advice = json.value("advice", "")});
    }

    /// Launches whose lines are missing, among those that are known.
    [[nodiscard]] std::uint64_t lostLaunches() const {
        if (m_rows.empty()) return 0;
        const auto known = m_rows.size() + static_cast<std::size_t>(std::distance(
                                               m_retracted.begin(),
                                               m_retracted.lower_bound(m_rows.rbegin()->first)));
        return m_rows.rbegin()->first + 1 -
               std::min<std::uint64_t>(known, m_rows.rbegin()->first + 1);
    }

    /// Launches are numbered without gaps, those included that failed. Where some are missing the
    /// others keep their places: a run without the loss would be joined wrongly.
    void tellPositions(std::uint64_t lost) {
        if (lost > 0)
            m_profile.issues.push_back(
                {.severity = Severity::DataLoss,
                 .source = "record",
                 .code = "launches-lost",
                 .message = fmt::format("{} launches of process {} are not in the profile: they "
                                        "could not be written (disk full?)",
                                        lost, self().pid)});
        if (lost == 0 && m_missedFrom == kUnknownPosition) return;
        std::size_t index = m_profile.launches.size() - m_rows.size();
        auto retracted = m_retracted.begin();
        std::uint64_t before = 0;
        for (const auto& [sequence, row] : m_rows) {
            for (; retracted != m_retracted.end() && *retracted < sequence; ++retracted) ++before;
            m_positions[index++] = sequence < m_missedFrom ? sequence - before : kUnknownPosition;
        }
    }

    void addLaunches() {
        for (auto& [sequence, row] : m_rows) {
            const std::size_t index = m_profile.launches.size();
            m_profile.launches.push_back(row.launch);
            if (row.time) m_starts[index] = row.time->start;
            for (const auto& [of, pass] : m_passes)
                if (of == sequence && m_profile.sources[pass].kernel == row.launch.kernel)
                    m_profile.sources[pass].launch = static_cast<std::uint32_t>(index);
            if (row.correlation)
                m_launched[*row.correlation].push_back(
                    {.row = static_cast<std::uint32_t>(index), .time = row.time});
            if (m_counters.empty() || !row.counted) continue;
            const auto& names = m_counters[row.device];
            if (row.values.empty() || row.values.size() != names.size() ||
                names.size() > kMostValues / m_rows.size()) {
                ++m_unmeasured;
                continue;
            }
            for (std::size_t i = 0; i < names.size(); ++i)
                m_profile.counters.set(names[i], index, row.values[i]);
        }
        m_profile.counters.resize(m_profile.launches.size());
    }

    void addTimeline() {
        m_timeline.finish(m_profile, {.process = m_process,
                                      .devices = std::move(m_ordinals),
                                      .ranges = m_ranges,
                                      .launches = std::move(m_launched),
                                      .streams = std::move(m_streams),
                                      .damaged = m_lostLines > 0});
    }

    void lost(std::string_view code, std::string message, std::string advice = {}) {
        m_profile.issues.push_back({.severity = Severity::DataLoss,
                                    .source = "record",
                                    .code = std::string(code),
                                    .message = std::move(message),
                                    .advice = std::move(advice)});
    }

    void tellDamage(std::string_view name, bool whole) {
        const bool counted = !m_counters.empty();
        if (!self().endedCleanly)
            lost("process-ended-early",
                 counted ? fmt::format("process {} did not end in order (crash, _exit or kill): {} "
                                       "of its {} launches have no counters",
                                       self().pid, m_unmeasured, m_rows.size())
                         : fmt::format("process {} did not end in order (crash, _exit or kill): "
                                       "what ran last may be missing",
                                       self().pid),
                 "what was measured before is in this profile");
        else if (counted && m_unmeasured > 0)
            lost("launches-unmeasured",
                 fmt::format("{} of {} launches of process {} have no counters", m_unmeasured,
                             m_rows.size(), self().pid));
        if (m_lostLines > 0)
            lost("spool-damaged", fmt::format("{} lines of {} could not be written (disk full?)",
                                              m_lostLines, name));
        if (m_unreadable > (self().endedCleanly ? 0U : 1U))
            lost("spool-damaged",
                 fmt::format("{} lines of {} could not be read (disk full?)", m_unreadable, name));
        if (!whole)
            lost("spool-damaged", fmt::format("{} was read up to a line that is too long", name));
    }

    struct KernelTime {
        TimeSpan time;
        std::string symbol = {};
        Dim3 grid = {};
        std::uint32_t context = 0, stream = 0;  ///< as CUPTI numbers them
        bool taken = false;
    };
    struct Row {
        Launch launch;
        bool counted = true;
        std::optional<std::uint32_t> correlation;
        std::optional<TimeSpan> time;
        std::uint32_t device = 0;
        std::vector<double> values;
    };
    Profile& m_profile;
    LaunchStarts& m_starts;          ///< by row
    LaunchPositions& m_positions;    ///< by row
    std::filesystem::path m_folder;  ///< where cubins lie; empty: nowhere
    std::unordered_map<std::uint32_t, std::vector<KernelTime>> m_times;  ///< by correlation
    std::uint32_t m_process = 0;
    std::size_t m_unreadable = 0;
    std::size_t m_unmeasured = 0;   ///< launches without counters
    bool m_justUnreadable = false;  ///< the line before was
    std::uint64_t m_lostLines = 0;
    std::set<std::uint64_t> m_retracted;
    std::uint64_t m_missedFrom = kUnknownPosition;  ///< sequence after which some are not known
    std::set<std::ptrdiff_t> m_ownDevices;
    std::map<std::uint32_t, std::uint32_t> m_devices, m_kernels, m_ranges;
    std::map<std::uint32_t, std::uint32_t> m_ordinals;  ///< devices by CUDA's number
    SpoolTimeline m_timeline;
    std::unordered_map<std::uint32_t, std::vector<SpoolTimeline::Launched>>
        m_launched;  ///< by correlation
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
        m_streams;  ///< the profile's, by CUPTI's context and stream
    std::map<std::uint32_t, std::vector<std::string>> m_counters;
    std::map<std::uint64_t, Row> m_rows;
    std::vector<std::pair<std::uint64_t, std::size_t>> m_passes;  ///< sequence and index in sources
    std::map<std::uint32_t, std::vector<std::string>> m_rangeCounters;  ///< by device
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, RangeRow> m_rangeRows;
    std::map<std::uint32_t, std::uint32_t> m_buffers;
    std::map<std::vector<BufferArgument>, std::uint32_t> m_lists;
    std::uint32_t m_firstAllocation = 0;  ///< the process' numbers begin behind those of others
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
    // Nothing was launched, or timed: then from whatever came first.
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
    for (const auto& [row, ns] : starts)
        profile.launches[row].start = Seconds{static_cast<double>(ns - first) / 1e9};
    each([&](TimeSpan& span) { span = {.start = span.start - first, .end = span.end - first}; });
    for (Process& process : profile.processes)
        if (process.timeline) process.clockZero = static_cast<std::uint64_t>(first);
}

Result<Profile> readSpools(const std::filesystem::path& folder, LaunchPositions* positions) {
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
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
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
    }
    countFromFirst(profile, starts);
    return profile;
}

}  // namespace roofscope
