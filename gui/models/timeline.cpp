// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "analyzer/program/activity.h"
#include "gui/models/kernel_facts.h"
#include "gui/models/number_text.h"
#include "gui/models/shown_text.h"

namespace roofscope::gui {
namespace {

/// From this width on a bar is drawn for itself.
constexpr double kWide = 3;
/// Neighbouring pixels are one piece when they are busy to the same eighth.
constexpr double kSteps = 8;

/// Where the translation finds the texts of this file.
struct TimelineText {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

QString row(const QString& label, const QString& value) {
    return QStringLiteral("<tr><td>%1</td><td align=right>&nbsp;&nbsp;<b>%2</b></td></tr>")
        .arg(label.toHtmlEscaped(), value.toHtmlEscaped());
}

/// What ran within one pixel.
struct Column {
    std::array<float, kTimelineTones> time{};
    bool selected = false;
};

QString processName(const Profile& profile, std::uint32_t index) {
    if (index >= profile.processes.size()) return TimelineText::tr("process %1").arg(index);
    const Process& process = profile.processes[index];
    QString name = process.rank ? TimelineText::tr("rank %1").arg(*process.rank)
                                : TimelineText::tr("process %1").arg(process.pid);
    if (!process.host.empty()) name += TimelineText::tr(" on %1").arg(shownText(process.host, 40));
    return name;
}

}  // namespace

std::pair<std::size_t, std::size_t> Timeline::Row::between(double from, double to) const {
    const auto first = std::lower_bound(latestEnd.begin(), latestEnd.end(), from);
    const auto last = std::upper_bound(
        bars.begin(), bars.end(), to, [](double time, const Bar& bar) { return time < bar.start; });
    const auto begin = static_cast<std::size_t>(first - latestEnd.begin());
    return {begin, std::max(begin, static_cast<std::size_t>(last - bars.begin()))};
}

static_assert(int(TimelineTone::Unknown) == int(VerdictClass::Unknown));

TimelineTone toneOf(VerdictClass verdict) { return static_cast<TimelineTone>(verdict); }

TimelineTone toneOf(TransferKind kind) {
    switch (kind) {
        case TransferKind::HostToDevice:
            return TimelineTone::ToDevice;
        case TransferKind::DeviceToHost:
            return TimelineTone::ToHost;
        case TransferKind::BetweenDevices:
            return TimelineTone::BetweenDevices;
        case TransferKind::OnDevice:
        case TransferKind::HostToHost:
        case TransferKind::Memset:
        case TransferKind::Other:
            break;
    }
    return TimelineTone::OnDevice;
}

TimelineTone toneOf(CallKind kind) {
    switch (kind) {
        case CallKind::Launch:
        case CallKind::GraphLaunch:
            return TimelineTone::LaunchCall;
        case CallKind::Wait:
            return TimelineTone::WaitCall;
        case CallKind::Transfer:
            return TimelineTone::CopyCall;
        case CallKind::Allocate:
        case CallKind::Free:
            return TimelineTone::MemoryCall;
        case CallKind::Load:
        case CallKind::Graph:
            return TimelineTone::LoadCall;
        case CallKind::Other:
            break;
    }
    return TimelineTone::OtherCall;
}

QString toneName(TimelineTone tone) {
    switch (tone) {
        case TimelineTone::ToDevice:
            return TimelineText::tr("copies to the GPU");
        case TimelineTone::ToHost:
            return TimelineText::tr("copies to the host");
        case TimelineTone::BetweenDevices:
            return TimelineText::tr("copies between GPUs");
        case TimelineTone::OnDevice:
            return TimelineText::tr("copies on the GPU, memsets");
        case TimelineTone::LaunchCall:
            return TimelineText::tr("CPU launches");
        case TimelineTone::WaitCall:
            return TimelineText::tr("CPU waits");
        case TimelineTone::CopyCall:
            return TimelineText::tr("CPU copies");
        case TimelineTone::MemoryCall:
            return TimelineText::tr("CPU allocates or frees");
        case TimelineTone::LoadCall:
            return TimelineText::tr("CPU loads code or makes graphs");
        case TimelineTone::OtherCall:
            return TimelineText::tr("other calls");
        default:
            return verdictText({.cls = static_cast<VerdictClass>(tone)});
    }
}

namespace {

/// Collects bars in the rows that they belong to.
class Builder {
public:
    explicit Builder(const Analysis& analysis)
        : m_analysis(analysis), m_profile(*analysis.profile), m_devices(firstDevices(m_profile)) {}

