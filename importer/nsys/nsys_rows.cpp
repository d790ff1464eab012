// SPDX-License-Identifier: Apache-2.0
#include "importer/nsys/nsys_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace roofscope::nsys {
namespace {

using sqlite::Database;
using sqlite::DatabaseFault;
using sqlite::Row;
using traces::CallRow;
using traces::FrameRow;
using traces::TraceRows;
using traces::WorkKind;
using traces::WorkRow;

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL",
                           kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY",
                           kMemsets = "CUPTI_ACTIVITY_KIND_MEMSET",
                           kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                           kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME", kRanges = "NVTX_EVENTS",
                           kOverhead = "PROFILER_OVERHEAD", kTexts = "StringIds";
constexpr std::size_t kLongestName = 64U << 10, kLongestRange = 256;
constexpr std::size_t kMostNsysProcesses = 4096, kMostNsysDevices = 1024,
                      kMostNsysThreads = 100'000;

/// In a serialised id, bits 24 to 47 are the process and bits 0 to 23 the thread.
std::int64_t processOf(std::int64_t id) { return (id >> 24) & 0xFFFFFF; }
std::int64_t threadOf(std::int64_t id) { return id & 0xFFFFFF; }

std::optional<std::uint32_t> small(std::optional<std::int64_t> value) {
    if (!value || *value < 0 || *value > std::numeric_limits<std::uint32_t>::max())
        return std::nullopt;
    return static_cast<std::uint32_t>(*value);
}
std::optional<std::uint32_t> positive(std::optional<std::int64_t> value) {
    const auto number = small(value);
    return number && *number > 0 ? number : std::nullopt;
}

/// Nullopt if the times are impossible.
std::optional<TimeSpan> spanOf(std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
    // With this limit, the sum of two times does not overflow.
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
    if (!start || !end || *end < *start || *start < -kMost || *end > kMost) return std::nullopt;
    return TimeSpan{*start, *end};
}

/// The directions in CUPTI's names of copies, by CUDA_MEMCPY_OPER.
constexpr std::array<std::string_view, 11> kWays{"",     "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                                 "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
/// Kinds of copies that move pages of managed memory.
constexpr std::int64_t kFirstOfPages = 11, kLastOfPages = 13;
/// CUPTI's names of memory kinds, by CUDA_MEM_KIND.
constexpr std::array<std::string_view, 7> kMemories{
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"};

class NsysReader {
public:
    NsysReader(Database& database, const traces::TraceLimits& limits, RowsOfProcesses& rows)
        : m_db(database), m_limits(limits), m_processes(rows) {}

    void run() {
        noteTexts();
        readTexts();
        readSystem();
        readKernels();
        readCopies();
        readMemsets();
        readGraphs();
        if (m_processes.empty()) return;
        readCalls();
        readRanges();
        readOverhead();
        readThreadNames();
        for (auto& [pid, rows] : m_processes) finish(rows);
    }

private:
    // --- Texts ----------------------------------------------------------------------------------
    /// Notes the texts that we need. Most texts in the file belong to call stacks.
    void noteTexts() {
        const auto note = [&](std::string_view table,
                              const std::vector<std::string_view>& columns) {
            m_db.read(table, columns, [&](const Row& row) {
                for (std::size_t i = 0; i < columns.size(); ++i)
                    if (const auto id = row.whole(i)) m_texts.try_emplace(*id);
                if (m_texts.size() > m_limits.maxRows) tooMany();
            });
        };
        note(kKernels, {"demangledName", "shortName", "mangledName"});
        note(kCalls, {"nameId"});
        note(kRanges, {"textId"});
        note(kOverhead, {"nameId"});
        note("ThreadNames", {"nameId"});
    }

    void readTexts() {
        std::uint64_t bytes = 0;
        m_db.read(kTexts, {"id", "value"}, [&](const Row& row) {
            const auto id = row.whole(0);
            const auto value = row.text(1);
            if (!id || !value) return;
            const auto wanted = m_texts.find(*id);
            if (wanted == m_texts.end()) return;
            wanted->second = value->substr(0, kLongestName);
            bytes += wanted->second.size();
            if (bytes > m_limits.maxTextBytes)
                throw DatabaseFault{
                    fmt::format("more than {} MB of different names", m_limits.maxTextBytes >> 20),
                    "table StringIds"};
        });
    }

    [[nodiscard]] const std::string& textOf(std::optional<std::int64_t> id) const {
        static const std::string kEmpty;
        if (!id) return kEmpty;
        const auto known = m_texts.find(*id);
        return known == m_texts.end() ? kEmpty : known->second;
    }

    // --- Machine --------------------------------------------------------------------------------
    void readSystem() {
        m_db.read("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](const Row& row) {
            if (const auto time = row.whole(0); time && *time > 0)
                m_baseTime = static_cast<std::uint64_t>(*time);
        });
        m_db.read("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, [&](const Row& row) {
            const auto name = row.text(0), value = row.text(1);
            if (name == "Hostname" && value) m_host = value->substr(0, kLongestRange);
            if (name == "CudaDriverVersion" && value) {
                std::uint32_t version = 0;
                for (const char c : value->substr(0, 6))
                    if (c >= '0' && c <= '9') version = version * 10 + std::uint32_t(c - '0');
                m_driver = version;
            }
        });
        m_db.read(
            "TARGET_INFO_GPU",
            {"id", "name", "chipName", "uuid", "smCount", "totalMemory", "l2CacheSize", "clockRate",
             "maxRegistersPerSm", "maxShmemPerSm", "maxShmemPerBlockOptin", "maxThreadsPerBlock",
             "maxBlocksPerSm", "maxWarpsPerSm", "threadsPerWarp", "computeMajor", "computeMinor"},
            [&](const Row& row) { addDevice(row); });
        m_db.read("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"}, [&](const Row& row) {
            const auto number = small(row.whole(1)), gpu = small(row.whole(2));
            if (row.whole(0) && number && gpu && m_gpuOf.size() < kMostNsysThreads)
                m_gpuOf[{*row.whole(0), *number}] = *gpu;
        });
    }

