// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "collector/inject/sampling/modules.h"

/// How to get from a frame of compiled code to its caller, using the tables that compilers write
/// for exceptions (.eh_frame, DWARF's "call frame information"). For x86-64.
namespace roofscope::inject {

/// Numbers of registers in these tables.
inline constexpr std::size_t kRegisters = 17, kRbp = 6, kRsp = 7, kReturn = 16;

/// Where the caller's value of a register is. Expressions are DWARF code in the module's memory.
struct RegisterRule {
    enum class How : std::uint8_t {
        Same,      ///< the callee did not change it
        Unknown,   ///< lost
        AtOffset,  ///< in memory, at the frame's address + value
        IsOffset,  ///< the frame's address + value
        Register,  ///< in the register with this number
        AtExpression,
        IsExpression
    };
    How how = How::Same;
    std::uint32_t length = 0;  ///< of the expression
    std::int64_t value = 0;    ///< offset, register, or address of the expression
};

/// All rules at one address of code.
struct UnwindRow {
    /// The frame's address: a register and an offset, or an expression.
    std::uint32_t frameRegister = kRsp;
    std::int64_t frameOffset = 8;
    std::uint32_t expressionLength = 0;
    std::uintptr_t expression = 0;  ///< 0: by register
    std::array<RegisterRule, kRegisters> registers = {};
    std::uintptr_t function = 0;  ///< where the function begins
    bool signalFrame = false;     ///< called by the kernel, so the caller's address is exact
};

/// The rules at `address`; absent if the module has none or if some are not supported. Reads the
/// module's memory safely, because the module may be unloaded at any time.
[[nodiscard]] std::optional<UnwindRow> unwindRow(const Module& module, std::uintptr_t address);

}  // namespace roofscope::inject
