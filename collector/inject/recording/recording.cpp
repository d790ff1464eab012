// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/recording/recording.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>
#include <variant>

#include "collector/inject/calls/device_launches.h"
#include "collector/inject/launches/open_launch.h"
#include "collector/inject/threads/per_thread.h"
#include "profile/text/count_text.h"

namespace roofscope::inject {
namespace {

bool takesTimes(const RunConfiguration::Mode& mode) {
    return std::holds_alternative<TimingMode>(mode);
}

}  // namespace

Recording::Recording(const CuptiApi& cuptiApi, const DriverApi& driverApi, SpoolWriter& spoolWriter,
                     std::string folder, const RunConfiguration& configuration,
                     OpenCounters openCounters, bool isLate)
    : cupti(cuptiApi),
      driver(driverApi),
      spool(spoolWriter),
      late(isLate),
      keepsAutotuning(configuration.selection.autotuning),
      state([this](const MissedEvents::News& news) { makeUp(news); }),
      issues(spoolWriter),
      contexts(cuptiApi, driverApi, spoolWriter, issues),
      kernels(driverApi, spoolWriter),
      graphs(driverApi),
      filter(configuration.selection),
      rangeNames(spoolWriter),
      arguments(driverApi, spoolWriter),
      writer(arguments, spoolWriter, captures),
      pace([&cuptiApi] {
          std::uint64_t ns = 0;
          return cuptiApi.GetTimestamp(&ns) == CUPTI_SUCCESS ? ns : 0;
      }),
      timeline(cuptiApi, spoolWriter),
      ranges(spoolWriter),
      flushes(driverApi, issues, configuration.flushCaches),
      parts{.cupti = cuptiApi,
            .driver = driverApi,
            .spool = spoolWriter,
            .writer = writer,
            .issues = issues,
            .contexts = contexts,
            .flushes = flushes,
            .ranges = ranges,
            .timeline = timeline,
            .callTimes = callTimes,
            .pinned = pinned,
            .waits = waits,
            .pace = pace,
            .captures = captures,
            .openCounters = std::move(openCounters),
            .folder = std::move(folder)},
      measuring(configuration.mode, parts),
      run(cuptiApi),
      m_timed(takesTimes(configuration.mode)),
      m_timing(m_timed) {}

void Recording::start() {
    measuring.start();
    if (filter.active()) measuring.current().wanted();
}

void Recording::replace(const RunConfiguration::Mode& mode) {
    m_timing = takesTimes(mode);
    if (m_timing && !m_timed) run.counted();
    m_timed = m_timed || m_timing;
    measuring.goOn(mode);
    if (filter.active()) measuring.current().wanted();
}

void Recording::proceed() {
    if (const auto next = measuring.current().next()) replace(*next);
}

bool Recording::goOn(const RunConfiguration::Mode& mode) {
    const Inside inside;
    if (openLaunch().depth > 0) return false;
    const std::unique_lock launches(turns, StateLock::kPatience);
    const auto locked = state.take();
    if (!launches.owns_lock() || !locked.owns_lock() || done || captures.open()) return false;
    replace(mode);
    return true;
}

void Recording::hold(bool on) {
    if (const auto locked = state.take(); locked.owns_lock()) {
        filter.setActive(!on);
        if (on) timeline.stop();
    }
    if (on) spool.pace(pace.take());
}

void Recording::finish(bool interrupted) {
    LaunchMeasurement& measurement = measuring.current();
    const auto times = m_timing && !late ? run.untilNow() : std::nullopt;
    // At exit, another thread may be stuck in a launch forever, so the wait has a limit.
    const std::unique_lock launches(turns, StateLock::kPatience);
    const auto locked = state.take();
    if (launches.owns_lock() && locked.owns_lock()) measurement.finish();
    // Set it only now: earlier, launches of other threads would make ranges that nobody records.
    // Threads that wait for the locks check `done` again.
    done = true;
    if (const std::uint64_t missed = state.missed().launches(); missed > 0)
        spool.issue({.severity = Severity::DataLoss,
                     .source = "inject",
                     .code = "launches-missed",
                     .message = fmt::format("missing from this profile: {}, because another thread "
                                            "blocked the recording for more than {} s",
                                            countText(missed, "launch", "launches"),
                                            StateLock::kPatience.count())});
    if (interrupted) return spool.flush();  // the spool's missing last line shows this
    writer.stop();
    measurement.writeRest();
    timeline.finishSamples();
    spool.pace(pace.take());
    if (times) spool.run(*times);
    spool.end({.tracedLaunch = callTimes.median(),
               .autotuningLaunches = autotuningLaunches,
               .unchosenLaunches = unchosenLaunches,
               // Allocations from before the recording are unknown.
               .pinnedBytes = m_timed && !late ? std::optional(pinned.most()) : std::nullopt});
}

void Recording::profilerSwitched(bool on) {
    const auto locked = state.take();
    if (!locked.owns_lock()) return;
    filter.setActive(on);
    if (filter.active()) measuring.current().wanted();
    if (CallLog* const log = timeline.log()) log->profilerSwitched(filter.active());
}

void Recording::contextEnds(CUcontext handle) {
    const auto locked = state.take();
    if (!locked.owns_lock()) return state.missed().context(handle);
    if (RangeTracker* const tracker = ranges.tracker()) tracker->contextEnds(handle);
    measuring.current().contextEnds(handle);
    contexts.forget(handle);
    flushes.forget(handle);
    forgetCode();  // the context's modules end with it, without an unload callback for each
}

void Recording::forgetCode() {
    writer.beforeFree();
    arguments.allocationsChanged();
    arguments.forgetHandles();
    kernels.forgetHandles();
}

void Recording::written(std::optional<CUdeviceptr> address) {
    arguments.written(address);
    writer.left();
}

void Recording::allocating(const FollowedCall& call, bool entering) {
    if (!entering)
        arguments.allocationsChanged();
    else if (call.kind == CallKind::Free)
        writer.beforeFree();
}

void Recording::codeLoaded(std::span<const std::uint8_t> cubin) {
    if (m_launchesFromKernels || !launchesFromKernels(cubin) ||
        m_launchesFromKernels.exchange(true))
        return;
    spool.issue({.severity = Severity::Info,
                 .source = "inject",
                 .code = "kernels-launch-kernels",
                 .message =
                     "kernels of this program launch kernels themselves; CUPTI does not show "
                     "those, so they are not in this profile"});
}

void Recording::codeUnloaded() {
    if (const auto locked = state.take(); locked.owns_lock())
        forgetCode();
    else
        state.missed().unload();
}

void Recording::idle(CUcontext handle) {
    LaunchMeasurement& measurement = measuring.current();
    if (!measurement.demands().turns) return;
    const std::unique_lock launches(turns, std::try_to_lock);
    if (!launches.owns_lock()) return;
    if (const auto locked = state.take(); locked.owns_lock()) measuring.current().idle(handle);
}

void Recording::noteContext(CUcontext handle) {
    struct Noted {
        CUcontext last = nullptr;
    };
    CUcontext& last = perThread<Noted>().last;
    if (!handle || handle == last) return;
    if (const auto locked = state.take(); locked.owns_lock() && contexts.context(handle))
        last = handle;
}

void Recording::report(const Issue& issue) {
    if (const auto locked = state.take(); locked.owns_lock()) issues.once(issue);
}

void Recording::makeUp(const MissedEvents::News& news) {
    // Positions of later launches no longer match those of other runs.
    if (news.launches) spool.launchesMissed(nextSequence);
    for (CUcontext handle : news.contexts) abandon(handle);
    if (news.unloads || !news.contexts.empty()) forgetCode();
}

void Recording::abandon(CUcontext handle) {
    RangeTracker* const tracker = ranges.tracker();
    bool lost = tracker && tracker->contextLost(handle);
    lost |= measuring.current().contextLost(handle);
    contexts.forget(handle);
    flushes.forget(handle);
    if (lost)
        issues.once({.severity = Severity::DataLoss,
                     .source = "inject",
                     .code = "context-lost",
                     .message = "a CUDA context was destroyed while another thread blocked the "
                                "recording: the counters of its last launches are lost"});
}

}  // namespace roofscope::inject
