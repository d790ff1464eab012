// SPDX-License-Identifier: Apache-2.0
/// Arrays whose order of dimensions does not fit the operators on them.
#include "analyzer/program/actions/action_finder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analyzer/chains/buffer_access.h"
#include "analyzer/quantities/coalescing.h"

namespace roofscope::program {
namespace {

constexpr const char* kUncoalesced = "global-uncoalesced";

/// What the finding promises for the launches of a window; 0 without it.
Seconds gainOf(const KernelAnalysis& kernel, double launches) {
    const auto found = std::ranges::find(kernel.findings, kUncoalesced, &Finding::ruleId);
    return found == kernel.findings.end() || found->minor || !found->gain.has()
               ? Seconds{}
               : *found->gain * launches;
}

/// Whether a launch has the shape that CuPy gives to elementwise kernels: rows of 128 threads.
bool isLaunchedByCupy(const LaunchGroup& group) {
    constexpr std::uint32_t kThreads = 128;
    return group.block.x == kThreads && group.block.total() == kThreads &&
           group.grid.total() == group.grid.x;
}

}  // namespace

void ActionFinder::stridedViews() {
    constexpr double kLeast = 0.2;        // of the window
    constexpr double kOfFramework = 0.3;  // of the gain: the program's own kernels may be at fault
    if (!m_frameworks.torch && !m_frameworks.cupy) return;
    Seconds gain, ofFramework;
    double sectors = 0, excess = 0;
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [&](const KernelAnalysis& kernel) {
            const Quantities& q = kernel.quantities;
            const bool byName = KernelBuffers(kernel.fullName).elementwiseByName();
            // An ElementwiseKernel of CuPy has a name of its author's, and CuPy's own shape.
            const bool byAuthor = kernel.origin == KernelOrigin::Own && !m_frameworks.torch &&
                                  isLaunchedByCupy(kernel.group);
            if ((!byName && !byAuthor) || !(isMostlyExcess(q.loads) || isMostlyExcess(q.stores)))
                return false;
            const double launches = m_program.kernels[indexOf(m_analysis, kernel)].perWindow;
            const Seconds saved = gainOf(kernel, launches);
            if (!(saved.value > 0)) return false;
            gain += saved;
            if (byName) ofFramework += saved;
            for (const CoalescingEstimate* side : {&q.loads, &q.stores})
                if (side->sectors.has() && side->certainExcess.has()) {
                    sectors += *side->sectors * launches;
                    excess += *side->certainExcess * launches;
                }
            return true;
        });
    if (gain < m_program.window.seconds * kLeast || ofFramework < gain * kOfFramework) return;
    addInPlace(
        {.rule = "strided-views",
         .alwaysExplained = true,
         .kernels = found.kernels,
         .bound = gain,
         .estimate = true,
         .sites = launchSites(found.kernels),
         .title = Words("Arrays are read and written across their order in memory"),
         .sentence = Words("{launches} {launches?launch:launches} of elementwise kernels "
                           "{launches?takes:take} {time}; {excess} of the sectors that they move "
                           "hold nothing that they need, because neighbouring elements of their "
                           "arrays lie apart."),
         .edit = m_frameworks.torch
                     ? Words("Let the dimension that is picked out or broadcast come first "
                             "(x[i] of shape [channels, points], not x[..., i]), or make such a "
                             "view contiguous once, before the operators that use it.")
                     : Words("Let the index that is picked out come first: an array of shape "
                             "(19, x, y, z) in place of (x, y, z, 19), so that each f[i] is "
                             "contiguous. One kernel for all of them (RawKernel) also reads each "
                             "value once."),
         .args = {number("launches", found.launches, Unit::Count),
                  number("time", found.time.value, Unit::Seconds),
                  number("excess", excess / sectors, Unit::Share)}});
}

}  // namespace roofscope::program
