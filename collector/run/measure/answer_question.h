// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/measure/counters.h"
#include "collector/run/options/question.h"

namespace roofscope {

/// Runs the program again for one question and adds the answer to `base`: counters of the launches
/// in question, and an entry in Capture::further. `base` loses nothing. Failures become issues;
/// they have severity Info unless the question was required. Returns whether there was an answer.
bool recordQuestion(ProgramRuns& runner, RunConfiguration configuration,
                    const RecordOptions& options, const OneRun& program, const Question& question,
                    Profile& base);

}  // namespace roofscope