    Timeline build() {
        addLaunches();
        addTransfers();
        addCalls();
        for (std::size_t i = 0; i < kTimelineTones; ++i)
            if (m_occurs[i]) m_timeline.tones.push_back(static_cast<TimelineTone>(i));
        for (const auto& [key, row] : m_rows)
            if (row.process != m_rows.begin()->second.process) m_timeline.severalProcesses = true;
        for (auto& [key, row] : m_rows) finish(row);
        return std::move(m_timeline);
    }

private:
    /// Device, process, kind, lane: the threads of a process stand below its first device.
    using Key = std::tuple<std::uint32_t, std::uint32_t, Timeline::RowKind, std::uint32_t>;

    /// The first device that each process gave work.
    static std::vector<std::uint32_t> firstDevices(const Profile& profile) {
        constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
        std::vector<std::uint32_t> first(profile.processes.size(), kNone);
        for (const Launch& launch : profile.launches)
            if (launch.process < first.size())
                first[launch.process] = std::min(first[launch.process], launch.device);
        for (const Transfer& transfer : profile.timeline.transfers)
            first[transfer.process] = std::min(first[transfer.process], transfer.device);
        for (std::uint32_t& device : first)
            if (device == kNone) device = 0;
        return first;
    }

    void add(Timeline::RowKind kind, std::uint32_t device, std::uint32_t process,
             std::uint32_t lane, const Timeline::Bar& bar) {
        Timeline::Row& row = m_rows[Key{device, process, kind, lane}];
        row.kind = kind;
        row.device = device;
        row.process = process;
        row.lane = lane;
        row.bars.push_back(bar);
        m_timeline.begin = m_any ? std::min(m_timeline.begin, bar.start) : bar.start;
        m_timeline.end = m_any ? std::max(m_timeline.end, bar.end) : bar.end;
        m_any = true;
        m_occurs[static_cast<std::size_t>(bar.tone)] = true;
    }

    void addLaunches() {
        std::size_t placed = 0;
        for (std::uint32_t kernel = 0; kernel < m_analysis.kernels.size(); ++kernel) {
            const KernelAnalysis& known = m_analysis.kernels[kernel];
            for (const std::uint32_t index : known.group.launches) {
                if (index >= m_profile.launches.size()) continue;
                const Launch& launch = m_profile.launches[index];
                if (!launch.start || !launch.duration) continue;
                const double start = launch.start->value, duration = launch.duration->value;
                if (!std::isfinite(start) || !std::isfinite(duration) || duration < 0) continue;
                ++placed;
                add(Timeline::RowKind::Kernels, launch.device, launch.process, launch.stream,
                    {.start = start,
                     .end = start + duration,
                     .item = index,
                     .kernel = kernel,
                     .tone = toneOf(known.verdict.cls)});
            }
        }
        m_timeline.notPlaced = m_profile.launches.size() - placed;
    }

    void addTransfers() {
        const auto& transfers = m_profile.timeline.transfers;
        for (std::uint32_t i = 0; i < transfers.size(); ++i) {
            const Transfer& transfer = transfers[i];
            const TimelineTone tone = toneOf(transfer.kind);
            add(Timeline::RowKind::Copies, transfer.device, transfer.process,
                static_cast<std::uint32_t>(tone), bar(transfer.time, i, tone));
        }
    }

    void addCalls() {
        const roofscope::Timeline& known = m_profile.timeline;
        std::vector<std::uint32_t> processes(m_profile.processes.size());
        std::iota(processes.begin(), processes.end(), 0U);
        for (const program::ThreadActivity& thread :
             program::threadActivities(m_profile, processes)) {
            const std::uint32_t process = known.threads[thread.thread].process;
            for (const program::CpuStretch& stretch : thread.stretches)
                add(Timeline::RowKind::Calls, m_devices[process], process, thread.thread,
                    bar(stretch.time, stretch.call, toneOf(stretch.kind)));
        }
    }

    static Timeline::Bar bar(const TimeSpan& time, std::uint32_t item, TimelineTone tone) {
        return {.start = static_cast<double>(time.start) / 1e9,
                .end = static_cast<double>(time.end) / 1e9,
                .item = item,
                .tone = tone};
    }

