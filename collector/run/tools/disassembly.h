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
    std::string text;          ///< without the closing semicolon; jump targets are offsets
};

/// Finds nvdisasm: $ROOFSCOPE_NVDISASM, PATH, the CUDA toolkit's folders. Empty if there is none.
[[nodiscard]] std::filesystem::path findDisassembler();

/// The machine code of one function of a cubin.
Result<std::vector<SassLine>> disassemble(const std::filesystem::path& disassembler,
                                          const std::filesystem::path& cubin,
                                          const std::string& function);

/// The instructions of `function` in nvdisasm's output for a cubin; the rest of the output is
/// skipped.
[[nodiscard]] std::vector<SassLine> parseDisassembly(std::string_view text,
                                                     std::string_view function);

/// Adds machine code, where it is known, and source lines to the passes of a profile.
void addCode(Profile& profile, std::span<const PassCode> code);

/// Adds the text of each instruction to `source`, and the instructions that were not counted.
void addDisassembly(SourcePass& source, const std::vector<SassLine>& sass);

/// Reads the source lines around those that were counted, if the files exist and are text.
void addSourceTexts(SourcePass& source);

}  // namespace roofscope
