// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/model/counter_table.h"

namespace roofscope {

/// One machine instruction of a kernel.
struct Instruction {
    std::uint32_t offset = 0;  ///< bytes from the start of the function
    std::string sass;          ///< "LDG.E.128 R4, desc[UR4][R2.64]"; empty without a disassembler
    std::optional<std::uint32_t> file;  ///< index into SourcePass::files; absent without line map
    std::uint32_t line = 0;             ///< 1 is the first; 0: unknown
    bool operator==(const Instruction&) const = default;
};

/// A piece of a source file as it was when the program was recorded.
struct SourceText {
    std::uint32_t file = 0;       ///< index into SourcePass::files
    std::uint32_t firstLine = 1;  ///< of `lines`
    std::vector<std::string> lines;
    bool operator==(const SourceText&) const = default;
};

/// Counters of one launch per instruction (`record --source`). Their sums over the instructions
/// equal the launch's counters; ideal values exist only here.
struct SourcePass {
    std::uint32_t kernel = 0;             ///< index into Profile::kernels
    std::optional<std::uint32_t> launch;  ///< index into Profile::launches: the one measured
    std::vector<std::string> files;       ///< paths as the compiler knew them
    /// Sorted by offset. With a disassembler all instructions, otherwise only those that were
    /// counted.
    std::vector<Instruction> instructions;
    /// One row per instruction. Names have no roll-up: "smsp__sass_sectors_mem_global" and
    /// "smsp__sass_sectors_mem_global_ideal" (sectors), "smsp__sass_inst_executed" (warps),
    /// "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared" and "…_ideal" (wavefronts). Missing if the
    /// counter does not apply to an instruction.
    CounterTable counters;
    std::vector<SourceText> texts;  ///< around the counted lines, if readable
};

}  // namespace roofscope
