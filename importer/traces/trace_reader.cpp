// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "importer/traces/json_pull.h"
#include "importer/traces/microseconds.h"

namespace roofscope::traces {
namespace {

/// Limits on names, which come from the program. Names of kernels are long; those of operators are
/// cut as in a recording.
constexpr std::size_t kLongestOperator = 128, kLongestSizes = 120, kLongestRange = 256;
constexpr std::size_t kMostTraceThreads = 100'000, kMostTraceDevices = 1024;

enum class Category : std::uint8_t {
    None,
    Kernel,
    Copy,
    Memset,
    Call,
    Operator,
    Range,
    Python,
    Overhead,
    Span,  ///< spans of the profiler itself
    Other
};

/// Older traces write "Kernel", "Memcpy", "Memset", "Runtime", "Operator".
Category categoryOf(std::string_view cat) {
    constexpr std::pair<std::string_view, Category> kCategories[] = {
        {"cpu_op", Category::Operator},
        {"ac2g", Category::Other},
        {"cuda_runtime", Category::Call},
        {"kernel", Category::Kernel},
        {"python_function", Category::Python},
        {"gpu_memcpy", Category::Copy},
        {"gpu_memset", Category::Memset},
        {"cuda_driver", Category::Call},
        {"user_annotation", Category::Range},
        {"Kernel", Category::Kernel},
        {"Memcpy", Category::Copy},
        {"Memset", Category::Memset},
        {"Runtime", Category::Call},
        {"Operator", Category::Operator},
        {"Trace", Category::Span},
        {"overhead", Category::Overhead},
    };
    for (const auto& [name, category] : kCategories)
        if (name == cat) return category;
    return Category::Other;
}

/// The members of an event that we need. One object is filled for each event in turn.
struct Event {
    char phase = 0;
    Category category = Category::None;
    std::string name, inner;  ///< `inner` is args.name, in metadata events
    std::optional<std::int64_t> pid, tid;
    std::optional<std::int64_t> start, duration;
    bool hasStart = false, hasDuration = false;
    bool fraction = false;
    std::optional<std::uint64_t> correlation, device, context, stream, registers, shared, bytes,
        target, inDevice, inContext;  ///< the last two are for copies between GPUs
    bool graphNode = false;
    std::optional<Dim3> grid, block;
    std::string sizes;

    void clear() {
        Event fresh;
        fresh.name.swap(name);
        fresh.inner.swap(inner);
        fresh.sizes.swap(sizes);
        fresh.name.clear();
        fresh.inner.clear();
        fresh.sizes.clear();
        *this = std::move(fresh);
    }
};

class Reader {
public:
    Reader(std::streambuf& source, const TraceLimits& limits, TraceRows& rows)
        : m_json(source), m_limits(limits), m_rows(rows) {}

    void run() {
        if (m_json.kind() == JsonPull::Kind::Array) {
            events();
        } else {
            m_json.enterObject();
            std::string_view key;
            while (m_json.nextKey(key)) member(key);
        }
        m_json.finish();
        for (TraceThread& thread : m_rows.threads)
            if (const auto name = m_threadNames.find({thread.pid, thread.id});
                name != m_threadNames.end())
                thread.name = name->second;
    }

private:
    using Kind = JsonPull::Kind;

    void member(std::string_view key) {
        if (key == "traceEvents") return isNext(Kind::Array) ? events() : m_json.skip();
        if (key == "deviceProperties") return isNext(Kind::Array) ? devices() : m_json.skip();
        if (key == "distributedInfo") return isNext(Kind::Object) ? distributed() : m_json.skip();
        if (key == "INFO" || key == "WARNING" || key == "ERROR")
            return isNext(Kind::Array) ? messages() : m_json.skip();
        if (key == "host_name" || key == "hostname") {
            if (const auto text = textIfAny()) m_rows.hostName = *text;
            return;
        }
        if (key == "baseTimeNanoseconds") {
            m_rows.baseTime = whole();
            return;
        }
        if (key == "cupti_version") {
            m_rows.cuptiVersion = small(whole()).value_or(0);
            return;
        }
        if (key == "cuda_driver_version") {
            m_rows.driverVersion = small(whole()).value_or(0);
            return;
        }
        m_json.skip();
    }

