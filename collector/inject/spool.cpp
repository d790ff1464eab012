// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "collector/configuration/spool_keys.h"
#include "profile/file_size_guard.h"

namespace roofscope::inject {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLeastDescriptor = 200;
/// A disk may hang; a program must not do so with it when it ends.
constexpr auto kPatience = std::chrono::seconds(10);

std::size_t linesOf(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
    if (value) json[key] = *value;
}

Json numbers(std::span<const double> values) {
    Json array = Json::array();
    for (const double v : values) array.push_back(std::isfinite(v) ? Json(v) : Json(nullptr));
    return array;
}

/// A line of columns, one element per row. A column of equal numbers is that number.
class ColumnLine {
public:
    explicit ColumnLine(const char* type, std::size_t rows)
        : m_text(fmt::format(R"({{"t":"{}","rows":{})", type, rows)), m_rows(rows) {}
    /// `value` says what stands in a row.
    template <class Value>
    ColumnLine& column(const char* key, const Value& value) {
        m_text += fmt::format(R"(,"{}":)", key);
        const std::int64_t first = value(0);
        bool same = true;
        for (std::size_t i = 1; same && i < m_rows; ++i) same = value(i) == first;
        if (same) {
            m_text += fmt::to_string(first);
            return *this;
        }
        for (std::size_t i = 0; i < m_rows; ++i) {
            m_text += i == 0 ? '[' : ',';
            m_text += fmt::to_string(static_cast<std::int64_t>(value(i)));
        }
        m_text += ']';
        return *this;
    }
    /// The same for numbers that grow: each is the distance from the one before, the first whole.
    template <class Value>
    ColumnLine& growing(const char* key, const Value& value) {
        return column(key, [&](std::size_t i) {
            const auto before = i == 0 ? std::int64_t{0} : static_cast<std::int64_t>(value(i - 1));
            return static_cast<std::int64_t>(value(i)) - before;
        });
    }
    /// Columns of rows with a start and an end.
    template <class Rows>
    ColumnLine& times(const Rows& rows) {
        growing("b", [&](std::size_t i) { return rows[i].startNs; });
        return column("l", [&](std::size_t i) {
            return static_cast<std::int64_t>(rows[i].endNs - rows[i].startNs);
        });
    }
    [[nodiscard]] std::string text() const { return m_text + "}"; }

private:
    std::string m_text;
    std::size_t m_rows;
};

/// Names come from the profiled program and need not be UTF-8: bad bytes become U+FFFD.
std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

SpoolWriter::SpoolWriter(const std::string& folder) {
    // A process that execs another program keeps its id: the time makes the name unique.
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    m_name = fmt::format("{}-{:020}", getpid(), now);
    if (folder.empty()) return;
    const std::string path = fmt::format("{}/{}.spool", folder, m_name);
    const int opened = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (opened < 0) return;
    // Out of the host's way: a host that closed its standard streams must not get ours for them.
    m_file = fcntl(opened, F_DUPFD_CLOEXEC, kLeastDescriptor);
    if (m_file < 0) m_file = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(opened);
    struct stat info {};
    if (m_file >= 0 && fstat(m_file, &info) == 0) {
        m_device = info.st_dev;
        m_inode = info.st_ino;
    }
}

SpoolWriter::~SpoolWriter() {
    flush();
    if (stillOurs()) close(m_file);
}

bool SpoolWriter::stillOurs() const {
    struct stat info {};
    return m_file >= 0 && fstat(m_file, &info) == 0 && info.st_dev == m_device &&
           info.st_ino == m_inode;
}

class SpoolWriter::Turn {
public:
    explicit Turn(SpoolWriter& spool) : m_spool(spool) {
        // exit() in a signal handler may find its own thread in the midst of a line: to wait for
        // that would be for ever.
        m_ours = m_spool.m_owner != pthread_self() && m_spool.m_mutex.try_lock_for(kPatience);
        if (m_ours) m_spool.m_owner = pthread_self();
    }
    ~Turn() {
        if (!m_ours) return;
        m_spool.m_owner = pthread_t{};
        m_spool.m_mutex.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return m_ours; }

private:
    SpoolWriter& m_spool;
    bool m_ours = false;
};

void SpoolWriter::line(const std::string& text) {
    const Turn turn(*this);
    if (!turn) {
        m_dropped += linesOf(text) + 1;
        return;
    }
    m_waiting += text;
    m_waiting += '\n';
    writeWaiting();
}

void SpoolWriter::wait(const std::string& text) {
    if (const Turn turn(*this); turn)
        m_waiting += text;
    else
        m_dropped += linesOf(text);
}

void SpoolWriter::vitalLine(const std::string& text) {
    const Turn turn(*this);
    if (!turn) {
        ++m_dropped;
        return;
    }
    m_waiting += text + '\n';
    m_vital += text + '\n';
    writeWaiting();
}

void SpoolWriter::flush() {
    const Turn turn(*this);
    if (turn && anythingWaits()) writeWaiting();
}

void SpoolWriter::flushIfDue() {
    constexpr std::size_t kMuch = 32 * 1024;
    constexpr std::size_t kManyCalls = 1000;
    const Turn turn(*this);
    if (!turn || !anythingWaits()) return;
    if (m_waiting.size() >= kMuch || m_calls.size() >= kManyCalls || m_begun.size() >= kManyCalls ||
        std::chrono::steady_clock::now() - m_lastWrite >= kMostDelay)
        writeWaiting();
}

bool SpoolWriter::anythingWaits() const {
    return !m_waiting.empty() || !m_calls.empty() || !m_begun.empty() || !m_left.empty();
}

void SpoolWriter::gatherCalls() {
    if (!m_calls.empty()) {
        const auto of = [&](auto member) {
            return [this, member](std::size_t i) { return std::int64_t{m_calls[i].*member}; };
        };
        m_waiting += ColumnLine("calls", m_calls.size())
                         .column("k", of(&CallTime::name))
                         .column("th", of(&CallTime::thread))
                         .times(m_calls)
                         .growing("c", of(&CallTime::correlation))
                         .text() +
                     '\n';
        m_calls.clear();
    }
    if (!m_begun.empty()) {
        m_waiting +=
            ColumnLine("begun", m_begun.size())
                .growing("n", [&](std::size_t i) { return m_begun[i].span; })
                .column("r", [&](std::size_t i) { return std::int64_t{m_begun[i].range}; })
                .column("th", [&](std::size_t i) { return std::int64_t{m_begun[i].thread}; })
                .growing("b", [&](std::size_t i) { return m_begun[i].atNs; })
                .text() +
            '\n';
        m_begun.clear();
    }
    if (!m_left.empty()) {
        m_waiting += ColumnLine("left", m_left.size())
                         .growing("n", [&](std::size_t i) { return m_left[i].first; })
                         .growing("e", [&](std::size_t i) { return m_left[i].second; })
                         .text() +
                     '\n';
        m_left.clear();
    }
}

void SpoolWriter::writeWaiting() {
    gatherCalls();
    std::string whole = std::exchange(m_waiting, {});
    m_lastWrite = std::chrono::steady_clock::now();
    std::size_t news = 0;  // where what is told for the first time begins
    m_lost += m_dropped.exchange(0);
    if (m_lost > 0) {
        // The line before may be cut.
        const std::string before =
            fmt::format("\n{{\"t\":\"lost\",\"lines\":{}}}\n{}", m_lost, m_vital);
        whole.insert(0, before);
        news = before.size();
    }
    // A host may close every descriptor and use the number for a file of its own.
    const std::size_t done = stillOurs() ? write(whole) : 0;
    if (done >= news) {
        m_lost = 0;
        if (done == whole.size()) m_vital.clear();
    }
    m_lost += linesOf(std::string_view(whole).substr(std::max(done, news)));
}

std::size_t SpoolWriter::write(const std::string& text) const {
    const FileSizeGuard guard;
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(m_file, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;  // disk full or gone
        done += static_cast<std::size_t>(n);
    }
    return done;
}

void SpoolWriter::process(const Process& p) {
    Json json{{"t", "process"},
              {"pid", p.pid},
              {"host", p.host},
              {"cupti_path", p.cuptiPath},
              {"cupti_version", p.cuptiVersion},
              {"driver_version", p.driverVersion}};
    for (const auto& [key, member] : spool::kProcessKeys) put(json, key, p.*member);
    line(dump(json));
}

void SpoolWriter::device(std::uint32_t id, const Device& d, std::uint32_t ordinal) {
    Json json{{"t", "device"},           {"id", id},         {"ordinal", ordinal},
              {"name", d.name},          {"chip", d.chip},   {"major", d.computeMajor},
              {"minor", d.computeMinor}, {"sms", d.smCount}, {"warp", d.warpSize}};
    for (const auto& [key, member] : spool::kDeviceKeys) put(json, key, d.*member);
    for (const auto& [key, member] : spool::kDeviceSizeKeys) put(json, key, d.*member);
    if (!d.uuid.empty()) json["uuid"] = d.uuid;
    if (d.smClockMax) json["sm_hz"] = d.smClockMax->value;
    if (d.memoryClockMax) json["memory_hz"] = d.memoryClockMax->value;
    line(dump(json));
}

void SpoolWriter::peaks(std::uint32_t device, std::span<const std::string> names,
                        std::span<const double> values) {
    Json json{{"t", "peaks"}, {"d", device}};
    Json& map = json["values"] = Json::object();
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
        if (std::isfinite(values[i])) map[names[i]] = values[i];
    line(dump(json));
}

void SpoolWriter::counters(std::uint32_t device, std::span<const std::string> names,
                           std::size_t passes) {
    vitalLine(dump({{"t", "counters"},
                    {"d", device},
                    {"passes", passes},
                    {"names", std::vector<std::string>(names.begin(), names.end())}}));
}

void SpoolWriter::kernel(std::uint32_t id, const Kernel& k) {
    Json json{{"t", "kernel"}, {"id", id}, {"name", k.name}, {"symbol", k.symbol}};
    for (const auto& [key, member] : spool::kKernelKeys) put(json, key, k.*member);
    vitalLine(dump(json));
}

void SpoolWriter::callSite(const SiteRecord& site) {
    Json json{{"t", "site"}, {"count", site.count}};
    put(json, "k", site.kernel);
    if (!site.kernel) json["call"] = site.call;
    if (site.module.empty()) {
        json["file"] = site.file;
        json["function"] = site.function;
        json["line"] = site.line;
        if (site.indirect) json["indirect"] = true;
    } else {
        json["module"] = site.module;
        json["offset"] = site.offset;
    }
    line(dump(json));
}

void SpoolWriter::range(std::uint32_t id, const std::string& name) {
    vitalLine(dump({{"t", "range"}, {"id", id}, {"name", name}}));
}

void SpoolWriter::launch(std::uint64_t sequence, const LaunchFacts& l) {
    // Numbers only, and ten thousand times a second: not by way of a JSON tree.
    const auto dim = [](const char* key, const Dim3& d) {
        return fmt::format(R"(,"{}":[{},{},{}])", key, d.x, d.y, d.z);
    };
    std::string text = fmt::format(R"({{"t":"launch","n":{},"k":{},"d":{},"s":{})", sequence,
                                   l.kernel, l.device, l.stream);
    text += dim("g", l.grid) + dim("b", l.block);
    if (l.cluster) text += dim("c", *l.cluster);
    if (l.dynamicSharedBytes) text += fmt::format(R"(,"m":{})", l.dynamicSharedBytes);
    if (l.residentBlocksPerSm) text += fmt::format(R"(,"o":{})", *l.residentBlocksPerSm);
    if (l.range) text += fmt::format(R"(,"r":{})", *l.range);
    if (l.fromGraph) text += R"(,"graph":true)";
    if (l.afterSync) text += R"(,"sync":true)";
    if (!l.counted) text += R"(,"counted":false)";
    if (l.correlation) text += fmt::format(R"(,"corr":{})", *l.correlation);
    text += "}\n";
    wait(text);
}

void SpoolWriter::buffer(std::uint32_t id, const Buffer& b) {
    line(dump({{"t", "buffer"},
               {"id", id},
               {"allocation", b.allocation},
               {"offset", b.offsetBytes},
               {"bytes", b.bytes}}));
}

void SpoolWriter::arguments(std::uint64_t sequence, std::span<const BufferArgument> list) {
    std::string text = fmt::format(R"({{"t":"arguments","n":{},"l":[)", sequence);
    for (const BufferArgument& argument : list)
        text += fmt::format("{}[{},{}]", &argument == list.data() ? "" : ",", argument.buffer,
                            argument.parameter);
    text += "]}\n";
    wait(text);
}

void SpoolWriter::retract(std::uint64_t sequence) {
    vitalLine(dump({{"t", "retract"}, {"n", sequence}}));
}

void SpoolWriter::launchesMissed(std::uint64_t sequence) {
    vitalLine(dump({{"t", "missed"}, {"n", sequence}}));
}

void SpoolWriter::values(std::uint64_t sequence, std::uint32_t device,
                         std::span<const double> values) {
    line(dump({{"t", "values"}, {"n", sequence}, {"d", device}, {"v", numbers(values)}}));
}

void SpoolWriter::times(std::span<const KernelTime> times) {
    std::string lines;
    std::vector<KernelTime> plain;  // not of graphs
    for (const KernelTime& time : times) {
        if (time.node == 0) {
            plain.push_back(time);
            continue;
        }
        if (!lines.empty()) lines += '\n';
        lines += fmt::format(
            R"({{"t":"time","c":{},"b":{},"e":{},"x":{},"s":{},"node":{},"k":{},"g":[{},{},{}]}})",
            time.correlation, time.startNs, time.endNs, time.context, time.stream, time.node,
            dump(Json(time.symbol)), time.grid.x, time.grid.y, time.grid.z);
    }
    if (!plain.empty()) {
        const auto of = [&](auto member) {
            return [&plain, member](std::size_t i) { return std::int64_t{plain[i].*member}; };
        };
        if (!lines.empty()) lines += '\n';
        lines += ColumnLine("times", plain.size())
                     .growing("c", of(&KernelTime::correlation))
                     .times(plain)
                     .column("x", of(&KernelTime::context))
                     .column("s", of(&KernelTime::stream))
                     .text();
    }
    line(lines);
}

void SpoolWriter::timeline(const TimelineParts& parts) {
    Json json{{"t", "timeline"}};
    for (const auto& [name, member] : kTimelineParts) json[name] = parts.*member;
    vitalLine(dump(json));
}

void SpoolWriter::transfers(std::span<const TransferTime> transfers) {
    const auto of = [&](auto member) {
        return [transfers, member](std::size_t i) {
            return static_cast<std::int64_t>(transfers[i].*member);
        };
    };
    constexpr std::int64_t kNone = -1;
    line(ColumnLine("transfers", transfers.size())
             .column("k", of(&TransferTime::kind))
             .column("from", of(&TransferTime::source))
             .column("to", of(&TransferTime::target))
             .column("d", of(&TransferTime::device))
             .column("peer",
                     [&](std::size_t i) {
                         return transfers[i].peer ? std::int64_t{*transfers[i].peer} : kNone;
                     })
             .column("x", of(&TransferTime::context))
             .column("s", of(&TransferTime::stream))
             .column("bytes", of(&TransferTime::bytes))
             .times(transfers)
             .growing("c", of(&TransferTime::correlation))
             .column("graph", of(&TransferTime::fromGraph))
             .text());
}

void SpoolWriter::thread(std::uint32_t id, std::int64_t systemId, const std::string& name) {
    vitalLine(dump({{"t", "thread"}, {"id", id}, {"tid", systemId}, {"name", name}}));
}

void SpoolWriter::callName(std::uint32_t id, const char* name, CallKind kind) {
    vitalLine(dump({{"t", "call-name"}, {"id", id}, {"name", name}, {"kind", kind}}));
}

void SpoolWriter::call(const CallTime& call) {
    if (const Turn turn(*this); turn)
        m_calls.push_back(call);
    else
        ++m_dropped;
}

void SpoolWriter::rangeBegan(const RangeBegin& range) {
    if (const Turn turn(*this); turn)
        m_begun.push_back(range);
    else
        ++m_dropped;
}

void SpoolWriter::rangeLeft(std::uint64_t span, std::uint64_t atNs) {
    if (const Turn turn(*this); turn)
        m_left.emplace_back(span, atNs);
    else
        ++m_dropped;
}

void SpoolWriter::profilerSwitched(bool on, std::uint64_t atNs) {
    line(fmt::format(R"({{"t":"profiler","on":{},"at":{}}})", on, atNs));
}

void SpoolWriter::source(const SourceRecord& s) {
    Json rows = Json::array();
    for (const auto& row : s.rows)
        rows.push_back(Json::array({row.offset, row.file, row.line, numbers(row.values)}));
    line(dump({{"t", "source"},
               {"n", s.sequence},
               {"k", s.kernel},
               {"cubin", s.cubin},
               {"function", s.function},
               {"metrics", s.metrics},
               {"files", s.files},
               {"rows", std::move(rows)}}));
}

void SpoolWriter::samples(const SampleRecord& s) {
    Json rows = Json::array();
    for (const auto& row : s.rows) rows.push_back(Json::array({row.offset, row.samples}));
    line(dump({{"t", "samples"},
               {"n", s.sequence},
               {"k", s.kernel},
               {"reasons", s.reasons},
               {"rows", std::move(rows)}}));
}

void SpoolWriter::rangeEnded(const RangeFacts& r) {
    Json json{{"t", "range-end"}, {"r", r.range},    {"d", r.device}, {"o", r.ordinal},
              {"depth", r.depth}, {"from", r.begin}, {"to", r.end}};
    put(json, "launches", r.launches);
    put(json, "work", r.work);
    line(dump(json));
}

void SpoolWriter::rangeCounters(std::uint32_t device, std::span<const std::string> names) {
    vitalLine(dump({{"t", "range-counters"},
                    {"d", device},
                    {"names", std::vector<std::string>(names.begin(), names.end())}}));
}

void SpoolWriter::rangeValues(const RangeFacts& r, std::span<const double> values) {
    line(dump({{"t", "range-values"},
               {"r", r.range},
               {"d", r.device},
               {"o", r.ordinal},
               {"v", numbers(values)}}));
}

void SpoolWriter::issue(const Issue& i) {
    const char* severity = i.severity == Severity::Info       ? "info"
                           : i.severity == Severity::DataLoss ? "data-loss"
                                                              : "error";
    line(dump({{"t", "issue"},
               {"severity", severity},
               {"source", i.source},
               {"code", i.code},
               {"message", i.message},
               {"advice", i.advice}}));
}

void SpoolWriter::end(const Totals& totals) {
    Json json{{"t", "end"},
              {"autotuning", totals.autotuningLaunches},
              {"not_chosen", totals.unchosenLaunches}};
    if (totals.tracedLaunch) json["traced_launch_ns"] = totals.tracedLaunch->count();
    line(dump(json));
}

}  // namespace roofscope::inject
