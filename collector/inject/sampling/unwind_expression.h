// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "collector/inject/sampling/unwinder.h"

namespace roofscope::inject {

/// The value of an expression of an unwind table (DWARF code in the module's memory). `first`, if
/// set, is pushed onto the expression's stack first. Absent if the expression needs something
/// unknown.
[[nodiscard]] std::optional<std::uint64_t> evaluate(std::uintptr_t expression, std::uint32_t length,
                                                    const ThreadRegisters& registers,
                                                    const StackMemory& stack,
                                                    std::optional<std::uint64_t> first = {});

}  // namespace roofscope::inject
