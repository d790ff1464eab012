// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "profile/model/timeline.h"

namespace roofscope {

/// Calls `visit(process, span)` for every span of the timeline, which it may change.
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
}

}  // namespace roofscope
