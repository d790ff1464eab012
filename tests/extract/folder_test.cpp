// SPDX-License-Identifier: Apache-2.0
#include <elf.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "extract/folder/kernel_source.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

/// A cubin with nothing but a line table that names these files of one folder.
std::vector<unsigned char> withLines(const std::string& folder,
                                     const std::vector<std::string>& files) {
    const std::string names("\0.debug_line\0.shstrtab\0", 23);
    std::string rest("\x01\x01\xfb\x0e\x0a", 5);
    rest += std::string("\0\1\1\1\1\0\0\0\1", 9);
    rest += folder + '\0' + '\0';
    for (const std::string& file : files) rest += file + std::string("\0\1\0\0", 4);
    rest += '\0';
    const auto put4 = [](std::string& to, std::size_t value) {
        for (int i = 0; i < 4; ++i) to += static_cast<char>(value >> (8 * i));
    };
    std::string lines("\2\0", 2);
    put4(lines, rest.size());
    lines += rest + "opcodes";
    std::string table;
    put4(table, lines.size());
    table += lines;
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 3;
    header.e_shstrndx = 2;
    header.e_shoff = sizeof header;
    Elf64_Shdr sections[3] = {};
    sections[1].sh_name = 1;
    sections[1].sh_type = SHT_PROGBITS;
    sections[1].sh_offset = sizeof header + sizeof sections;
    sections[1].sh_size = table.size();
    sections[2].sh_name = 13;
    sections[2].sh_type = SHT_STRTAB;
    sections[2].sh_offset = sections[1].sh_offset + table.size();
    sections[2].sh_size = names.size();
    std::vector<unsigned char> bytes(sizeof header + sizeof sections);
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, sections, sizeof sections);
    bytes.insert(bytes.end(), table.begin(), table.end());
    bytes.insert(bytes.end(), names.begin(), names.end());
    return bytes;
}

}  // namespace

TEST_CASE("the files of a module's lines are found, and nothing in a damaged table") {
    const auto cubin = withLines("/src", {"a.cu", "b.cuh"});
    CHECK(sourceFilesOf(cubin) == std::vector<std::string>{"/src/a.cu", "/src/b.cuh"});
    for (std::size_t size = 0; size < cubin.size(); ++size) {
        const std::vector<unsigned char> cut(cubin.begin(),
                                             cubin.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(sourceFilesOf(cut).empty());
    }
    for (std::size_t at = 0; at < cubin.size(); ++at) {
        auto damaged = cubin;
        damaged[at] ^= 0xFF;
        CHECK(sourceFilesOf(damaged).size() < 100);
    }
}

TEST_CASE("a kernel's source is the readable file that defines it") {
    const test::TemporaryFolder folder;
    const auto file = [&](const char* name, const std::string& text) {
        std::ofstream(folder.file(name), std::ios::binary) << text;
        return folder.file(name).string();
    };
    const std::vector<std::string> files{"relative.cu", "/no/such/file.cu",
                                         file("host.cpp", "fan();"),
                                         file("binary", std::string("__global__ fan\0", 15)),
                                         file("fan.cu", "__global__ void fan(float* x) {}")};
    const auto found = findKernelSource(files, "fan");
    REQUIRE(found);
    CHECK(found->path.filename() == "fan.cu");
    CHECK(found->language == KernelSource::Language::Cuda);
    CHECK_FALSE(findKernelSource(files, "other"));
    const auto python = file("scale.py", "@triton.jit\ndef scale(x, n):\n    pass\n");
    REQUIRE(findKernelSource({python}, "scale"));
    CHECK(findKernelSource({python}, "scale")->language == KernelSource::Language::Python);
    CHECK_FALSE(findKernelSource({python}, "scal"));
}
