// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ceilings/clock_watch.h"
#include "kernels/ceilings/probe.h"

/// Measuring one ceiling on the current GPU.
namespace roofscope::kernels {

/// The current GPU as probes want to know it. Errors: Unavailable, when there is no driver or GPU.
[[nodiscard]] Result<ProbeGpu> probeGpu();

struct MeasureOptions {
    Seconds sustained{1.0};  ///< The back-to-back run is at least that long.
};

/// Measures one ceiling that the probe does not refuse. Errors: Unavailable, when the CUDA runtime
/// fails (no memory, no code for this GPU); Internal, when a probe's own check fails.
///
/// Short runs: 30 runs of about 3 ms, timed by CUDA events around launches that follow another one
/// without a gap, with a pause of 5 ms before each, so that power and temperature do not hold the
/// clock back. Of a probe's variants the quickest is taken. Sustained: launches back to back.
[[nodiscard]] Result<Ceiling> measureCeiling(const Probe& probe, const ProbeGpu& gpu,
                                             const MeasureOptions& options, ClockWatch& clocks);

/// Launches every variant of a probe once, untimed: for a profiler that counts what they do.
[[nodiscard]] Result<void> launchOnce(const Probe& probe, const ProbeGpu& gpu);

}  // namespace roofscope::kernels
