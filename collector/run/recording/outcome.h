// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/recording/record.h"

namespace roofscope {

/// Issues that are known before the program runs.
[[nodiscard]] std::vector<Issue> issuesBefore(const RecordOptions& options);

/// Adds an issue with the reason if nothing was measured, and notes for a run that was ended early
/// that its launches are kept.
void sayWhatIsMissing(Profile& profile, const RecordOptions& options);

}  // namespace roofscope
