// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/device_launches.h"

#include <elf.h>

#include <array>
#include <cstring>
#include <string_view>

namespace roofscope::inject {
namespace {

/// The driver symbols that the device runtime (libcudadevrt) launches through, since CUDA 12.
constexpr std::array<std::string_view, 2> kDeviceLaunches{"__cuda_syscall_cnpv2LaunchDevice",
                                                          "__cuda_syscall_cnpv2GraphLaunch"};

bool contains(std::span<const std::uint8_t> bytes, std::string_view text) {
    return memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
}

}  // namespace

bool launchesFromKernels(std::span<const std::uint8_t> cubin) {
    Elf64_Ehdr header{};
    if (cubin.size() < sizeof header) return false;
    std::memcpy(&header, cubin.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr))
        return false;
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
        const std::size_t at = i * sizeof(Elf64_Shdr);
        if (header.e_shoff > cubin.size() ||
            cubin.size() - header.e_shoff < at + sizeof(Elf64_Shdr))
            return false;
        Elf64_Shdr section{};
        std::memcpy(&section, cubin.data() + header.e_shoff + at, sizeof section);
        // Search only the names; searching the code of large modules would take long.
        if (section.sh_type != SHT_STRTAB || section.sh_offset > cubin.size() ||
            section.sh_size > cubin.size() - section.sh_offset)
            continue;
        for (const std::string_view name : kDeviceLaunches)
            if (contains(cubin.subspan(section.sh_offset, section.sh_size), name)) return true;
    }
    return false;
}

}  // namespace roofscope::inject
