// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu_report_file/report_file.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <unordered_set>

namespace roofscope::ncufile {

namespace {

// Field numbers; docs/import.md says how they are known. The names are from NVIDIA's schema.

namespace file_header {
constexpr std::uint32_t kVersion = 1;
}
namespace block_header {
constexpr std::uint32_t kNumSources = 1, kNumResults = 2, kSessionDetails = 3, kStringTable = 4,
                        kPayloadSize = 5, kProcess = 6, kNumRangeResults = 7;
}
namespace string_table {
constexpr std::uint32_t kStrings = 1;
}
namespace process_info {
constexpr std::uint32_t kProcessId = 1, kHostname = 2, kProcessName = 3;
}
namespace session_details {
constexpr std::uint32_t kCreationTime = 2, kTargetSystemInfo = 4, kVersionInfo = 8,
                        kProfilerSettings = 10, kCommandLine = 11;
}
namespace system_info {
constexpr std::uint32_t kComputerName = 5;
}
namespace version_info {
constexpr std::uint32_t kProvider = 1, kVersion = 2;
}
namespace profiler_settings {
constexpr std::uint32_t kClockControlMode = 8;
}
namespace profile_result {
constexpr std::uint32_t kThreadId = 1, kMangledName = 5, kFunctionName = 6, kDemangledName = 7,
                        kGlobalWorkSize = 10, kLocalWorkSize = 11, kMetricResults = 13, kNvtx = 21,
                        kContextId = 22, kStreamId = 23;
}
namespace metric_result {
constexpr std::uint32_t kNameId = 1, kMetricValue = 2;
}
namespace metric_value {
constexpr std::uint32_t kString = 1, kFloat = 2, kDouble = 3, kUint32 = 4, kUint64 = 5;
}
namespace nvtx_state {
constexpr std::uint32_t kThreads = 2;
}
namespace nvtx_thread {
constexpr std::uint32_t kThreadId = 1, kPushPopDomains = 2;
}
namespace nvtx_domain {
constexpr std::uint32_t kStack = 3;
}
namespace nvtx_range {
constexpr std::uint32_t kName = 1;
}

constexpr std::string_view kMagic{"NVR\0", 4};
constexpr std::size_t kMostRanges = 1000;  ///< nested; no program has more
constexpr const char* kDamaged = "the file is cut off or damaged: copy it again, or profile again";

Error other(std::string what) {
    return Error{.code = ErrorCode::Unavailable, .what = std::move(what)};
}

Error damaged(std::string what) {
    return Error{.code = ErrorCode::BadData, .what = std::move(what), .advice = kDamaged};
}

Error tooLarge(std::string what) {
    return Error{.code = ErrorCode::BadData,
                 .what = std::move(what),
                 .advice = "profile fewer launches or metrics"};
}

/// The error for a message that could not be read completely. `of` names it: "the file header".
Error faulty(const WireReader& reader, std::string_view of) {
    const std::string what = fmt::format("in {} {}", of, toString(reader.fault()));
    // Another version of the format may use this encoding.
    if (reader.fault() == WireFault::BadType) return other(what);
    return reader.fault() == WireFault::BudgetSpent ? tooLarge(what) : damaged(what);
}

/// Takes a block with a four-byte length field from the front of `rest`; nullopt if it is
/// incomplete.
std::optional<std::string_view> takeSized(std::string_view& rest) {
    constexpr std::size_t kLength = 4;
    if (rest.size() < kLength) return std::nullopt;
    std::size_t size = 0;
    for (std::size_t i = kLength; i-- > 0;) size = size << 8U | static_cast<unsigned char>(rest[i]);
    if (rest.size() - kLength < size) return std::nullopt;
    const std::string_view taken = rest.substr(kLength, size);
    rest.remove_prefix(kLength + size);
    return taken;
}

/// Reads the blocks of a report, one after the other.
class BlockReader {
public:
    BlockReader(const ImportLimits& limits, WireBudget& budget)
        : m_limits(limits), m_budget(budget) {}

