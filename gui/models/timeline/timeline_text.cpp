// SPDX-License-Identifier: Apache-2.0
// Texts of a timeline: labels and tooltips of bars, and notes.
#include <algorithm>
#include <cmath>

#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/plain_tip.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/models/text/translated_texts.h"
#include "gui/models/timeline/timeline.h"
#include "profile/text/base_name.h"
#include "reports/program/action_words.h"
#include "reports/program/range_document.h"

namespace roofscope::gui {

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
        case TimelineTone::Runs:
            return TimelineText::tr("CPU runs (samples)");
        case TimelineTone::WaitsInOs:
            return TimelineText::tr("CPU waits in the system (samples)");
        case TimelineTone::Range:
            return TimelineText::tr("NVTX ranges");
        default:
            return verdictText({.cls = static_cast<VerdictClass>(tone)});
    }
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

/// The name of a range without its outer ranges.
QString rangeName(const Profile& profile, const RangeSpan& span) {
    const std::string& path = profile.ranges[span.range];
    const std::size_t last = path.rfind(" > ");
    return shownText(last == std::string::npos ? path : path.substr(last + 3), 80);
}

/// Adds the path of a range and its times on the CPU and on the GPU.
void addRange(Facts& facts, const Profile& profile, const RangeSpan& span) {
    const auto seconds = [](Nanoseconds time) { return text(Seconds{double(time) / 1e9}); };
    facts.emplace_back(TimelineText::tr("Path"), shownText(profile.ranges[span.range], 200));
    facts.emplace_back(TimelineText::tr("Push to pop"), seconds(span.time.length()));
    facts.emplace_back(TimelineText::tr("On the GPU"),
                       span.gpu ? seconds(span.gpu->length()) : TimelineText::tr("no known work"));
    if (span.gpu)
        facts.emplace_back(TimelineText::tr("Push to the end of its GPU work"),
                           seconds(std::max(span.time.end, span.gpu->end) - span.time.start));
}

/// The name of the GPU work that a call submitted; empty if unknown.
QString workName(const Profile& profile, const Call& call) {
    if (!call.work) return {};
    if (profile.timeline.callNames[call.name].kind == CallKind::Transfer)
        return *call.work < profile.timeline.transfers.size()
                   ? transferName(profile.timeline.transfers[*call.work])
                   : QString();
    if (*call.work >= profile.launches.size()) return {};
    return shownText(profile.kernels[profile.launches[*call.work].kernel].name, 80);
}

void addTransfer(Facts& facts, const Profile& profile, const Transfer& transfer) {
    facts.emplace_back(TimelineText::tr("Bytes"), text(Bytes{double(transfer.bytes)}));
    if (transfer.time.length() > 0)
        facts.emplace_back(
            TimelineText::tr("Rate"),
            text(BytesPerSecond{double(transfer.bytes) / double(transfer.time.length()) * 1e9}));
    facts.emplace_back(TimelineText::tr("Stream"), QString::number(transfer.stream));
    if (transfer.peer && *transfer.peer < profile.devices.size())
        facts.emplace_back(TimelineText::tr("Other GPU"), QString::number(*transfer.peer));
    if (transfer.fromGraph)
        facts.emplace_back(TimelineText::tr("Launched by"), TimelineText::tr("a CUDA graph"));
}

const CpuSamples& samplesOf(const Profile& profile, const program::SampledStretch& stretch) {
    return *profile.processes[stretch.process].cpuSamples;
}

/// The program's function in these samples, or what the thread is waiting for.
QString sampledFunctionName(const Profile& profile, const program::SampledStretch& stretch) {
    const auto f = program::functionOf(samplesOf(profile, stretch), stretch.stack);
    if (!f.function.empty()) return shownText(f.function, 80);
    const QString waits = shownText(waitWords(stretch.wait, shownLanguage()));
    return waits.isEmpty() ? TimelineText::tr("unknown function") : waits;
}

/// "augment (train.py:12)"
QString frameText(const CpuFrame& frame) {
    QString name = shownText(frame.function.empty() ? baseName(frame.module) : frame.function, 60);
    if (frame.file.empty()) return name;
    return TimelineText::tr("%1 (%2:%3)")
        .arg(name, shownText(baseName(frame.file), 40))
        .arg(frame.line);
}

void addSamples(Facts& facts, const Profile& profile, const program::SampledStretch& stretch) {
    const CpuSamples& samples = samplesOf(profile, stretch);
    const auto f = program::functionOf(samples, stretch.stack);
    if (!f.place.empty()) facts.emplace_back(TimelineText::tr("Line"), shownText(f.place, 80));
    if (!f.callee.empty()) facts.emplace_back(TimelineText::tr("Calls"), shownText(f.callee, 80));
    const QString waits = shownText(waitWords(stretch.wait, shownLanguage()));
    facts.emplace_back(TimelineText::tr("State"),
                       waits.isEmpty() ? TimelineText::tr("runs") : waits);
    facts.emplace_back(TimelineText::tr("Samples"), QString::number(stretch.samples));
}

