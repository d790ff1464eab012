// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/program/model/program.h"

/// The level above kernels: the time over which a program is judged, where that time goes, and what
/// to do first. Pure functions of an analysis, described in docs/program.md.
namespace roofscope {

/// What Lane::stretches is to have.
enum class Stretches { LeftOut, Kept };

/// `window`: in place of Analysis::window.
[[nodiscard]] Program analyzeProgram(const Analysis& analysis,
                                     std::optional<WindowChoice> window = {},
                                     Stretches stretches = Stretches::LeftOut);

}  // namespace roofscope
