// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ceilings/clock_watch.h"
#include "kernels/ceilings/probe.h"

/// Measuring one ceiling on the current GPU.
namespace roofscope::kernels {

/// The current GPU in the form that probes need. Errors: Unavailable, without a driver or GPU.
[[nodiscard]] Result<ProbeGpu> probeGpu();

struct MeasureOptions {
    Seconds sustained{1.0};  ///< The minimum length of the back-to-back run.
};

/// Measures a roof that the probe does not refuse. Errors: Unavailable, if the CUDA runtime fails
/// (no memory, no code for this GPU); Internal, if a probe's own check fails.
///
/// Short runs: 30 runs of about 3 ms, timed with CUDA events around launches that directly follow
/// another one. A pause of 5 ms before each keeps power and temperature from lowering the clock.
/// The quickest of a probe's variants counts. Sustained: launches back to back.
[[nodiscard]] Result<Ceiling> measureCeiling(const Probe& probe, const ProbeGpu& gpu,
                                             const MeasureOptions& options, ClockWatch& clocks);

/// Launches every variant of a probe once, untimed, for a profiler that counts their work.
[[nodiscard]] Result<void> launchOnce(const Probe& probe, const ProbeGpu& gpu);

}  // namespace roofscope::kernels