    [[nodiscard]] QString nameOf(const Timeline::Row& row) const {
        if (row.kind == Timeline::RowKind::Calls) {
            const Thread& thread = m_profile.timeline.threads[row.lane];
            return TimelineText::tr("CPU · %1")
                .arg(thread.name.empty() ? TimelineText::tr("thread %1").arg(thread.id)
                                         : shownText(thread.name, 40));
        }
        const QString gpu = TimelineText::tr("GPU %1").arg(row.device);
        if (row.kind == Timeline::RowKind::Kernels)
            return TimelineText::tr("%1 · stream %2").arg(gpu).arg(row.lane);
        return QStringLiteral("%1 · %2").arg(gpu, toneName(static_cast<TimelineTone>(row.lane)));
    }

    void finish(Timeline::Row& row) {
        row.name = nameOf(row);
        if (m_timeline.severalProcesses)
            row.name += QStringLiteral(" · ") + processName(m_profile, row.process);
        std::sort(row.bars.begin(), row.bars.end(), [](const auto& a, const auto& b) {
            return std::tie(a.start, a.item) < std::tie(b.start, b.item);
        });
        double latest = m_timeline.begin;
        for (const Timeline::Bar& bar : row.bars)
            row.latestEnd.push_back(latest = std::max(latest, bar.end));
        m_timeline.rows.push_back(std::move(row));
    }

    const Analysis& m_analysis;
    const Profile& m_profile;
    std::vector<std::uint32_t> m_devices;  ///< by process
    std::map<Key, Timeline::Row> m_rows;
    std::array<bool, kTimelineTones> m_occurs{};
    bool m_any = false;
    Timeline m_timeline;
};

}  // namespace

Timeline buildTimeline(const Analysis& analysis) {
    return analysis.profile ? Builder(analysis).build() : Timeline();
}

std::vector<TimelinePiece> layoutTimelineRow(const Timeline::Row& row, double from, double to,
                                             int width, const std::vector<bool>& selected) {
    std::vector<TimelinePiece> pieces;
    if (width <= 0 || !(to > from)) return pieces;
    const double scale = width / (to - from);
    std::vector<Column> columns(static_cast<std::size_t>(width));
    const auto [first, last] = row.between(from, to);
    for (std::size_t i = first; i < last; ++i) {
        const Timeline::Bar& bar = row.bars[i];
        const double left = (bar.start - from) * scale, right = (bar.end - from) * scale;
        if (right < 0 || left >= width) continue;
        const bool chosen = row.kind == Timeline::RowKind::Kernels &&
                            bar.kernel < selected.size() && selected[bar.kernel];
        if (right - left >= kWide) {
            pieces.push_back({.left = std::max(left, -kWide),
                              .right = std::min(right, width + kWide),
                              .tone = bar.tone,
                              .busy = 1,
                              .selected = chosen,
                              .bar = i});
            continue;
        }
        const int end = std::min(width - 1, static_cast<int>(right));
        for (int x = std::max(0, static_cast<int>(left)); x <= end; ++x) {
            Column& column = columns[static_cast<std::size_t>(x)];
            // Even a bar of no length is there to be seen.
            const double share = std::min(right, x + 1.0) - std::max(left, double(x));
            column.time[static_cast<std::size_t>(bar.tone)] +=
                static_cast<float>(std::max(share, 1e-6));
            column.selected = column.selected || chosen;
        }
    }
    TimelinePiece piece{.busy = 0};
    for (int x = 0; x <= width; ++x) {
        TimelinePiece next{.left = double(x), .right = x + 1.0, .busy = 0};
        if (x < width) {
            const Column& column = columns[static_cast<std::size_t>(x)];
            const auto most = std::max_element(column.time.begin(), column.time.end());
            double sum = 0;
            for (const float time : column.time) sum += double(time);
            if (sum > 0) {
                next.tone = static_cast<TimelineTone>(most - column.time.begin());
                next.busy = std::ceil(std::min(sum, 1.0) * kSteps) / kSteps;
                next.selected = column.selected;
            }
        }
        if (piece.busy > 0 && next.busy == piece.busy && next.tone == piece.tone &&
            next.selected == piece.selected && x < width) {
            piece.right = next.right;
            continue;
        }
        if (piece.busy > 0) pieces.push_back(piece);
        piece = next;
    }
    return pieces;
}

std::optional<TimelineHit> hitTimelineRow(const Timeline::Row& row, double time, double slack) {
    const auto [first, last] = row.between(time - slack, time + slack);
    std::optional<TimelineHit> hit;
    double nearest = 0;
    for (std::size_t i = first; i < last; ++i) {
        const Timeline::Bar& bar = row.bars[i];
        if (bar.end < time - slack) continue;
        const double distance = std::max({0.0, bar.start - time, time - bar.end});
        const auto length = [&](std::size_t k) { return row.bars[k].end - row.bars[k].start; };
        if (!hit) {
            hit = TimelineHit{.bar = i, .others = 0};
            nearest = distance;
            continue;
        }
        ++hit->others;
        // Of those on the same pixel the longest is the one that is seen.
        if (distance < nearest || (distance == nearest && length(i) > length(hit->bar))) {
            hit->bar = i;
            nearest = distance;
        }
    }
    return hit;
}

TimelineTicks timelineTicks(double from, double to, int width, int spacing) {
    TimelineTicks ticks;
    if (!(to > from) || width <= 0) return ticks;
    const double least = (to - from) / width * spacing;
    double step = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
        if (step * factor >= least * 0.999) {
            step *= factor;
            break;
        }
    static constexpr std::array<std::pair<double, const char*>, 4> kUnits{
        {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
    // One unit for all of them: that of the largest, so that differences can be read off.
    const double largest = std::max(std::abs(from), std::abs(to));
    const auto* unit = &kUnits.back();
    for (const auto& candidate : kUnits)
        if (largest >= candidate.first) {
            unit = &candidate;
            break;
        }
    const int digits =
        std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit->first) - 1e-9)), 0, 9);
    for (double n = std::ceil(from / step - 1e-9); n * step <= to; ++n) {
        ticks.times.push_back(n * step);
        ticks.labels.push_back(QStringLiteral("%1 %2").arg(
            QString::number(n * step / unit->first, 'f', digits), QString::fromUtf8(unit->second)));
        if (ticks.times.size() > 1000) break;
    }
    return ticks;
}