    Result<void> read(std::string_view& rest) {
        const auto header = takeSized(rest);
        if (!header) return damaged("the header of a block is not complete");
        Counts counts;
        if (auto ok = readHeader(*header, counts); !ok) return ok;
        if (counts.payload > rest.size())
            return damaged(
                fmt::format("a block of {} bytes has only {}", counts.payload, rest.size()));
        std::string_view payload = rest.substr(0, static_cast<std::size_t>(counts.payload));
        rest.remove_prefix(payload.size());
        return readPayload(payload, counts);
    }

    ReportFile take() { return std::move(m_file); }

private:
    struct Counts {
        std::uint64_t sources = 0, results = 0, rangeResults = 0, payload = 0;
        std::string_view process;
    };

    Result<void> readHeader(std::string_view message, Counts& counts) {
        using namespace block_header;
        WireReader reader(message, m_budget);
        for (WireField field; reader.next(field);) {
            if (field.is(kNumSources, WireType::Varint)) counts.sources = field.value;
            if (field.is(kNumResults, WireType::Varint)) counts.results = field.value;
            if (field.is(kNumRangeResults, WireType::Varint)) counts.rangeResults = field.value;
            if (field.is(kPayloadSize, WireType::Varint)) counts.payload = field.value;
            if (field.is(kProcess, WireType::Bytes)) counts.process = field.bytes;
            if (field.is(kSessionDetails, WireType::Bytes))
                if (auto ok = readSession(field.bytes); !ok) return ok;
            if (field.is(kStringTable, WireType::Bytes))
                if (auto ok = readNames(field.bytes); !ok) return ok;
        }
        if (reader.fault() != WireFault::None) return faulty(reader, "the header of a block");
        return {};
    }

    /// Appends a block's table of names. The tables of all blocks form one table.
    Result<void> readNames(std::string_view message) {
        WireReader reader(message, m_budget);
        for (WireField field; reader.next(field);) {
            if (!field.is(string_table::kStrings, WireType::Bytes)) continue;
            if (m_file.names.size() == m_limits.maxColumns)
                return tooLarge(fmt::format("more than {} metrics", m_limits.maxColumns));
            if (field.bytes.size() > m_limits.maxCellBytes)
                return tooLarge(
                    fmt::format("a name is longer than {} bytes", m_limits.maxCellBytes));
            // Otherwise we would not know whether a repeated name adds an entry or replaces the
            // earlier one.
            if (!m_known.insert(field.bytes).second)
                return other("its tables of names contradict each other");
            m_file.names.push_back(field.bytes);
        }
        if (reader.fault() != WireFault::None) return faulty(reader, "the table of names");
        return {};
    }

    /// Reads what a block says about the session. Later blocks add to earlier ones.
    Result<void> readSession(std::string_view message) {
        using namespace session_details;
        Session& session = m_file.session;
        WireReader reader(message, m_budget);
        for (WireField field; reader.next(field);) {
            Result<void> ok;
            if (field.is(kCreationTime, WireType::Varint) && !session.created)
                session.created = field.value;
            if (field.is(kCommandLine, WireType::Bytes)) session.commandLine = field.bytes;
            if (field.is(kTargetSystemInfo, WireType::Bytes))
                ok = readText(field.bytes, system_info::kComputerName, session.computer);
            if (field.is(kProfilerSettings, WireType::Bytes))
                ok = readText(field.bytes, profiler_settings::kClockControlMode,
                              session.clockControl);
            if (field.is(kVersionInfo, WireType::Bytes)) {
                std::string_view provider, version;
                ok = readText(field.bytes, version_info::kProvider, provider);
                if (ok) ok = readText(field.bytes, version_info::kVersion, version);
                if (provider == "Nsight Compute Target") session.ncuVersion = version;
                if (provider == "CUDA Version") session.cudaVersion = version;
            }
            if (!ok) return ok;
        }
        if (reader.fault() != WireFault::None) return faulty(reader, "the session's details");
        return {};
    }

    /// Reads the text in field `number` of a message into `text`, which stays as it is without the
    /// field.
    Result<void> readText(std::string_view message, std::uint32_t number, std::string_view& text) {
        WireReader reader(message, m_budget);
        for (WireField field; reader.next(field);)
            if (field.is(number, WireType::Bytes)) text = field.bytes;
        if (reader.fault() != WireFault::None) return faulty(reader, "the session's details");
        return {};
    }

