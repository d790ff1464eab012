// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "collector/run/doctor/read_system.h"

namespace roofscope::doctor {
namespace {

namespace fs = std::filesystem;

std::string findFile(const std::string& name, const std::string& path) {
    std::error_code error;
    if (name.find('/') != std::string::npos)
        return fs::is_regular_file(name, error) ? name : std::string();
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
        if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0)
            return candidate.string();
    }
    return {};
}

/// Whether the program header names a loader; only then can the program load libraries at run time.
bool namesLoader(std::istream& file, const Elf64_Ehdr& header) {
    constexpr unsigned kMostHeaders = 1000;
    for (unsigned i = 0; i < header.e_phnum && i < kMostHeaders; ++i) {
        Elf64_Phdr segment{};
        file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
        if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return true;
        if (segment.p_type == PT_INTERP) return true;
    }
    return false;
}

}  // namespace

ProgramFile readProgramFile(const std::string& name, const std::string& path) {
    ProgramFile program;
    program.asked = true;
    program.name = name;
    program.path = findFile(name, path);
    if (program.path.empty()) {
        std::error_code error;
        // A name without "/" is looked up in PATH, even if the current folder has a folder of that
        // name.
        if (name.find('/') != std::string::npos && fs::is_directory(name, error))
            program.kind = "folder";
        return program;
    }
    struct stat info {};
    program.privileged =
        (stat(program.path.c_str(), &info) == 0 && (info.st_mode & (S_ISUID | S_ISGID)) != 0) ||
        getxattr(program.path.c_str(), "security.capability", nullptr, 0) > 0;

    std::ifstream file(program.path, std::ios::binary);
    std::array<char, sizeof(Elf64_Ehdr)> start{};
    file.read(start.data(), start.size());
    const auto length = static_cast<std::size_t>(file.gcount());
    file.clear();
    if (length >= 2 && start[0] == '#' && start[1] == '!') {
        program.kind = "script";
        file.seekg(2);
        std::string line(256, '\0');
        file.read(line.data(), static_cast<std::streamsize>(line.size()));
        line.resize(static_cast<std::size_t>(file.gcount()));
        line.erase(std::min(line.find('\n'), line.size()));
        line.erase(0, line.find_first_not_of(" \t"));
        program.interpreter = line;
    } else if (length >= EI_NIDENT && std::memcmp(start.data(), ELFMAG, SELFMAG) == 0) {
        program.kind = "elf";
        program.is64Bit = start[EI_CLASS] == ELFCLASS64;
        if (program.is64Bit && length == sizeof(Elf64_Ehdr)) {
            Elf64_Ehdr header{};
            std::memcpy(&header, start.data(), sizeof header);
            if (header.e_phentsize == sizeof(Elf64_Phdr))
                program.isDynamic = namesLoader(file, header);
        }
    } else {
        program.kind = "other";
    }
    return program;
}

}  // namespace roofscope::doctor