    void addDevice(const Row& row) {
        const auto id = small(row.whole(0));
        if (!id || m_devices.size() >= kMostNsysDevices) return;
        constexpr std::uint32_t kMostMajor = 100;
        const auto text = [&](std::size_t column) {
            return std::string(row.text(column).value_or("").substr(0, kLongestRange));
        };
        Device device;
        device.name = text(1);
        device.chip = text(2);
        if (const std::string uuid = text(3); !uuid.empty())
            device.uuid = uuid.starts_with("GPU-") ? uuid : "GPU-" + uuid;
        device.smCount = small(row.whole(4)).value_or(0);
        const auto bytes = [&](std::size_t column) -> std::optional<std::uint64_t> {
            const auto value = row.whole(column);
            if (!value || *value <= 0 || *value > (std::int64_t{1} << 53)) return std::nullopt;
            return static_cast<std::uint64_t>(*value);
        };
        device.memoryBytes = bytes(5);
        device.l2Bytes = bytes(6);
        if (const auto clock = bytes(7)) device.smClockMax = Hertz{static_cast<double>(*clock)};
        device.registersPerSm = positive(row.whole(8));
        device.sharedPerSmBytes = positive(row.whole(9));
        device.sharedPerBlockOptinBytes = positive(row.whole(10));
        device.maxThreadsPerBlock = positive(row.whole(11));
        device.maxBlocksPerSm = positive(row.whole(12));
        const auto warps = positive(row.whole(13)), warp = positive(row.whole(14));
        constexpr std::uint32_t kMostWarps = 1024;
        if (warp && *warp <= kMostWarps) device.warpSize = *warp;
        if (warps && *warps <= kMostWarps) device.maxThreadsPerSm = *warps * device.warpSize;
        device.computeMajor =
            static_cast<int>(std::min(small(row.whole(15)).value_or(0), kMostMajor));
        device.computeMinor =
            static_cast<int>(std::min(small(row.whole(16)).value_or(0), kMostMajor));
        m_devices.insert_or_assign(*id, std::move(device));
    }

    // --- GPU work --------------------------------------------------------------------------------
    [[noreturn]] void tooMany() const {
        throw DatabaseFault{fmt::format("more than {} events", m_limits.maxRows), {}};
    }
    void makeRoom() {
        if (++m_rows > m_limits.maxRows) tooMany();
    }

    TraceRows& rowsOf(std::int64_t pid) {
        if (m_last && m_last->first == pid) return *m_last->second;
        TraceRows& rows = m_processes[pid];
        if (m_processes.size() > kMostNsysProcesses)
            throw DatabaseFault{fmt::format("more than {} processes", kMostNsysProcesses), {}};
        m_last = {pid, &rows};
        return rows;
    }
    /// A database without a column of processes has only one process.
    static std::int64_t pidOf(std::optional<std::int64_t> id) { return id ? processOf(*id) : 0; }

