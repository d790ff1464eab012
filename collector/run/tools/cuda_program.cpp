// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/cuda_program.h"

#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope {
namespace {

constexpr std::uint64_t kMostElfBytes = 1U << 20U;  // of tables and names

/// Reads parts of an ELF file. A part that the file lacks is empty.
class ElfFile {
public:
    explicit ElfFile(const std::filesystem::path& path) : m_file(path, std::ios::binary) {
        const auto headers = read<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
        if (headers.empty()) return;
        const Elf64_Ehdr& header = headers.front();
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64 ||
            header.e_phentsize != sizeof(Elf64_Phdr) || header.e_shentsize != sizeof(Elf64_Shdr))
            return;
        m_segments = read<Elf64_Phdr>(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
        m_sections = read<Elf64_Shdr>(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
        if (header.e_shstrndx < m_sections.size()) m_names = text(m_sections[header.e_shstrndx]);
    }

    /// The dynamic loader that the program requests.
    [[nodiscard]] std::string loader() {
        for (const Elf64_Phdr& segment : m_segments)
            if (segment.p_type == PT_INTERP) {
                const auto bytes = read<char>(segment.p_offset, segment.p_filesz);
                return std::string(bytes.begin(), std::ranges::find(bytes, '\0'));
            }
        return {};
    }

    [[nodiscard]] bool hasSection(std::string_view name) const {
        return std::ranges::any_of(m_sections, [&](const Elf64_Shdr& section) {
            return nameAt(m_names, section.sh_name) == name;
        });
    }

    /// The libraries that the program is linked to.
    [[nodiscard]] std::vector<std::string> libraries() {
        std::vector<std::string> libraries;
        for (const Elf64_Shdr& section : m_sections) {
            if (section.sh_type != SHT_DYNAMIC || section.sh_link >= m_sections.size()) continue;
            const std::string names = text(m_sections[section.sh_link]);
            for (const auto& entry : read<Elf64_Dyn>(section.sh_offset, section.sh_size))
                if (entry.d_tag == DT_NEEDED)
                    libraries.emplace_back(nameAt(names, entry.d_un.d_val));
        }
        return libraries;
    }

private:
    template <class T>
    std::vector<T> read(std::uint64_t offset, std::uint64_t bytes) {
        if (bytes < sizeof(T) || bytes > kMostElfBytes || offset > INT64_MAX) return {};
        std::vector<T> values(bytes / sizeof(T));
        m_file.clear();
        m_file.seekg(static_cast<std::streamoff>(offset));
        const auto length = static_cast<std::streamsize>(values.size() * sizeof(T));
        if (!m_file.read(reinterpret_cast<char*>(values.data()), length)) return {};
        return values;
    }

    std::string text(const Elf64_Shdr& section) {
        const auto bytes = read<char>(section.sh_offset, section.sh_size);
        return {bytes.begin(), bytes.end()};
    }

    static std::string_view nameAt(std::string_view names, std::uint64_t at) {
        if (at >= names.size()) return {};
        names.remove_prefix(at);
        return names.substr(0, names.find('\0'));
    }

    std::ifstream m_file;
    std::vector<Elf64_Phdr> m_segments;
    std::vector<Elf64_Shdr> m_sections;
    std::string m_names;
};

}  // namespace

bool isPreloadableCudaProgram(const std::filesystem::path& file) {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
        (info.st_mode & (S_ISUID | S_ISGID)) != 0)
        return false;
    ElfFile elf(file);
    if (!elf.loader().ends_with("/ld-linux-x86-64.so.2")) return false;
    const auto libraries = elf.libraries();
    const auto isSanitizer = [](std::string_view name) {
        return name.find("san.so") != name.npos || name.find("clang_rt") != name.npos;
    };
    if (std::ranges::any_of(libraries, isSanitizer)) return false;
    return elf.hasSection(".nv_fatbin") || std::ranges::any_of(libraries, [](const auto& name) {
               return name.starts_with("libcuda.so") || name.starts_with("libcudart.so");
           });
}

}  // namespace roofscope
