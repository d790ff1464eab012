// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline/launch_facts.h"

#include <algorithm>
#include <cmath>

#include "analyzer/program/account/sites.h"
#include "analyzer/program/window/activity.h"
#include "gui/models/kernels/counter_unit.h"
#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_text.h"
#include "gui/models/text/translated_texts.h"

namespace roofscope::gui {
namespace {

const Call* callOfLaunch(const Profile& profile, const Timeline& timeline, std::uint32_t launch) {
    if (launch >= timeline.callOf.size() || timeline.callOf[launch] == Timeline::kNoCall)
        return nullptr;
    return &profile.timeline.calls[timeline.callOf[launch]];
}

void addShape(Facts& facts, const Launch& launch, const Kernel& kernel) {
    facts.emplace_back(TimelineText::tr("Grid"), text(launch.grid));
    facts.emplace_back(TimelineText::tr("Block"), text(launch.block));
    if (launch.cluster) facts.emplace_back(TimelineText::tr("Cluster"), text(*launch.cluster));
    if (kernel.registersPerThread)
        facts.emplace_back(TimelineText::tr("Registers"),
                           QString::number(*kernel.registersPerThread));
    if (const std::uint64_t shared =
            launch.dynamicSharedBytes + kernel.staticSharedBytes.value_or(0);
        shared > 0)
        facts.emplace_back(TimelineText::tr("Shared memory"), sizeText(shared));
}

void addCall(Facts& facts, const Profile& profile, const Timeline& timeline, std::uint32_t launch) {
    const Call* call = callOfLaunch(profile, timeline, launch);
    if (!call) {
        if (profile.launches[launch].fromGraph)
            facts.emplace_back(TimelineText::tr("Launched by"), TimelineText::tr("a CUDA graph"));
        return;
    }
    const double called = double(call->time.start) / 1e9;
    facts.emplace_back(TimelineText::tr("Called"), momentOf(called));
    facts.emplace_back(TimelineText::tr("By"),
                       shownText(profile.timeline.callNames[call->name].name, 80));
    facts.emplace_back(TimelineText::tr("Call took"),
                       text(Seconds{double(call->time.length()) / 1e9}));
    if (const auto delay = launchDelay(profile, timeline, launch))
        facts.emplace_back(TimelineText::tr("From call to start"), text(*delay));
    const double queued = profile.launches[launch].start->value - double(call->time.end) / 1e9;
    if (queued > 0)
        facts.emplace_back(TimelineText::tr("Queued after the call"), text(Seconds{queued}));
}

/// Adds the source line that launches this kernel in this shape, if there is exactly one.
void addSite(Facts& facts, const Profile& profile, const Launch& launch) {
    const LaunchShape shape{.grid = launch.grid, .block = launch.block};
    const CallSite* only = nullptr;
    for (const CallSite& site : profile.callSites) {
        if (site.kernel != launch.kernel || site.shape.value_or(shape) != shape) continue;
        if (only) return;
        only = &site;
    }
    if (only) facts.emplace_back(TimelineText::tr("At"), shownText(program::siteText(*only), 80));
}

}  // namespace

std::optional<Seconds> launchDelay(const Profile& profile, const Timeline& timeline,
                                   std::uint32_t launch) {
    const Call* call = callOfLaunch(profile, timeline, launch);
    if (!call || !profile.launches[launch].start) return std::nullopt;
    return Seconds{profile.launches[launch].start->value - double(call->time.start) / 1e9};
}

LaunchFacts launchFacts(const Analysis& analysis, const Timeline& timeline, std::uint32_t index,
                        std::size_t kernel) {
    const Profile& profile = *analysis.profile;
    const Launch& launch = profile.launches[index];
    const KernelAnalysis& all = analysis.kernels[kernel];
    LaunchFacts shown{.launch = index,
                      .kernel = kernel,
                      .name = shownText(all.name),
                      .place = {},
                      .facts = {},
                      .counters = {}};
    std::size_t number = 1, timed = 0;
    for (const std::uint32_t row : all.group.launches) {
        const Launch& other = profile.launches[row];
        if (!other.start || !other.duration) continue;
        ++timed;
        number += other.start->value < launch.start.value_or(Seconds{}).value;
    }
    QStringList place{
        TimelineText::tr("launch %1 of %2").arg(text(double(number)), text(double(timed)))};
    if (const auto span = program::spanOf(launch))
        place << repeatText(timeline, {span->start, std::max(span->end, span->start + 1)});
    place.removeAll(QString());
    shown.place = place.join(QStringLiteral(" · "));
    Facts& facts = shown.facts;
    if (launch.start) facts.emplace_back(TimelineText::tr("Start"), momentOf(launch.start->value));
    if (launch.duration) {
        facts.emplace_back(TimelineText::tr("Duration"), text(*launch.duration));
        if (all.quantities.duration.count > 1)
            facts.emplace_back(TimelineText::tr("Kernel's median"),
                               text(all.quantities.duration.median));
    }
    addShape(facts, launch, profile.kernels[launch.kernel]);
    facts.emplace_back(
        TimelineText::tr("Where"),
        TimelineText::tr("GPU %1 · stream %2").arg(launch.device).arg(launch.stream));
    addCall(facts, profile, timeline, index);
    addSite(facts, profile, launch);
    if (launch.range)
        facts.emplace_back(TimelineText::tr("NVTX range"),
                           shownText(profile.ranges[*launch.range], 80));
    facts.emplace_back(TimelineText::tr("Verdict"), verdictText(all.verdict));
    for (const std::string& name : profile.counters.names())
        if (const auto value = profile.counters.value(name, index)) {
            const QString counter = shownText(name);
            shown.counters.emplace_back(counter, exactCounterText(counter, *value));
        }
    return shown;
}

QString LaunchFacts::text() const {
    QString lines = name + u'\n' + place + u'\n';
    for (const Facts* part : {&facts, &counters})
        for (const auto& [label, value] : *part)
            lines += QStringLiteral("%1: %2\n").arg(label, value);
    return lines;
}

}  // namespace roofscope::gui
