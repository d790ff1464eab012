// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roofscope {

/// What an instruction does with memory, by its opcode.
enum class SassKind {
    Unknown,  ///< no SASS
    Other,    ///< no memory access of the kinds below
    GlobalLoad,
    GlobalStore,
    GlobalAtomic,
    AsyncCopy,   ///< LDGSTS: global to shared
    SharedLoad,  ///< with LDSM
    SharedStore,
    SharedAtomic,
    LocalLoad,
    LocalStore,
    GenericLoad,  ///< LD: the address decides which memory it is; also for the next two
    GenericStore,
    GenericAtomic,
};

// The kinds that the rules about global and shared memory look at. Atomics are left out, because
// colliding lanes are their purpose.
inline constexpr std::array kGlobalLoadKinds{SassKind::GlobalLoad, SassKind::GenericLoad,
                                             SassKind::AsyncCopy};
inline constexpr std::array kGlobalStoreKinds{SassKind::GlobalStore, SassKind::GenericStore};
inline constexpr std::array kSharedLoadKinds{SassKind::SharedLoad, SassKind::GenericLoad};
inline constexpr std::array kSharedStoreKinds{SassKind::SharedStore, SassKind::GenericStore,
                                              SassKind::AsyncCopy};

[[nodiscard]] constexpr bool isGlobalAtomic(SassKind kind) {
    return kind == SassKind::GlobalAtomic || kind == SassKind::GenericAtomic;
}

/// Static facts of one instruction.
struct SassFacts {
    std::string opcode;  ///< "LDG.E.128", without predicate and operands; empty without SASS
    SassKind kind = SassKind::Unknown;
    /// Bytes per lane of plain loads, stores and asynchronous copies. Absent for everything else,
    /// including matrix loads (LDSM) and atomics.
    std::optional<std::uint32_t> width;
};

/// The parts of a line of nvdisasm.
struct SassParts {
    std::string_view opcode;    ///< "LDG.E.128"; empty without one
    std::string_view name;      ///< "LDG"
    std::string_view operands;  ///< "R4, desc[UR4][R2.64]"
    bool predicated = false;    ///< may do nothing: "@P0", not "@PT"
};
[[nodiscard]] SassParts splitSass(std::string_view sass);

/// Where a jump goes, if the listing shows it: "BRA 0x640", "@P0 BRA P1, 0x640".
[[nodiscard]] std::optional<std::uint32_t> jumpTarget(std::string_view sass);

/// Whether execution never goes on with the next instruction.
[[nodiscard]] bool neverGoesOn(const SassParts& parts);

/// Reads a line of nvdisasm: "@!P0 LDG.E.128 R4, desc[UR4][R2.64]".
[[nodiscard]] SassFacts readSass(std::string_view sass);

}  // namespace roofscope