namespace {

QString memoryName(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::Pageable:
            return TimelineText::tr("pageable host memory");
        case MemoryKind::Pinned:
            return TimelineText::tr("pinned host memory");
        case MemoryKind::Device:
            return TimelineText::tr("GPU memory");
        case MemoryKind::Managed:
            return TimelineText::tr("managed memory");
        case MemoryKind::Unknown:
            break;
    }
    return {};
}

QString transferName(const Transfer& transfer) {
    if (transfer.kind == TransferKind::Memset) return TimelineText::tr("memset");
    const QString from = memoryName(transfer.source), to = memoryName(transfer.target);
    if (from.isEmpty() || to.isEmpty()) return TimelineText::tr("copy");
    return TimelineText::tr("copy from %1 to %2").arg(from, to);
}

/// What a call gave the GPU; empty when that is not known.
QString workName(const Profile& profile, const Call& call) {
    if (!call.work) return {};
    if (profile.timeline.callNames[call.name].kind == CallKind::Transfer)
        return *call.work < profile.timeline.transfers.size()
                   ? transferName(profile.timeline.transfers[*call.work])
                   : QString();
    if (*call.work >= profile.launches.size()) return {};
    return shownText(profile.kernels[profile.launches[*call.work].kernel].name, 80);
}

QString transferRows(const Profile& profile, const Transfer& transfer) {
    QString html = row(TimelineText::tr("Bytes"), text(Bytes{double(transfer.bytes)}));
    if (transfer.time.length() > 0)
        html += row(
            TimelineText::tr("Rate"),
            text(BytesPerSecond{double(transfer.bytes) / double(transfer.time.length()) * 1e9}));
    html += row(TimelineText::tr("Stream"), QString::number(transfer.stream));
    if (transfer.peer && *transfer.peer < profile.devices.size())
        html += row(TimelineText::tr("Other GPU"), QString::number(*transfer.peer));
    if (transfer.fromGraph)
        html += row(TimelineText::tr("Launched by"), TimelineText::tr("a CUDA graph"));
    return html;
}

}  // namespace

