// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/recording/record.h"

namespace roofscope {

/// Issues that are known before the program runs.
[[nodiscard]] std::vector<Issue> issuesBefore(const RecordOptions& options);

/// If nothing was measured, adds an issue with the reason. If a run was ended early, adds to its
/// issue that its launches are kept.
void sayWhatIsMissing(Profile& profile, const RecordOptions& options);

}  // namespace roofscope
