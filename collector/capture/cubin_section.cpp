// SPDX-License-Identifier: Apache-2.0
#include "collector/capture/cubin_section.h"

#include <elf.h>

#include <cstring>

namespace roofscope::capture {

using Bytes = std::span<const unsigned char>;

Bytes cubinSection(Bytes cubin, std::string_view wanted) {
    Elf64_Ehdr header{};
    if (cubin.size() < sizeof header) return {};
    std::memcpy(&header, cubin.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > cubin.size() ||
        header.e_shnum > (cubin.size() - header.e_shoff) / sizeof(Elf64_Shdr) ||
        header.e_shstrndx >= header.e_shnum)
        return {};
    const auto section = [&](std::size_t i) {
        Elf64_Shdr s{};
        std::memcpy(&s, cubin.data() + header.e_shoff + i * sizeof s, sizeof s);
        return s;
    };
    const auto contents = [&](const Elf64_Shdr& s) -> Bytes {
        if (s.sh_type == SHT_NOBITS || s.sh_offset > cubin.size() ||
            s.sh_size > cubin.size() - s.sh_offset)
            return {};
        return cubin.subspan(s.sh_offset, s.sh_size);
    };
    const Bytes names = contents(section(header.e_shstrndx));
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr s = section(i);
        if (s.sh_name >= names.size()) continue;
        const auto* const name = reinterpret_cast<const char*>(names.data() + s.sh_name);
        if (std::string_view(name, strnlen(name, names.size() - s.sh_name)) == wanted)
            return contents(s);
    }
    return {};
}

}  // namespace roofscope::capture