    // --- Values. A value of another type counts as missing. --------------------------------------
    bool isNext(Kind kind) { return m_json.kind() == kind; }

    std::optional<std::string> textIfAny() {
        if (isNext(Kind::String)) return std::string(m_json.text());
        m_json.skip();
        return std::nullopt;
    }
    std::optional<std::uint64_t> whole() {
        if (isNext(Kind::Number)) return wholeIn(m_json.number());
        m_json.skip();
        return std::nullopt;
    }
    /// A process or thread id. It may be negative, and before 2022 PyTorch wrote it as text.
    std::optional<std::int64_t> id() {
        if (!isNext(Kind::Number) && !isNext(Kind::String)) {
            m_json.skip();
            return std::nullopt;
        }
        std::string_view text = isNext(Kind::String) ? m_json.text() : m_json.number();
        const bool negative = text.starts_with('-');
        if (negative) text.remove_prefix(1);
        const auto value = wholeIn(text);
        if (!value || *value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
        return negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
    }
    static std::optional<std::uint32_t> small(std::optional<std::uint64_t> value) {
        if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
        return static_cast<std::uint32_t>(*value);
    }
    void time(bool& has, std::optional<std::int64_t>& value) {
        has = true;
        if (!isNext(Kind::Number)) return m_json.skip();
        const std::string_view text = m_json.number();
        if (const std::size_t point = text.find('.');
            point != text.npos && text.find_first_of("123456789", point) != text.npos)
            m_event.fraction = true;
        value = nanosecondsIn(text);
    }
    std::optional<Dim3> extents() {
        if (!isNext(Kind::Array)) {
            m_json.skip();
            return std::nullopt;
        }
        std::array<std::uint32_t, 3> parts{1, 1, 1};
        std::size_t count = 0;
        bool good = true;
        m_json.enterArray();
        while (m_json.nextItem()) {
            const auto part = small(whole());
            good = good && part && *part > 0 && count < parts.size();
            if (good) parts[count++] = *part;
        }
        // The product must not overflow, and no GPU launches so many.
        const double total = static_cast<double>(parts[0]) * parts[1] * parts[2];
        if (!good || count == 0 || total >= 0x1p63) return std::nullopt;
        return Dim3{parts[0], parts[1], parts[2]};
    }

    // --- Members of the trace ---------------------------------------------------------------
    void devices() {
        m_json.enterArray();
        while (m_json.nextItem()) {
            if (!isNext(Kind::Object)) {
                m_json.skip();
                continue;
            }
            std::optional<std::uint32_t> number;
            Device device;
            m_json.enterObject();
            std::string_view view;
            while (m_json.nextKey(view)) {
                const std::string key(view);
                const auto count = [&]() -> std::optional<std::uint32_t> {
                    const auto value = small(whole());
                    return value && *value > 0 ? value : std::nullopt;
                };
                constexpr std::uint32_t kMostMajor = 100;
                if (key == "id")
                    number = small(whole());
                else if (key == "name")
                    device.name = textIfAny().value_or("").substr(0, kLongestRange);
                else if (key == "totalGlobalMem")
                    device.memoryBytes = whole();
                else if (key == "computeMajor")
                    device.computeMajor =
                        static_cast<int>(std::min(small(whole()).value_or(0), kMostMajor));
                else if (key == "computeMinor")
                    device.computeMinor =
                        static_cast<int>(std::min(small(whole()).value_or(0), kMostMajor));
                else if (key == "maxThreadsPerBlock")
                    device.maxThreadsPerBlock = count();
                else if (key == "maxThreadsPerMultiprocessor")
                    device.maxThreadsPerSm = count();
                else if (key == "regsPerMultiprocessor")
                    device.registersPerSm = count();
                else if (key == "sharedMemPerMultiprocessor")
                    device.sharedPerSmBytes = count();
                else if (key == "sharedMemPerBlockOptin")
                    device.sharedPerBlockOptinBytes = count();
                else if (key == "warpSize")
                    device.warpSize = count().value_or(32);
                else if (key == "numSms")
                    device.smCount = count().value_or(0);
                else
                    m_json.skip();
            }
            constexpr std::uint32_t kWarpOfAmd = 64;
            m_rows.hip = m_rows.hip || device.warpSize == kWarpOfAmd;
            if (number && m_rows.devices.size() < kMostTraceDevices)
                m_rows.devices.insert_or_assign(*number, std::move(device));
        }
    }

    void distributed() {
        m_json.enterObject();
        std::string_view key;
        while (m_json.nextKey(key)) {
            if (key == "rank")
                m_rows.rank = small(whole());
            else if (key == "world_size")
                m_rows.worldSize = small(whole());
            else
                m_json.skip();
        }
    }

    /// Reads the profiler's messages from the time of recording.
    void messages() {
        m_json.enterArray();
        while (m_json.nextItem()) {
            if (!isNext(Kind::String)) {
                m_json.skip();
                continue;
            }
            if (m_json.text().find("CUPTI stopped early? = 1") != std::string_view::npos)
                m_rows.losses.cuptiStopped = true;
        }
    }

    // --- Events -----------------------------------------------------------------------------
    void events() {
        m_json.enterArray();
        while (m_json.nextItem()) {
            if (!isNext(Kind::Object)) {
                m_json.skip();
                continue;
            }
            m_event.clear();
            event();
            use();
        }
    }

    void event() {
        m_json.enterObject();
        std::string_view key;
        while (m_json.nextKey(key)) {
            if (key == "ph") {
                if (const auto text = isNext(Kind::String) ? m_json.text() : skipped();
                    text.size() == 1)
                    m_event.phase = text.front();
            } else if (key == "cat") {
                m_event.category = isNext(Kind::String) ? categoryOf(m_json.text())
                                                        : (m_json.skip(), Category::Other);
            } else if (key == "name") {
                if (isNext(Kind::String))
                    m_event.name = m_json.text();
                else
                    m_json.skip();
            } else if (key == "ts") {
                time(m_event.hasStart, m_event.start);
            } else if (key == "dur") {
                time(m_event.hasDuration, m_event.duration);
            } else if (key == "pid") {
                m_event.pid = id();
            } else if (key == "tid") {
                m_event.tid = id();
            } else if (key == "args" && isNext(Kind::Object) && wantsArguments()) {
                arguments();
            } else {
                m_json.skip();
            }
        }
    }
    std::string_view skipped() {
        m_json.skip();
        return {};
    }

    /// Most events are flows and Python functions, whose arguments we do not need. All known traces
    /// write phase and category first; if they come later, the arguments are read.
    [[nodiscard]] bool wantsArguments() const {
        if (m_event.phase == 's' || m_event.phase == 'f' || m_event.phase == 'i') return false;
        return m_event.category != Category::Python && m_event.category != Category::Range &&
               m_event.category != Category::Other && m_event.category != Category::Span &&
               m_event.category != Category::Overhead;
    }

    void arguments() {
        m_json.enterObject();
        std::string_view key;
        while (m_json.nextKey(key)) {
            if (key == "correlation")
                m_event.correlation = whole();
            else if (key == "device")
                m_event.device = whole();
            else if (key == "context")
                m_event.context = whole();
            else if (key == "inDevice")
                m_event.inDevice = whole();
            else if (key == "inContext")
                m_event.inContext = whole();
            else if (key == "stream")
                m_event.stream = whole();
            else if (key == "registers per thread")
                m_event.registers = whole();
            else if (key == "shared memory")
                m_event.shared = whole();
            else if (key == "grid")
                m_event.grid = extents();
            else if (key == "block")
                m_event.block = extents();
            else if (key == "bytes")
                m_event.bytes = whole();
            else if (key == "toDevice")
                m_event.target = whole();
            else if (key == "graph node id")
                m_event.graphNode = whole().value_or(0) > 0;
            else if (key == "Input Dims" || key == "Input dims")
                sizes();
            else if (key == "name" && m_event.phase != 'X')
                m_event.inner = textIfAny().value_or("");
            else
                m_json.skip();
        }
    }

    /// [[3, 8], [], [[16], [2]]] → "[3, 8], [16], [2]". Arguments that are not tensors have no
    /// size.
    void sizes() {
        constexpr std::size_t kDeepestSizes = 8;
        if (!isNext(Kind::Array)) return m_json.skip();
        std::string& all = m_event.sizes;
        bool more = false;
        std::string one;
        const auto list = [&](const auto& self, std::size_t depth) -> void {
            m_json.enterArray();
            std::string numbers;
            while (m_json.nextItem()) {
                if (isNext(Kind::Array) && depth < kDeepestSizes) {
                    self(self, depth + 1);
                } else if (isNext(Kind::Number)) {
                    const auto size = whole();
                    if (numbers.size() < kLongestSizes)
                        numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ",
                                               size ? fmt::format("{}", *size) : "?");
                } else {
                    m_json.skip();
                }
            }
            if (numbers.empty() || depth == 1) return;
            if (more || all.size() + numbers.size() + 2 > kLongestSizes) {
                if (!more) all += all.empty() ? "" : ", …";
                more = true;
                return;
            }
            all += fmt::format("{}[{}]", all.empty() ? "" : ", ", numbers);
        };
        list(list, 1);
    }

