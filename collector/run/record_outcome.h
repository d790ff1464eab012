// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/record.h"

namespace roofscope {

/// What a user should know of a recording before its program has run.
[[nodiscard]] std::vector<Issue> issuesBefore(const RecordOptions& options);

/// Adds an issue that says why nothing was measured, where that is so, and says with a run that was
/// ended early that its launches are kept.
void sayWhatIsMissing(Profile& profile, const RecordOptions& options);

}  // namespace roofscope
