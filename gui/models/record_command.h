// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "analyzer/analysis.h"

namespace roofscope::gui {

/// The command that records the same program with counters per instruction of a kernel, an index
/// into Analysis::kernels, for a POSIX shell: "roofscope record --source gather -- ./app".
[[nodiscard]] QString recordSourceCommand(const Analysis& analysis, std::size_t kernel);

}  // namespace roofscope::gui
