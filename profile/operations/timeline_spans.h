// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope {

/// Calls `visit(process, time)` for every moment in the processes' runs and samples; `visit` may
/// change it.
template <class Visit>
void forEachMoment(std::vector<Process>& processes, const Visit& visit) {
    for (std::uint32_t p = 0; p < processes.size(); ++p) {
        if (processes[p].cpuSamples)
            for (CpuSample& sample : processes[p].cpuSamples->samples) visit(p, sample.time);
        if (processes[p].pace)
            for (PaceMark& mark : processes[p].pace->traced) visit(p, mark.time);
        if (!processes[p].run) continue;
        ProcessRun& run = *processes[p].run;
        for (Nanoseconds* time : {&run.time.start, &run.time.end, &run.setup.start, &run.setup.end})
            visit(p, *time);
        for (auto* time : {&run.firstContext, &run.firstLaunch, &run.countedUntil})
            if (*time) visit(p, **time);
    }
}

/// Calls `visit(process, span)` for every span of the timeline; `visit` may change it.
template <class Visit>
void forEachSpan(Timeline& timeline, const Visit& visit) {
    for (Transfer& t : timeline.transfers) visit(t.process, t.time);
    for (Call& call : timeline.calls) visit(timeline.threads[call.thread].process, call.time);
    for (RangeSpan& range : timeline.ranges) {
        const std::uint32_t process = timeline.threads[range.thread].process;
        visit(process, range.time);
        if (range.gpu) visit(process, *range.gpu);
    }
    for (ProfilerSpan& span : timeline.profiler) visit(span.process, span.time);
    for (UntimedWork& work : timeline.untimed) visit(work.process, work.time);
}

}  // namespace roofscope
