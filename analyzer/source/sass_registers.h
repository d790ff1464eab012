// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

/// Which registers a line of SASS reads and writes.
namespace roofscope {

/// A 32-bit register: R0 to R254, or UR0 to UR254 (uniform, one for all lanes).
struct Register {
    std::uint16_t number = 0;
    bool uniform = false;
    auto operator<=>(const Register&) const = default;
};

/// Wide operands count with all of their registers ("R4" of LDG.E.128 is R4 to R7). RZ, predicates
/// and constants are left out, because nothing waits for them.
struct SassRegisters {
    std::vector<Register> reads, writes;
    bool predicated = false;  ///< may do nothing: "@P0", not "@PT"
};

/// Reads a line of nvdisasm: "@!P0 LDG.E.128 R4, desc[UR4][R2.64]" writes R4 to R7 and reads UR4,
/// R2 and R3.
[[nodiscard]] SassRegisters readRegisters(std::string_view sass);

/// The registers that a memory access computes its address from: those in brackets, R2 and R3 in
/// "STG.E desc[UR4][R2.64], R9". Uniform ones are left out: they are equal for all lanes.
[[nodiscard]] std::vector<Register> addressRegisters(std::string_view sass);

/// The registers that a text names, uniform ones included: R2, R3 and UR4 of "[R2.64+UR4]".
[[nodiscard]] std::vector<Register> namedRegisters(std::string_view text);

/// "[R8.64+0x10]" of "STG.E desc[UR6][R8.64+0x10], R27"; empty without one.
[[nodiscard]] std::string_view addressText(std::string_view sass);

/// Whether an instruction's name is one of these.
[[nodiscard]] inline bool isAny(std::string_view name,
                                std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace roofscope
