// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/record.h"

namespace roofscope {

/// Whether a chip table knows each of the counter groups. Errors: Usage, with the known ones.
[[nodiscard]] Result<void> checkGroups(const std::vector<std::string>& groups);

/// Whether the program cannot be started a second time from here (a rank of an MPI launcher).
[[nodiscard]] bool runsOnce(const RecordOptions& options);

}  // namespace roofscope