    void use() {
        const Event& e = m_event;
        if (e.phase == 'M') return metadata();
        if (e.phase != 'X') return;
        switch (e.category) {
            case Category::Kernel:
                return work(WorkKind::Kernel);
            case Category::Copy:
                return work(WorkKind::Copy);
            case Category::Memset:
                return work(WorkKind::Memset);
            case Category::Call:
                return call();
            case Category::Operator:
                m_rows.anyOperator = true;
                return frame(FrameRow::Kind::Operator, kLongestOperator);
            case Category::Range:
                return frame(FrameRow::Kind::Range, kLongestRange);
            case Category::Python:
                return frame(FrameRow::Kind::Python, JsonPull::kLongestText);
            case Category::Overhead:
                return overhead();
            case Category::Span:
            case Category::None:
            case Category::Other:
                return;
        }
    }

    void metadata() {
        if (!m_event.pid || m_event.inner.empty()) return;
        m_event.inner.resize(std::min(m_event.inner.size(), kLongestRange));
        // "stream 7" names a row of the GPU, and names that only repeat the id are useless.
        if (m_event.name == "thread_name" && m_event.tid &&
            m_threadNames.size() < kMostTraceThreads && !m_event.inner.starts_with("stream ") &&
            !m_event.inner.starts_with("thread "))
            m_threadNames[{*m_event.pid, *m_event.tid}] = m_event.inner;
    }

