// SPDX-License-Identifier: Apache-2.0
// Modules whose kernels launch kernels are known by the names that they refer to.
#include "collector/inject/calls/device_launches.h"

#include <elf.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"

using namespace roofscope::inject;

namespace {

/// An ELF file with one table of names, and code that contains `code`.
std::vector<std::uint8_t> moduleWith(std::string_view names, std::string_view code = {}) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 2;
    header.e_shoff = sizeof header + names.size() + code.size();
    Elf64_Shdr sections[2]{};
    sections[0].sh_type = SHT_STRTAB;
    sections[0].sh_offset = sizeof header;
    sections[0].sh_size = names.size();
    sections[1].sh_type = SHT_PROGBITS;
    sections[1].sh_offset = sizeof header + names.size();
    sections[1].sh_size = code.size();
    std::vector<std::uint8_t> bytes(header.e_shoff + sizeof sections);
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, names.data(), names.size());
    std::memcpy(bytes.data() + sizeof header + names.size(), code.data(), code.size());
    std::memcpy(bytes.data() + header.e_shoff, sections, sizeof sections);
    return bytes;
}

}  // namespace

TEST_CASE("a module that calls the device runtime's launch launches from its kernels") {
    using namespace std::string_view_literals;
    constexpr auto kNames = "\0_Z4sortPi\0__cuda_syscall_cnpv2LaunchDeviceV2\0"sv;
    CHECK(launchesFromKernels(moduleWith(kNames)));
    CHECK_FALSE(
        launchesFromKernels(moduleWith("\0_Z4sortPi\0__cuda_syscall_cnpv2GetLastError\0"sv)));
    CHECK_FALSE(launchesFromKernels(moduleWith("\0_Z4sortPi\0"sv, kNames)));  // not a name
}

TEST_CASE(
    "a module that is cut off or no ELF file launches nothing, and is not read beyond its end") {
    const auto whole = moduleWith("__cuda_syscall_cnpv2LaunchDeviceV2");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::vector<std::uint8_t> cut(whole.begin(),
                                            whole.begin() + static_cast<std::ptrdiff_t>(size));
        // The names lie before the table of sections, which is cut.
        if (size < whole.size() - sizeof(Elf64_Shdr)) CHECK_FALSE(launchesFromKernels(cut));
    }
    auto hostile = whole;
    Elf64_Ehdr header{};
    std::memcpy(&header, hostile.data(), sizeof header);
    const std::vector<std::uint64_t> offsets{~0ULL, ~0ULL - 64, hostile.size()};
    for (const std::uint64_t offset : offsets) {
        header.e_shoff = offset;
        std::memcpy(hostile.data(), &header, sizeof header);
        CHECK_FALSE(launchesFromKernels(hostile));
    }
    const std::vector<std::uint8_t> text(200, 'x');
    CHECK_FALSE(launchesFromKernels(text));
}