    std::uint32_t deviceOf(std::int64_t pid, std::optional<std::int64_t> id) {
        std::uint32_t number = small(id).value_or(0);
        if (const auto gpu = m_gpuOf.find({pid, number}); gpu != m_gpuOf.end())
            number = gpu->second;
        m_used.try_emplace(number);
        if (m_used.size() > kMostNsysDevices)
            throw DatabaseFault{fmt::format("work of more than {} GPUs", kMostNsysDevices), {}};
        return number;
    }

    /// Adds work on the GPU. The first eight columns are the same in all tables.
    WorkRow& addWork(WorkKind kind, const Row& row, TraceRows& rows, std::int64_t pid) {
        makeRoom();
        WorkRow& work = rows.work.emplace_back();
        work.kind = kind;
        const auto time = spanOf(row.whole(0), row.whole(1));
        // CUPTI writes 0 for an unknown time.
        work.timed = time && (time->start != 0 || time->end != 0);
        work.time = work.timed ? *time : TimeSpan{};
        rows.losses.impossibleTimes += work.timed ? 0 : 1;
        work.device = deviceOf(pid, row.whole(2));
        work.context = small(row.whole(3)).value_or(0);
        work.stream = small(row.whole(4)).value_or(0);
        if (const auto correlation = row.whole(5); correlation && *correlation > 0)
            work.correlation = static_cast<std::uint64_t>(*correlation);
        work.graphNode = row.whole(7).value_or(0) > 0;
        return work;
    }
    static std::vector<std::string_view> workColumns(std::vector<std::string_view> more) {
        std::vector<std::string_view> all{"start",    "end",           "deviceId",  "contextId",
                                          "streamId", "correlationId", "globalPid", "graphNodeId"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    void readKernels() {
        m_db.read(kKernels,
                  workColumns({"demangledName", "shortName", "mangledName", "registersPerThread",
                               "staticSharedMemory", "dynamicSharedMemory", "gridX", "gridY",
                               "gridZ", "blockX", "blockY", "blockZ"}),
                  [&](const Row& row) {
                      const std::int64_t pid = pidOf(row.whole(6));
                      TraceRows& rows = rowsOf(pid);
                      WorkRow& work = addWork(WorkKind::Kernel, row, rows, pid);
                      const std::string& full = textOf(row.whole(8));
                      work.name = rows.names.numberOf(full.empty() ? textOf(row.whole(9)) : full);
                      work.symbol = rows.names.numberOf(textOf(row.whole(10)));
                      work.registers = positive(row.whole(11));
                      work.staticShared = small(row.whole(12));
                      if (const auto shared = small(row.whole(13))) work.shared = *shared;
                      const auto extent = [&](std::size_t column) {
                          return Dim3{positive(row.whole(column)).value_or(1),
                                      positive(row.whole(column + 1)).value_or(1),
                                      positive(row.whole(column + 2)).value_or(1)};
                      };
                      work.grid = possible(extent(14));
                      work.block = possible(extent(17));
                  });
    }
    /// Zero if impossible: the product must not overflow, and no GPU launches so many.
    static Dim3 possible(Dim3 d) {
        return static_cast<double>(d.x) * d.y * d.z < 0x1p63 ? d : Dim3{};
    }

    void readBytes(WorkRow& work, std::optional<std::int64_t> bytes, TraceRows& rows) {
        constexpr std::int64_t kMostBytes = std::int64_t{1} << 53;
        if (bytes && *bytes >= 0 && *bytes <= kMostBytes)
            work.bytes = static_cast<std::uint64_t>(*bytes);
        else
            ++rows.losses.unsizedCopies;
    }

    void readCopies() {
        m_db.read(kCopies, workColumns({"bytes", "copyKind", "srcKind", "dstKind", "dstDeviceId"}),
                  [&](const Row& row) {
                      const std::int64_t pid = pidOf(row.whole(6));
                      TraceRows& rows = rowsOf(pid);
                      const std::int64_t kind = row.whole(9).value_or(0);
                      if (kind >= kFirstOfPages && kind <= kLastOfPages) {
                          ++rows.losses.pageMoves;
                          return;
                      }
                      WorkRow& work = addWork(WorkKind::Copy, row, rows, pid);
                      readBytes(work, row.whole(8), rows);
                      const auto side = [&](std::size_t column) -> std::string_view {
                          const auto memory = row.whole(column);
                          return memory && *memory >= 0 && *memory < std::int64_t(kMemories.size())
                                     ? kMemories[static_cast<std::size_t>(*memory)]
                                     : "Unknown";
                      };
                      const bool known = kind > 0 && kind < std::int64_t(kWays.size());
                      work.name = rows.names.numberOf(fmt::format(
                          "Memcpy {} ({} -> {})",
                          known ? kWays[static_cast<std::size_t>(kind)] : "", side(10), side(11)));
                      if (row.whole(12)) work.peer = deviceOf(pid, row.whole(12));
                  });
    }

    void readMemsets() {
        m_db.read(kMemsets, workColumns({"bytes"}), [&](const Row& row) {
            const std::int64_t pid = pidOf(row.whole(6));
            TraceRows& rows = rowsOf(pid);
            WorkRow& work = addWork(WorkKind::Memset, row, rows, pid);
            readBytes(work, row.whole(8), rows);
            work.name = rows.names.numberOf("Memset");
        });
    }

    /// Reads graphs that were recorded as a whole, without the work inside them.
    void readGraphs() {
        m_db.read(kGraphs, {"start", "end", "deviceId", "globalPid"}, [&](const Row& row) {
            const std::int64_t pid = pidOf(row.whole(3));
            TraceRows& rows = rowsOf(pid);
            makeRoom();
            ++rows.losses.wholeGraphs;
            if (const auto time = spanOf(row.whole(0), row.whole(1)))
                rows.wholeGraphs.push_back({.device = deviceOf(pid, row.whole(2)), .time = *time});
        });
    }

    // --- CPU -------------------------------------------------------------------------------------
    /// The rows of a thread's process; null if the process has no GPU work.
    TraceRows* rowsOfThread(std::int64_t id) {
        std::int64_t pid = processOf(id);
        if (m_processes.contains(0) && m_processes.size() == 1) pid = 0;
        const auto known = m_processes.find(pid);
        return known == m_processes.end() ? nullptr : &known->second;
    }

    std::uint32_t threadIn(TraceRows& rows, std::int64_t id) {
        const auto [known, isNew] =
            m_threads.try_emplace(id, static_cast<std::uint32_t>(rows.threads.size()));
        if (isNew) {
            if (m_threads.size() > kMostNsysThreads)
                throw DatabaseFault{fmt::format("more than {} threads", kMostNsysThreads), {}};
            rows.threads.push_back({.pid = processOf(id), .id = threadOf(id), .name = {}});
        }
        return known->second;
    }

    static void noteRecorded(TraceRows& rows, const TimeSpan& time) {
        if (!rows.recorded) rows.recorded = time;
        rows.recorded = TimeSpan{std::min(rows.recorded->start, time.start),
                                 std::max(rows.recorded->end, time.end)};
    }

    void readCalls() {
        m_db.read(kCalls, {"start", "end", "globalTid", "correlationId", "nameId"},
                  [&](const Row& row) { readCall(row); });
    }

    void readCall(const Row& row) {
        const auto id = row.whole(2);
        TraceRows* const rows = id ? rowsOfThread(*id) : &m_processes.begin()->second;
        if (!rows) return;
        makeRoom();
        const auto time = spanOf(row.whole(0), row.whole(1));
        if (!time || !id) {
            ++rows->losses.calls;
            return;
        }
        noteRecorded(*rows, *time);
        CallRow call;
        call.name =
            rows->names.numberOf(std::string_view(textOf(row.whole(4))).substr(0, kLongestRange));
        call.thread = threadIn(*rows, *id);
        call.time = *time;
        if (const auto correlation = row.whole(3); correlation && *correlation > 0)
            call.correlation = static_cast<std::uint64_t>(*correlation);
        // nsys 2022 writes a call twice if it recorded two stacks for it; one is inside the other.
        if (!rows->calls.empty() && call.correlation) {
            const CallRow& last = rows->calls.back();
            if (last.correlation == call.correlation && last.thread == call.thread &&
                last.time.start <= call.time.start && call.time.end <= last.time.end)
                return;
        }
        rows->calls.push_back(call);
    }

    /// Reads push/pop ranges. Start/end ranges may cross threads and overlap; marks have no length.
    void readRanges() {
        constexpr std::int64_t kPushPop = 59, kPushPopOfText = 70;
        struct OpenRange {
            std::int64_t start = 0, thread = 0;
            std::string name;
        };
        std::vector<OpenRange> open;
        m_db.read(kRanges, {"start", "end", "globalTid", "eventType", "text", "textId"},
                  [&](const Row& row) {
                      const auto type = row.whole(3), id = row.whole(2);
                      if ((type != kPushPop && type != kPushPopOfText) || !id) return;
                      TraceRows* const rows = rowsOfThread(*id);
                      if (!rows) return;
                      makeRoom();
                      const std::string_view name =
                          row.text(4).value_or(textOf(row.whole(5))).substr(0, kLongestRange);
                      if (row.whole(0) && !row.whole(1)) {
                          open.push_back({*row.whole(0), *id, std::string(name)});
                          return;
                      }
                      addRange(*rows, spanOf(row.whole(0), row.whole(1)), *id, name);
                  });
        for (auto& [pid, rows] : m_processes) rows.anyOperator = m_db.has(kRanges);
        // A range that was never popped ends with the recording.
        for (const OpenRange& range : open) {
            TraceRows& rows = *rowsOfThread(range.thread);
            const Nanoseconds end =
                rows.recorded ? std::max(rows.recorded->end, range.start) : range.start;
            addRange(rows, spanOf(range.start, end), range.thread, range.name);
        }
    }
    void addRange(TraceRows& rows, const std::optional<TimeSpan>& time, std::int64_t thread,
                  std::string_view name) {
        if (!time) {
            ++rows.losses.ranges;
            return;
        }
        noteRecorded(rows, *time);
        rows.frames.push_back({.kind = FrameRow::Kind::Range,
                               .name = rows.names.numberOf(name),
                               .thread = threadIn(rows, thread),
                               .time = *time});
    }

    /// Reads nsys's own work in threads that call CUDA.
    void readOverhead() {
        m_db.read(kOverhead, {"start", "end", "globalTid", "nameId"}, [&](const Row& row) {
            const auto id = row.whole(2);
            const auto time = spanOf(row.whole(0), row.whole(1));
            if (!id || !time || !m_threads.contains(*id)) return;
            TraceRows* const rows = rowsOfThread(*id);
            if (!rows) return;
            makeRoom();
            rows->overhead.push_back(
                {.name = rows->names.numberOf(
                     std::string_view(textOf(row.whole(3))).substr(0, kLongestRange)),
                 .thread = threadOf(*id),
                 .time = *time});
        });
    }

    void readThreadNames() {
        m_db.read("ThreadNames", {"globalTid", "nameId"}, [&](const Row& row) {
            const auto id = row.whole(0);
            if (!id) return;
            const auto known = m_threads.find(*id);
            TraceRows* const rows = rowsOfThread(*id);
            if (known != m_threads.end() && rows && known->second < rows->threads.size())
                rows->threads[known->second].name = textOf(row.whole(1)).substr(0, kLongestRange);
        });
    }

    void finish(TraceRows& rows) const {
        rows.source = traces::TraceSource::NsightSystems;
        rows.fractions = true;
        rows.hostName = m_host;
        rows.baseTime = m_baseTime;
        rows.driverVersion = m_driver;
        rows.devices = m_devices;
    }

    Database& m_db;
    const traces::TraceLimits& m_limits;
    RowsOfProcesses& m_processes;
    std::uint64_t m_rows = 0;
    std::unordered_map<std::int64_t, std::string> m_texts;  ///< the texts that tables refer to
    std::optional<std::pair<std::int64_t, TraceRows*>> m_last;
    std::unordered_map<std::int64_t, std::uint32_t> m_threads;  ///< by serialised id of the thread
    std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> m_gpuOf;
    std::map<std::uint32_t, Device> m_devices;
    std::map<std::uint32_t, bool> m_used;  ///< devices that had work
    std::optional<std::uint64_t> m_baseTime;
    std::string m_host;
    std::uint32_t m_driver = 0;
};

}  // namespace

bool isOfNsys(const Database& database) {
    return database.has(kTexts) &&
           (database.has("ANALYSIS_DETAILS") || database.has("TARGET_INFO_SESSION_START_TIME") ||
            database.has(kKernels) || database.has("META_DATA_EXPORT"));
}

void readRows(Database& database, const traces::TraceLimits& limits, RowsOfProcesses& rows) {
    NsysReader(database, limits, rows).run();
}

}  // namespace roofscope::nsys