    /// The time of the event; nullopt if it is impossible.
    std::optional<TimeSpan> span() {
        m_rows.fractions = m_rows.fractions || m_event.fraction;
        if (!m_event.start || !m_event.duration || *m_event.duration < 0) return std::nullopt;
        // With this limit, the sum of two times does not overflow.
        constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
        if (*m_event.start < -kMost || *m_event.start > kMost || *m_event.duration > kMost)
            return std::nullopt;
        return TimeSpan{*m_event.start, *m_event.start + *m_event.duration};
    }

    void makeRoom() {
        const std::size_t rows = m_rows.work.size() + m_rows.calls.size() + m_rows.frames.size() +
                                 m_rows.overhead.size();
        if (rows >= m_limits.maxRows)
            m_json.fail(fmt::format("more than {} events", m_limits.maxRows));
        if (m_rows.names.bytes() > m_limits.maxTextBytes)
            m_json.fail(
                fmt::format("more than {} MB of different names", m_limits.maxTextBytes >> 20));
    }
    std::uint32_t nameOf(std::size_t longest) {
        const std::string_view name = m_event.name;
        return m_rows.names.numberOf(name.substr(0, longest));
    }

    void work(WorkKind kind) {
        makeRoom();
        const Event& e = m_event;
        WorkRow row{.kind = kind, .graphNode = e.graphNode};
        row.name = nameOf(JsonPull::kLongestText);
        // If the arguments lack device or stream, the event's pid and tid have the same numbers.
        const auto given = e.device ? e.device : e.inDevice;
        const auto device = small(given ? given : unsignedOf(e.pid));
        row.device = device.value_or(0);
        if (m_devices.insert(row.device).second && m_devices.size() > kMostTraceDevices)
            m_json.fail(fmt::format("work of more than {} GPUs", kMostTraceDevices));
        row.peer = kind == WorkKind::Copy ? small(e.target) : std::nullopt;
        row.context = (e.context ? e.context : e.inContext).value_or(0);
        row.stream = (e.stream ? e.stream : unsignedOf(e.tid)).value_or(0);
        row.correlation = e.correlation;
        const auto time = span();
        row.timed = time.has_value();
        row.time = time.value_or(TimeSpan{});
        row.grid = e.grid.value_or(Dim3{});
        row.block = e.block.value_or(Dim3{});
        row.registers = small(e.registers);
        constexpr std::uint64_t kMostBytes = 1ULL << 53;
        if (e.shared && *e.shared <= kMostBytes) row.shared = e.shared;
        if (e.bytes && *e.bytes <= kMostBytes) row.bytes = e.bytes;
        m_rows.losses.impossibleTimes += time ? 0 : 1;
        m_rows.losses.unsizedCopies += kind != WorkKind::Kernel && !row.bytes ? 1 : 0;
        m_rows.work.push_back(row);
    }
    static std::optional<std::uint64_t> unsignedOf(std::optional<std::int64_t> value) {
        if (!value || *value < 0) return std::nullopt;
        return static_cast<std::uint64_t>(*value);
    }

