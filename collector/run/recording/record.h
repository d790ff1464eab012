// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/options/record_options.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// The result of a recording.
struct Recording {
    Profile profile;
    int programExit = 0;  ///< the program's exit code; 128 + N if signal N ended it
};

/// Exit codes of `roofscope record` besides the program's own (docs/exit-codes.md).
inline constexpr int kExitPartial = 90;  ///< the program succeeded, part of the measurement is lost
inline constexpr int kExitNothing = 91;  ///< the program succeeded, no launch was measured

/// Runs a program with the injected library and collects the measurements: first without counters,
/// for durations, then once or several times with counters (run/strategy/replay_strategy.h). The
/// first run has our stdin, stdout and stderr and gives the exit code. The output of later runs is
/// shown only if they end differently. Interrupts reach the program; after one, no further run is
/// started. An error means that the program could not be started; whatever goes wrong later is an
/// issue in the profile.
Result<Recording> record(const RecordOptions& options);

/// The exit code of `roofscope record`: the program's own if it failed, otherwise 0, 90 or 91,
/// depending on what was measured.
[[nodiscard]] int recordExitCode(const Recording& recording);

}  // namespace roofscope
