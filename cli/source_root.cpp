// SPDX-License-Identifier: Apache-2.0
#include "cli/source_root.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope::cli {

namespace {

namespace fs = std::filesystem;

// The same limits as in a recording (collector/run/tools/disassembly.cpp).
constexpr std::uint32_t kContext = 10;
constexpr std::size_t kMaxLines = 2000, kMaxLineBytes = 400;
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{16} << 20;
constexpr std::size_t kMaxPathBytes = 4096, kMaxFiles = 1000;

/// Whether `path` is below `root`. Symbolic links must be resolved in both.
bool isBelow(const fs::path& root, const fs::path& path) {
    const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
    return end == root.end();
}

/// The components of a path after the last "..". Accepts separators of Windows compilers, too.
std::vector<std::string> namesOf(std::string_view path) {
    std::vector<std::string> names;
    while (!path.empty()) {
        const auto end = std::min(path.find_first_of("/\\"), path.size());
        const std::string_view name = path.substr(0, end);
        path.remove_prefix(std::min(end + 1, path.size()));
        if (name == "..") names.clear();  // names before it are not the file's folder
        if (!name.empty() && name != "." && name != "..") names.emplace_back(name);
    }
    return names;
}

std::optional<fs::path> findBelow(const fs::path& root, std::string_view path) {
    if (path.size() > kMaxPathBytes || path.find('\0') != path.npos) return std::nullopt;
    const std::vector<std::string> names = namesOf(path);
    constexpr std::size_t kMostNames = 64;
    for (std::size_t first = names.size() - std::min(names.size(), kMostNames);
         first < names.size(); ++first) {
        fs::path candidate = root;
        for (std::size_t i = first; i < names.size(); ++i) candidate /= names[i];
        std::error_code error;
        const fs::path real = fs::canonical(candidate, error);
        if (error || !isBelow(root, real)) continue;
        if (!fs::is_regular_file(real, error) || error) continue;
        const auto size = fs::file_size(real, error);
        if (!error && size <= kMaxFileBytes) return real;
    }
    return std::nullopt;
}

void addText(SourcePass& pass, std::uint32_t file, const std::set<std::uint32_t>& wanted,
             const fs::path& path, std::size_t& kept) {
    std::ifstream stream(path, std::ios::binary);
    std::vector<SourceText> texts;
    std::string line;
    for (std::uint32_t number = 1; number <= *wanted.rbegin() && std::getline(stream, line);
         ++number) {
        if (line.find('\0') != line.npos) return;  // not a text file
        if (!wanted.contains(number)) continue;
        if (kept == kMaxLines) break;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (texts.empty() ||
            texts.back().firstLine + texts.back().lines.size() != std::size_t{number})
            texts.push_back({.file = file, .firstLine = number});
        texts.back().lines.push_back(line.substr(0, kMaxLineBytes));
        ++kept;
    }
    pass.texts.insert(pass.texts.end(), texts.begin(), texts.end());
}

}  // namespace

Result<void> addSourceTexts(Profile& profile, const fs::path& root) {
    std::error_code error;
    const fs::path real = fs::canonical(root, error);
    if (error || !fs::is_directory(real, error))
        return Error{.code = ErrorCode::Usage,
                     .what = "\"" + root.string() + "\" is not a folder",
                     .where = "--source-root",
                     .advice = "give the folder that holds the program's source files"};
    for (SourcePass& pass : profile.sources) {
        std::map<std::uint32_t, std::set<std::uint32_t>> wanted;
        for (const Instruction& i : pass.instructions)
            if (i.file && i.line > 0 && i.line < UINT32_MAX - kContext)
                for (std::uint32_t line = i.line > kContext ? i.line - kContext : 1;
                     line <= i.line + kContext; ++line)
                    wanted[*i.file].insert(line);
        for (const SourceText& text : pass.texts) wanted.erase(text.file);
        std::size_t kept = 0, looked = 0;
        for (const auto& [file, lines] : wanted) {
            if (++looked > kMaxFiles) break;
            if (const auto path = findBelow(real, pass.files[file]))
                addText(pass, file, lines, *path, kept);
        }
    }
    return {};
}

}  // namespace roofscope::cli