QString timelineBarText(const Analysis& analysis, const Timeline::Row& in,
                        const Timeline::Bar& bar) {
    const Profile& profile = *analysis.profile;
    switch (in.kind) {
        case Timeline::RowKind::Copies:
            return text(Bytes{double(profile.timeline.transfers[bar.item].bytes)});
        case Timeline::RowKind::Calls:
            return shownText(profile.timeline.callNames[profile.timeline.calls[bar.item].name].name,
                             80);
        case Timeline::RowKind::Kernels:
            break;
    }
    return shownText(analysis.kernels[bar.kernel].name);
}

QString timelineTooltip(const Analysis& analysis, const Timeline::Row& in, const TimelineHit& hit) {
    const Timeline::Bar& bar = in.bars[hit.bar];
    const Profile& profile = *analysis.profile;
    const bool copy = in.kind == Timeline::RowKind::Copies;
    const QString title = copy ? transferName(profile.timeline.transfers[bar.item])
                               : timelineBarText(analysis, in, bar);
    QString html = QStringLiteral("<p style='white-space:pre'><b>%1</b></p><table>")
                       .arg(title.toHtmlEscaped());
    html += row(TimelineText::tr("Start"), text(Seconds{bar.start}));
    html += row(TimelineText::tr("Duration"), text(Seconds{bar.end - bar.start}));
    html += row(TimelineText::tr("Where"), in.name);
    if (copy) {
        html += transferRows(profile, profile.timeline.transfers[bar.item]);
    } else if (in.kind == Timeline::RowKind::Calls) {
        html += row(TimelineText::tr("What"), toneName(bar.tone));
        if (const QString work = workName(profile, profile.timeline.calls[bar.item]);
            !work.isEmpty())
            html += row(TimelineText::tr("Gives the GPU"), work);
    } else {
        const KernelAnalysis& kernel = analysis.kernels[bar.kernel];
        html += row(TimelineText::tr("Verdict"), verdictText(kernel.verdict));
        if (!kernel.range.empty())
            html += row(TimelineText::tr("NVTX range"), shownText(kernel.range, 80));
    }
    html += QStringLiteral("</table>");
    if (hit.others > 0)
        html += QStringLiteral("<p>%1</p>")
                    .arg(TimelineText::tr("Further ones on this pixel: %1").arg(hit.others));
    return html;
}

QString timelineGapTooltip(const Timeline::Row& in, double time) {
    const auto next =
        std::upper_bound(in.bars.begin(), in.bars.end(), time,
                         [](double t, const Timeline::Bar& bar) { return t < bar.start; });
    if (next == in.bars.begin() || next == in.bars.end()) return {};
    const double before = in.latestEnd[static_cast<std::size_t>(next - in.bars.begin()) - 1];
    if (before >= time) return {};
    const QString length = text(Seconds{next->start - before});
    QString words;
    switch (in.kind) {
        case Timeline::RowKind::Kernels:
            words = TimelineText::tr("No kernel on this stream for %1").arg(length);
            break;
        case Timeline::RowKind::Copies:
            words = TimelineText::tr("No copy of this kind for %1").arg(length);
            break;
        case Timeline::RowKind::Calls:
            words = TimelineText::tr("No call of CUDA on this thread for %1").arg(length);
            break;
    }
    return QStringLiteral("<p>%1</p>").arg(words);
}

QString noTimelineText(const Analysis& analysis) {
    const Profile& profile = *analysis.profile;
    if (profile.launches.empty()) return TimelineText::tr("This profile has no launches.");
    const bool timed =
        std::any_of(profile.launches.begin(), profile.launches.end(),
                    [](const Launch& launch) { return launch.duration.has_value(); });
    return (timed ? TimelineText::tr("This profile does not say when its launches began.")
                  : TimelineText::tr(
                        "This profile has no timing run, so it is not known when its launches "
                        "began.")) +
           QLatin1Char('\n') +
           TimelineText::tr(
               "Record it again: roofscope record makes a timing run unless --timing-repeats 0 is "
               "given.");
}

QString timelineNote(const Timeline& timeline) {
    QStringList notes;
    if (timeline.notPlaced > 0)
        notes << TimelineText::tr("Launches without a start or a duration, not shown: %1")
                     .arg(text(double(timeline.notPlaced)));
    if (timeline.severalProcesses)
        notes << TimelineText::tr(
            "Processes of merged profiles each count from the start of their own "
            "recording");
    return notes.join(QStringLiteral("   ·   "));
}

}  // namespace roofscope::gui