    /// The thread of the event; nullopt if the trace does not name it.
    std::optional<std::uint32_t> thread() {
        if (!m_event.pid || !m_event.tid) return std::nullopt;
        const std::pair key(*m_event.pid, *m_event.tid);
        if (m_lastThread && m_lastThread->first == key) return m_lastThread->second;
        auto known = m_threads.find(key);
        if (known == m_threads.end()) {
            if (m_threads.size() >= kMostTraceThreads)
                m_json.fail(fmt::format("more than {} threads", kMostTraceThreads));
            known = m_threads.emplace(key, static_cast<std::uint32_t>(m_rows.threads.size())).first;
            m_rows.threads.push_back({.pid = key.first, .id = key.second, .name = {}});
        }
        m_lastThread = {key, known->second};
        return known->second;
    }
    /// Records the span of a CPU event. Counts a loss and returns nullopt if time or thread is
    /// unusable.
    std::optional<std::pair<std::uint32_t, TimeSpan>> onCpu(std::uint64_t& losses) {
        makeRoom();
        const auto on = thread();
        const auto time = span();
        if (!on || !time) {
            ++losses;
            return std::nullopt;
        }
        if (!m_rows.recorded) m_rows.recorded = time;
        m_rows.recorded->start = std::min(m_rows.recorded->start, time->start);
        m_rows.recorded->end = std::max(m_rows.recorded->end, time->end);
        return std::pair(*on, *time);
    }

    void call() {
        const auto place = onCpu(m_rows.losses.calls);
        if (m_event.name.starts_with("hip")) m_rows.hip = true;
        if (!place) return;
        m_rows.calls.push_back({.name = nameOf(kLongestOperator),
                                .thread = place->first,
                                .correlation = m_event.correlation,
                                .time = place->second});
    }

    void overhead() {
        makeRoom();
        if (const auto time = span())
            m_rows.overhead.push_back({.name = nameOf(kLongestOperator),
                                       .thread = m_event.tid.value_or(0),
                                       .time = *time});
    }

    void frame(FrameRow::Kind kind, std::size_t longest) {
        const auto place = onCpu(m_rows.losses.of(kind));
        if (!place) return;
        m_rows.frames.push_back({.kind = kind,
                                 .name = nameOf(longest),
                                 .thread = place->first,
                                 .sizes = m_rows.names.numberOf(m_event.sizes),
                                 .time = place->second});
    }

    JsonPull m_json;
    const TraceLimits& m_limits;
    TraceRows& m_rows;
    Event m_event;
    std::set<std::uint32_t> m_devices;                                         ///< with work
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> m_threads;  ///< by pid and tid
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> m_threadNames;
    std::optional<std::pair<std::pair<std::int64_t, std::int64_t>, std::uint32_t>> m_lastThread;
};

}  // namespace

void readTraceRows(std::streambuf& source, const TraceLimits& limits, TraceRows& rows) {
    Reader(source, limits, rows).run();
}

}  // namespace roofscope::traces
