// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "collector/inject/sampling/unwinder.h"

namespace roofscope::inject {

/// The value of an expression of an unwind table (code of DWARF in the module's memory). `first` is
/// on its stack when it begins. Absent if it needs something unknown.
[[nodiscard]] std::optional<std::uint64_t> evaluate(std::uintptr_t expression, std::uint32_t length,
                                                    const ThreadRegisters& registers,
                                                    const StackMemory& stack,
                                                    std::optional<std::uint64_t> first = {});

}  // namespace roofscope::inject