    Result<void> readPayload(std::string_view payload, const Counts& counts) {
        for (std::uint64_t i = 0; i < counts.sources; ++i)
            if (!takeSized(payload))
                return damaged(
                    fmt::format("a block lacks the {}. of {} sources", i + 1, counts.sources));
        if (counts.results > 0)
            if (auto ok = readProcess(counts.process); !ok) return ok;
        for (std::uint64_t i = 0; i < counts.results; ++i) {
            const auto message = takeSized(payload);
            if (!message)
                return damaged(
                    fmt::format("a block lacks the {}. of {} results", i + 1, counts.results));
            if (m_file.results.size() == m_limits.maxLaunches)
                return tooLarge(fmt::format("more than {} launches", m_limits.maxLaunches));
            m_file.results.push_back(
                {.message = *message,
                 .process = static_cast<std::uint32_t>(m_file.processes.size() - 1)});
        }
        // Range results are only counted. Later versions of the format may have more data after
        // them.
        for (std::uint64_t i = 0; i < counts.rangeResults && takeSized(payload); ++i)
            ++m_file.rangeResults;
        return {};
    }

    Result<void> readProcess(std::string_view message) {
        using namespace process_info;
        if (!m_file.processes.empty() && message == m_process) return {};
        m_process = message;
        ProcessInfo process;
        WireReader reader(message, m_budget);
        for (WireField field; reader.next(field);) {
            if (field.is(kProcessId, WireType::Varint)) process.pid = field.value;
            if (field.is(kHostname, WireType::Bytes)) process.host = field.bytes;
            if (field.is(kProcessName, WireType::Bytes)) process.name = field.bytes;
        }
        if (reader.fault() != WireFault::None) return faulty(reader, "a process");
        m_file.processes.push_back(process);
        return {};
    }

    const ImportLimits& m_limits;
    WireBudget& m_budget;
    ReportFile m_file;
    std::unordered_set<std::string_view> m_known;  ///< the contents of ReportFile::names
    std::string_view m_process;                    ///< process of the latest block with results
};

Result<void> readFormat(std::string_view& rest, WireBudget& budget) {
    if (!rest.starts_with(kMagic))
        return other("does not begin as a report of Nsight Compute does (NVR)");
    rest.remove_prefix(kMagic.size());
    const auto header = takeSized(rest);
    if (!header) return damaged("the file header is not complete");
    std::optional<std::uint64_t> version;
    WireReader reader(*header, budget);
    for (WireField field; reader.next(field);)
        if (field.is(file_header::kVersion, WireType::Varint)) version = field.value;
    if (reader.fault() != WireFault::None) return faulty(reader, "the file header");
    if (!version) return other("does not say which version of the format it has");
    if (*version != kFormatVersion)
        return other(fmt::format("has version {} of the format, and roofscope reads version {}",
                                 *version, kFormatVersion));
    return {};
}

Result<void> readExtents(std::string_view message, WireBudget& budget,
                         std::optional<Extents>& extents) {
    extents.emplace();
    extents->fill(0);
    WireReader reader(message, budget);
    for (WireField field; reader.next(field);)
        if (field.type == WireType::Varint && field.number <= extents->size())
            (*extents)[field.number - 1] = field.value;
    if (reader.fault() != WireFault::None) return faulty(reader, "a grid or block size");
    return {};
}

Result<void> readMetric(std::string_view message, WireBudget& budget, Metric& metric) {
    std::string_view value;
    WireReader reader(message, budget);
    for (WireField field; reader.next(field);) {
        if (field.is(metric_result::kNameId, WireType::Varint)) metric.name = field.value;
        if (field.is(metric_result::kMetricValue, WireType::Bytes)) value = field.bytes;
    }
    if (reader.fault() != WireFault::None) return faulty(reader, "a metric");
    using namespace metric_value;
    WireReader inner(value, budget);
    for (WireField field; inner.next(field);) {
        if (field.is(kString, WireType::Bytes)) metric.value = field.bytes;
        if (field.is(kFloat, WireType::Fixed32))
            metric.value =
                static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(field.value)));
        if (field.is(kDouble, WireType::Fixed64)) metric.value = std::bit_cast<double>(field.value);
        if (field.is(kUint32, WireType::Varint) || field.is(kUint64, WireType::Varint))
            metric.value = static_cast<double>(field.value);
    }
    if (inner.fault() != WireFault::None) return faulty(inner, "a metric's value");
    return {};
}

