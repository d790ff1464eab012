// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/recording/range_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collector/inject/frameworks/frameworks.h"
#include "collector/inject/launches/open_launch.h"

namespace roofscope::inject {
namespace {

/// Limits the memory for a program that numbers its range names.
constexpr std::size_t kMostRangePaths = 10'000;

}  // namespace

void RangeRecorder::called(CUpti_CallbackId id, const CUpti_NvtxData& data) {
    const BetweenLaunches ours;
    auto event = m_events.read(id, data);
    if (!event) return;
    if (event->pushed)
        push(event->domain, std::move(*event->pushed));
    else
        pop(event->domain);
}

void RangeRecorder::push(std::uintptr_t domain, std::string name) {
    Recording& r = m_recording;
    NvtxStack& stack = NvtxStack::perThread();
    name = countedName(std::move(name));
    const bool counts = !name.empty();
    RangeTracker* const tracker = r.ranges.tracker();
    const bool wanted = counts && tracker && tracker->wants(name);
    const std::uint32_t depth = stack.tagged();
    const bool isRound =
        counts && domain == 0 && r.measuring.current().demands().rounds && stack.path().empty();
    const Inside inside;
    const auto forgotten = stack.push(domain, std::move(name));
    if (isRound)
        if (const auto state = r.state.take(); state.owns_lock())
            r.measuring.current().roundBegan(stack.path());
    endSpan(forgotten.span);
    if (forgotten.tag != 0 && tracker)
        if (const auto state = r.state.take(); state.owns_lock()) tracker->forget(forgotten.tag);
    if (CallLog* const log = r.timeline.log(); log && counts && log->followsRanges())
        beginSpan(stack, *log);
    if (wanted) measure(stack, *tracker, depth);
}

void RangeRecorder::measure(NvtxStack& stack, RangeTracker& tracker, std::uint32_t depth) {
    Recording& r = m_recording;
    CUcontext current = nullptr;
    if (tracker.measures(depth) && r.driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current &&
        !r.captures.open())
        r.driver.cuCtxSynchronize();  // launches before the range do not count
    const auto state = r.state.take();
    if (!state.owns_lock() || r.done || !r.filter.active()) return;
    std::optional<RangeTracker::Place> place;
    if (current)
        if (const KnownContext* c = r.contexts.context(current);
            c && r.filter.wantsDevice(c->ordinal))
            place = {.context = current, .device = c->device};
    if (const auto number = r.rangeNames.number(stack.path()))
        stack.tag(tracker.pushed(*number, depth, place, r.nextSequence, r.captures.open()));
}

void RangeRecorder::pop(std::uintptr_t domain) {
    Recording& r = m_recording;
    const NvtxStack::Marks marks = NvtxStack::perThread().pop(domain);
    endSpan(marks.span);
    RangeTracker* const tracker = r.ranges.tracker();
    if (marks.tag == 0 || !tracker) return;
    const Inside inside;
    std::vector<RangeTracker::Context> contexts;
    if (const auto state = r.state.take(); state.owns_lock())
        contexts = tracker->measuredIn(marks.tag);
    waitFor(contexts);
    const auto state = r.state.take();
    if (state.owns_lock() && !r.done) tracker->popped(marks.tag, r.nextSequence, r.captures.open());
}

void RangeRecorder::waitFor(const std::vector<RangeTracker::Context>& contexts) {
    // Wait here, and not inside CUPTI with the state locked: the running kernels may need
    // another thread's launch to end.
    const DriverApi& driver = m_recording.driver;
    for (const auto* handle : contexts) {
        if (m_recording.captures.open()) break;
        auto* context = static_cast<CUcontext>(const_cast<void*>(handle));
        if (driver.cuCtxPushCurrent(context) != CUDA_SUCCESS) continue;
        driver.cuCtxSynchronize();
        driver.cuCtxPopCurrent(&context);
    }
}

void RangeRecorder::beginSpan(NvtxStack& stack, CallLog& log) {
    Recording& r = m_recording;
    // While a compiler tunes, only its outermost range is recorded, not the hundreds of passes
    // inside.
    if (!r.keepsAutotuning) {
        const auto& names = stack.names();
        const auto mark = std::ranges::find(names, kAutotuningRange);
        if (names.end() - mark > 2) return;
    }
    const auto state = r.state.take();
    if (!state.owns_lock() || r.done) return;
    if (r.rangeNames.size() >= kMostRangePaths && !r.rangeNames.knows(stack.path()))
        return r.issues.once({.severity = Severity::Info,
                              .source = "inject",
                              .code = "ranges-left-out",
                              .message = fmt::format("the program has more than {} different NVTX "
                                                     "ranges: the others are not in the timeline",
                                                     kMostRangePaths)});
    if (const auto number = r.rangeNames.number(stack.path()))
        stack.follow(log.rangeBegan(*number));
}

void RangeRecorder::endSpan(std::uint64_t span) {
    CallLog* const log = m_recording.timeline.log();
    if (span == 0 || !log) return;
    log->rangeEnded(span);
    m_recording.spool.flushIfDue();
}

}  // namespace roofscope::inject
