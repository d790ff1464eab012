// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/spool/reader/spool_reader.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// One line of a disassembly.
struct SassLine {
    std::uint32_t offset = 0;  ///< bytes from the start of the function
    std::string text;          ///< without the closing semicolon; jumps with their target's offset
};

/// Finds nvdisasm: $ROOFSCOPE_NVDISASM, PATH, the CUDA toolkit's folders. Empty when there is none.
[[nodiscard]] std::filesystem::path findDisassembler();

/// The machine code of one function of a cubin.
Result<std::vector<SassLine>> disassemble(const std::filesystem::path& disassembler,
                                          const std::filesystem::path& cubin,
                                          const std::string& function);

/// The instructions of `function` in nvdisasm's output for a cubin; the rest of the output is
/// skipped.
[[nodiscard]] std::vector<SassLine> parseDisassembly(std::string_view text,
                                                     std::string_view function);

/// Gives the passes of a profile their machine code, where it is known, and their source lines.
void addCode(Profile& profile, std::span<const PassCode> code);

/// Gives the instructions of `source` their text, and adds those that were not counted.
void addDisassembly(SourcePass& source, const std::vector<SassLine>& sass);

/// Reads the lines around those that were counted, if the files exist and are text.
void addSourceTexts(SourcePass& source);

}  // namespace roofscope