/// Appends the range names on the stacks of a thread if this message is about `thread`.
Result<void> readThread(std::string_view message, std::uint64_t thread, WireBudget& budget,
                        std::vector<std::string_view>& ranges) {
    std::optional<std::uint64_t> id;
    WireReader before(message, budget);
    for (WireField field; before.next(field);)
        if (field.is(nvtx_thread::kThreadId, WireType::Varint)) id = field.value;
    if (before.fault() != WireFault::None) return faulty(before, "NVTX ranges");
    if (id != thread) return {};
    WireReader domains(message, budget);
    for (WireField domain; domains.next(domain);) {
        if (!domain.is(nvtx_thread::kPushPopDomains, WireType::Bytes)) continue;
        WireReader stack(domain.bytes, budget);
        for (WireField range; stack.next(range);) {
            if (!range.is(nvtx_domain::kStack, WireType::Bytes)) continue;
            WireReader parts(range.bytes, budget);
            for (WireField part; parts.next(part);)
                if (part.is(nvtx_range::kName, WireType::Bytes) && ranges.size() < kMostRanges)
                    ranges.push_back(part.bytes);
            if (parts.fault() != WireFault::None) return faulty(parts, "NVTX ranges");
        }
        if (stack.fault() != WireFault::None) return faulty(stack, "NVTX ranges");
    }
    return {};
}

}  // namespace

Result<ReportFile> readReportFile(std::string_view bytes, const ImportLimits& limits,
                                  WireBudget& budget) {
    std::string_view rest = bytes;
    if (auto ok = readFormat(rest, budget); !ok) return ok.error();
    BlockReader blocks(limits, budget);
    while (!rest.empty()) {
        const std::size_t at = bytes.size() - rest.size();
        if (auto ok = blocks.read(rest); !ok) {
            Error error = ok.error();
            error.where = fmt::format("byte {}", at);
            return error;
        }
    }
    return blocks.take();
}

Result<void> readResult(std::string_view message, const ImportLimits& limits, WireBudget& budget,
                        LaunchResult& out) {
    using namespace profile_result;
    std::vector<Metric> metrics = std::move(out.metrics);  // moved out to keep its memory
    metrics.clear();
    out = {};
    out.metrics = std::move(metrics);
    std::string_view nvtx;
    WireReader reader(message, budget);
    for (WireField field; reader.next(field);) {
        Result<void> ok;
        if (field.is(kThreadId, WireType::Varint)) out.thread = field.value;
        if (field.is(kContextId, WireType::Varint)) out.context = field.value;
        if (field.is(kStreamId, WireType::Varint)) out.stream = field.value;
        if (field.is(kMangledName, WireType::Bytes)) out.mangledName = field.bytes;
        if (field.is(kFunctionName, WireType::Bytes)) out.functionName = field.bytes;
        if (field.is(kDemangledName, WireType::Bytes)) out.demangledName = field.bytes;
        if (field.is(kNvtx, WireType::Bytes)) nvtx = field.bytes;
        if (field.is(kGlobalWorkSize, WireType::Bytes))
            ok = readExtents(field.bytes, budget, out.grid);
        if (field.is(kLocalWorkSize, WireType::Bytes))
            ok = readExtents(field.bytes, budget, out.block);
        if (field.is(kMetricResults, WireType::Bytes)) {
            if (out.metrics.size() == limits.maxColumns)
                return tooLarge(
                    fmt::format("a launch has more than {} metrics", limits.maxColumns));
            ok = readMetric(field.bytes, budget, out.metrics.emplace_back());
        }
        if (!ok) return ok;
    }
    if (reader.fault() != WireFault::None) return faulty(reader, "a result");
    if (!out.thread) return {};
    WireReader threads(nvtx, budget);
    for (WireField field; threads.next(field);)
        if (field.is(nvtx_state::kThreads, WireType::Bytes))
            if (auto ok = readThread(field.bytes, *out.thread, budget, out.ranges); !ok) return ok;
    if (threads.fault() != WireFault::None) return faulty(threads, "NVTX ranges");
    return {};
}

}  // namespace roofscope::ncufile