/// The call stack of the first sample, innermost function first.
QString stackText(const Profile& profile, const program::SampledStretch& stretch) {
    constexpr std::size_t kMostFrames = 12;
    const CpuSamples& samples = samplesOf(profile, stretch);
    const auto& stack = samples.stacks[stretch.stack];
    QStringList frames;
    for (std::size_t i = 0; i < std::min(stack.size(), kMostFrames); ++i)
        frames << frameText(samples.frames[stack[i]]);
    if (stack.size() > kMostFrames)
        frames << TimelineText::tr("and %1 more").arg(text(double(stack.size() - kMostFrames)));
    return frames.join(QStringLiteral(" ← "));
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
        case Timeline::RowKind::Ranges:
        case Timeline::RowKind::RangesOnGpu:
            return rangeName(profile, profile.timeline.ranges[bar.item]);
        case Timeline::RowKind::Samples:
            return sampledFunctionName(profile, in.stretches[bar.item]);
        case Timeline::RowKind::Phases:
            return in.names[bar.item];
        case Timeline::RowKind::Kernels:
            break;
    }
    return shownText(analysis.kernels[bar.kernel].name);
}

QString momentOf(double seconds) {
    return QString::fromStdString(momentText(std::llround(seconds * 1e9)));
}

QString timelineBarTitle(const Analysis& analysis, const Timeline::Row& in,
                         const Timeline::Bar& bar) {
    return in.kind == Timeline::RowKind::Copies
               ? transferName(analysis.profile->timeline.transfers[bar.item])
               : timelineBarText(analysis, in, bar);
}

Facts timelineBarFacts(const Analysis& analysis, const Timeline::Row& in,
                       const Timeline::Bar& bar) {
    const Profile& profile = *analysis.profile;
    const bool copy = in.kind == Timeline::RowKind::Copies;
    Facts facts{{TimelineText::tr("Start"), momentOf(bar.start)},
                {TimelineText::tr("Duration"), text(Seconds{bar.end - bar.start})},
                {TimelineText::tr("Where"), in.name}};
    if (copy) {
        addTransfer(facts, profile, profile.timeline.transfers[bar.item]);
    } else if (in.kind == Timeline::RowKind::Phases) {
        // the name is the whole tooltip
    } else if (bar.tone == TimelineTone::Range) {
        addRange(facts, profile, profile.timeline.ranges[bar.item]);
    } else if (in.kind == Timeline::RowKind::Calls) {
        facts.emplace_back(TimelineText::tr("What"), toneName(bar.tone));
        if (const QString work = workName(profile, profile.timeline.calls[bar.item]);
            !work.isEmpty())
            facts.emplace_back(TimelineText::tr("Submits"), work);
    } else if (in.kind == Timeline::RowKind::Samples) {
        addSamples(facts, profile, in.stretches[bar.item]);
    } else {
        const KernelAnalysis& kernel = analysis.kernels[bar.kernel];
        facts.emplace_back(TimelineText::tr("Verdict"), verdictText(kernel.verdict));
        if (!kernel.range.empty())
            facts.emplace_back(TimelineText::tr("NVTX range"), shownText(kernel.range, 80));
    }
    return facts;
}

QString timelineStackText(const Analysis& analysis, const Timeline::Row& in,
                          const Timeline::Bar& bar) {
    return in.kind == Timeline::RowKind::Samples
               ? stackText(*analysis.profile, in.stretches[bar.item])
               : QString();
}

QString timelineTooltip(const Analysis& analysis, const Timeline::Row& in, const TimelineHit& hit) {
    const Timeline::Bar& bar = in.bars[hit.bar];
    QStringList below{timelineStackText(analysis, in, bar)};
    below.removeAll(QString());
    if (hit.others > 0) below << TimelineText::tr("More bars on this pixel: %1").arg(hit.others);
    return factTip(timelineBarTitle(analysis, in, bar), timelineBarFacts(analysis, in, bar),
                   below.join(QStringLiteral(" · ")));
}

QString noTimelineText(const Analysis& analysis) {
    const Profile& profile = *analysis.profile;
    if (profile.launches.empty()) return TimelineText::tr("This profile has no launches.");
    const bool timed = std::ranges::any_of(
        profile.launches, [](const Launch& launch) { return launch.duration.has_value(); });
    return (timed ? TimelineText::tr("This profile has no start times of launches.")
                  : TimelineText::tr("This profile has no timing run, so the start times of its "
                                     "launches are unknown.")) +
           QLatin1Char('\n') +
           TimelineText::tr(
               "Record it again: roofscope record makes a timing run unless --timing-repeats 0 is "
               "given.");
}

QString timelineNote(const Timeline& timeline) {
    QStringList notes;
    if (timeline.notPlaced > 0)
        notes << TimelineText::tr("Not shown, because start or duration is missing: %1 launches")
                     .arg(text(double(timeline.notPlaced)));
    if (timeline.tooDeep > 0)
        notes << TimelineText::tr("Not shown: NVTX ranges nested deeper than %1 levels: %2")
                     .arg(Timeline::kLevels)
                     .arg(text(double(timeline.tooDeep)));
    if (timeline.severalProcesses)
        notes << TimelineText::tr(
            "In a merged profile the times of each process start at its own recording");
    return notes.join(QStringLiteral("   ·   "));
}

}  // namespace roofscope::gui
