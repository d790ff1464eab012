// SPDX-License-Identifier: Apache-2.0
/// Programs of many launches that are all short and leave the GPU nearly empty.
#include <algorithm>
#include <cstdint>

#include "analyzer/program/account/kernels_per_window.h"
#include "analyzer/program/actions/action_finder.h"

namespace roofscope::program {
namespace {

/// A step within a kernel, instead of a launch: a barrier of the grid.
constexpr Seconds kBarrier{1e-6};

/// Whether it is the program's own and each of its launches takes little of the GPU's time and SMs.
bool isTiny(const Profile& profile, const KernelAnalysis& kernel,
            const Program::KernelCounts& counts) {
    constexpr Seconds kShort{5e-6};
    constexpr std::uint64_t kPartOfSms = 4;
    const auto& group = kernel.group;
    return !isForeign(kernel.origin) && group.device < profile.devices.size() &&
           counts.time <= kShort * counts.perWindow &&
           group.grid.total() * kPartOfSms <= profile.devices[group.device].smCount;
}

}  // namespace

bool ActionFinder::tinyLaunches() {
    constexpr double kFewLaunches = 8, kSeldom = 0.5;
    constexpr std::size_t kManyRepeats = 1000;
    constexpr double kOfWindow = 0.8;  // kernels and waits for launches
    constexpr double kLeast = 0.2;     // of the window, to be saved
    // Before longer waits, the CPU does something else.
    constexpr Seconds kMostWait{20e-6};
    const Window& window = m_program.window;
    const Program::KernelCounts all = m_program.launches();
    if (!waitsForLaunches() || m_frameworks.torch || m_frameworks.xla || m_frameworks.cupy ||
        window.isWhole() || window.counted < kManyRepeats || all.perWindow >= kFewLaunches ||
        all.fromGraphs > 0 || waitsPerRepeat() >= kSeldom)
        return false;
    const Profile& profile = *m_analysis.profile;
    const KernelsPerWindow tiny =
        kernelsThat(m_analysis, m_program, [&](const KernelAnalysis& kernel) {
            return isTiny(profile, kernel, m_program.kernels[indexOf(m_analysis, kernel)]);
        });
    if (tiny.kernels.empty() || !areNearlyAll(tiny, all)) return false;  // others may be large
    const Seconds kernels = m_account.time[TimeClass::Kernels];
    const Seconds idle = m_account.time[TimeClass::IdleLaunch];
    const Seconds saved = kernels + idle - kBarrier * all.perWindow;
    if (idle > kMostWait * all.perWindow || kernels + idle < window.seconds * kOfWindow ||
        saved < window.seconds * kLeast)
        return false;
    const LaunchGroup& most = m_analysis.kernels[tiny.kernels.front()].group;
    const auto repeats = static_cast<double>(window.occurrences);
    return addInPlace(
        {.rule = "tiny-launches",
         .timeClass = TimeClass::IdleLaunch,
         .alwaysExplained = true,
         .kernels = tiny.kernels,
         .bound = saved,
         .ofKernels = kernels,
         .estimate = true,
         .sites = launchSites(tiny.kernels),
         .hostFunctions = functionsIn(TimeClass::IdleLaunch),
         .sampledTime = idle,
         .title = Words("Tiny launches one after another"),
         .sentence = Words("{launches} launches in the run, mostly of {blocks} "
                           "{blocks?block:blocks} on {sms} SMs: on average each takes {time}, and "
                           "the GPU waits {idle} for it."),
         .edit = Words("Do many of these steps in one launch: a loop in one kernel with a barrier "
                       "of the whole grid between them (cooperative groups), or __syncthreads() "
                       "where one block suffices. Or rearrange the loops so that a launch holds "
                       "what does not depend on each other: other levels, batches, earlier time "
                       "steps of other parts (skewing). A CUDA graph of many steps saves only "
                       "the waiting."),
         .args = {number("launches", repeats * all.perWindow, Unit::Count),
                  number("blocks", static_cast<double>(most.grid.total()), Unit::Count),
                  number("sms", profile.devices[most.device].smCount, Unit::Count),
                  number("time", kernels.value / all.perWindow, Unit::Seconds),
                  number("idle", idle.value / all.perWindow, Unit::Seconds)}});
}

}  // namespace roofscope::program
