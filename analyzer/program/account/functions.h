// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/program/model/program.h"

namespace roofscope::program {

/// If at least this many shapes of a function were counted, they stand for its uncounted shapes.
inline constexpr std::size_t kShapesForAll = 3;

/// Whether the kernel's limit is unknown, or known only from its launch shape because counters are
/// missing.
[[nodiscard]] bool isUndecided(const KernelAnalysis& kernel);

/// The shapes whose limit is known and that stand for the function, most time first.
[[nodiscard]] std::vector<std::uint32_t> knownShapes(const Analysis& analysis,
                                                     const KernelFunction& function);

/// The function's name, short and unlike those of other functions: without its launch shape.
[[nodiscard]] std::string nameOf(const Analysis& analysis, const KernelFunction& function);

/// The same for a place with room: readable, but not shortened.
[[nodiscard]] std::string wholeNameOf(const Analysis& analysis, const KernelFunction& function);

/// Whether enough shapes of the function took longer in the program than while they were counted to
/// conclude that all of its shapes wait for page faults.
[[nodiscard]] bool shapesWaitForPages(const Analysis& analysis, const KernelFunction& function);

/// The functions that take time in the window, most first.
[[nodiscard]] std::vector<KernelFunction> functionsOf(const Analysis& analysis,
                                                      const Program& program);

/// Sets Program::functions, and what each kernel stands for in them.
void setFunctions(const Analysis& analysis, Program& program);

}  // namespace roofscope::program
