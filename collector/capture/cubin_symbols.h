// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

/// Reads the names in a module's machine code. Also part of the driver that `roofscope extract`
/// writes, so it needs nothing but the standard library.
namespace roofscope::capture {

/// The kernels and the variables of a cubin.
struct CubinSymbols {
    std::vector<std::string> kernels;    ///< symbols that can be launched
    std::vector<std::string> variables;  ///< of __device__ and __constant__ memory
};

namespace cubin_symbols_detail {

/// Whether `count` items of `size` bytes, starting at `at`, lie within `bytes`.
inline bool within(std::uint64_t bytes, std::uint64_t at, std::uint64_t count, std::uint64_t size) {
    return at <= bytes && (size == 0 || count <= (bytes - at) / size);
}

inline std::string textAt(const unsigned char* data, const Elf64_Shdr& table, std::uint64_t at) {
    if (at >= table.sh_size) return {};
    const char* const text = reinterpret_cast<const char*>(data + table.sh_offset + at);
    return {text, strnlen(text, table.sh_size - at)};
}

}  // namespace cubin_symbols_detail

/// Empty lists if the bytes are no cubin, or damaged. Never reads outside of `bytes`.
[[nodiscard]] inline CubinSymbols cubinSymbols(const unsigned char* data, std::size_t bytes) {
    using namespace cubin_symbols_detail;
    CubinSymbols found;
    Elf64_Ehdr header{};
    if (!data || bytes < sizeof header) return found;
    std::memcpy(&header, data, sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
        !within(bytes, header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr)))
        return found;
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    if (!sections.empty())
        std::memcpy(sections.data(), data + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
    const auto readable = [&](const Elf64_Shdr& section) {
        return section.sh_type != SHT_NOBITS &&
               within(bytes, section.sh_offset, section.sh_size, 1);
    };
    if (header.e_shstrndx >= sections.size() || !readable(sections[header.e_shstrndx]))
        return found;
    const Elf64_Shdr& names = sections[header.e_shstrndx];
    for (const Elf64_Shdr& section : sections) {
        if (section.sh_type != SHT_SYMTAB || !readable(section) ||
            section.sh_link >= sections.size() || !readable(sections[section.sh_link]))
            continue;
        const Elf64_Shdr& texts = sections[section.sh_link];
        for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
            Elf64_Sym symbol{};
            std::memcpy(&symbol, data + section.sh_offset + i * sizeof symbol, sizeof symbol);
            if (symbol.st_shndx >= sections.size() || symbol.st_shndx == SHN_UNDEF) continue;
            const std::string where = textAt(data, names, sections[symbol.st_shndx].sh_name);
            const std::string name = textAt(data, texts, symbol.st_name);
            if (name.empty()) continue;
            const unsigned type = ELF64_ST_TYPE(symbol.st_info);
            // A kernel has its own code section; other functions are called by kernels. Bit 4 of
            // st_other marks an entry.
            if (type == STT_FUNC && where == ".text." + name && (symbol.st_other & 0x10) != 0)
                found.kernels.push_back(name);
            else if (type == STT_OBJECT &&
                     (where.rfind(".nv.global", 0) == 0 || where.rfind(".nv.constant3", 0) == 0))
                found.variables.push_back(name);
        }
    }
    return found;
}

}  // namespace roofscope::capture
