// SPDX-License-Identifier: Apache-2.0
#include "extract/folder/kernel_source.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>

#include "collector/capture/cubin_section.h"

namespace roofscope {
namespace {

using CodeBytes = std::span<const unsigned char>;

/// Reads DWARF encodings; reads past the end give 0.
class LineTable {
public:
    explicit LineTable(CodeBytes bytes) : m_bytes(bytes) {}

    [[nodiscard]] bool atEnd() const { return m_at >= m_bytes.size(); }
    [[nodiscard]] std::size_t at() const { return m_at; }
    void skip(std::uint64_t bytes) {
        m_at = bytes > m_bytes.size() - m_at ? m_bytes.size() : m_at + bytes;
    }
    std::uint64_t number(std::size_t bytes) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes && !atEnd(); ++i)
            value |= std::uint64_t{m_bytes[m_at++]} << (8 * i);
        return value;
    }
    std::uint64_t uleb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; !atEnd(); shift += 7) {
            const unsigned char byte = m_bytes[m_at++];
            if (shift < 64) value |= std::uint64_t{byte & 0x7FU} << shift;
            if (!(byte & 0x80)) break;
        }
        return value;
    }
    std::string text() {
        const auto* const from = reinterpret_cast<const char*>(m_bytes.data() + m_at);
        const std::size_t length = atEnd() ? 0 : strnlen(from, m_bytes.size() - m_at);
        std::string result(from, length);
        skip(length + 1);
        return result;
    }

private:
    CodeBytes m_bytes;
    std::size_t m_at = 0;
};

}  // namespace

std::vector<std::string> sourceFilesOf(std::span<const unsigned char> cubin) {
    std::vector<std::string> files;
    LineTable table(capture::cubinSection(cubin, ".debug_line"));
    while (!table.atEnd()) {
        const std::uint64_t length = table.number(4);
        const std::size_t start = table.at();
        // nvcc writes DWARF 2. From version 5 on, the tables have another format.
        constexpr std::uint64_t kFirst = 2, kLast = 4;
        const std::uint64_t version = table.number(2);
        if (version < kFirst || version > kLast) break;
        table.skip(version == kLast ? 9 : 8);  // to the number of opcodes
        const std::uint64_t opcodes = table.number(1);
        table.skip(opcodes > 0 ? opcodes - 1 : 0);
        std::vector<std::string> folders{""};
        for (std::string folder = table.text(); !folder.empty(); folder = table.text())
            folders.push_back(std::move(folder));
        for (std::string name = table.text(); !name.empty(); name = table.text()) {
            const std::uint64_t folder = table.uleb();
            table.uleb();
            table.uleb();
            if (name.front() != '/' && folder > 0 && folder < folders.size())
                name = folders[folder] + "/" + name;
            files.push_back(std::move(name));
        }
        const std::size_t read = table.at() - start;
        if (length < read) break;
        table.skip(length - read);
    }
    return files;
}

namespace {

/// The text of a file, unless it is binary or too large to be hand-written.
std::optional<std::string> sourceText(const std::filesystem::path& path) {
    constexpr std::uintmax_t kMost = 4U << 20;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) ||
        std::filesystem::file_size(path, error) > kMost)
        return {};
    std::ifstream file(path, std::ios::binary);
    if (!file) return {};
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.find('\0') != std::string::npos) return {};
    return text;
}

/// The names in lines `#include "NAME"`.
std::vector<std::string> quotedIncludes(const std::string& text) {
    std::vector<std::string> names;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::size_t at = line.find_first_not_of(" \t");
        if (at == line.npos || line[at] != '#') continue;
        at = line.find_first_not_of(" \t", at + 1);
        constexpr std::string_view kInclude = "include";
        if (at == line.npos || line.compare(at, kInclude.size(), kInclude) != 0) continue;
        const std::size_t open = line.find('"', at + kInclude.size());
        const std::size_t close = open == line.npos ? open : line.find('"', open + 1);
        if (close != line.npos) names.push_back(line.substr(open + 1, close - open - 1));
    }
    return names;
}

/// Whether a file of this name may be put beside the folder's own files.
bool mayLieBeside(const std::filesystem::path& name) {
    static const std::set<std::string, std::less<>> kOwn{
        "replay.cpp", "check", "arch", "kernel.cu", "kernel.py", "candidate.cu", "launch.json"};
    return !name.empty() && name.is_relative() && *name.begin() != ".." &&
           !name.string().starts_with('.') && !kOwn.contains(name.string());
}

}  // namespace

std::optional<KernelSource> findKernelSource(const std::vector<std::string>& files,
                                             std::string_view baseName) {
    for (const std::string& path : files) {
        if (!path.starts_with('/')) continue;
        auto text = sourceText(path);
        if (!text) continue;
        const bool python = path.ends_with(".py");
        const std::string mark = python ? "def " + std::string(baseName) + "(" : "__global__";
        if (text->find(mark) == std::string::npos || text->find(baseName) == std::string::npos)
            continue;
        return KernelSource{
            .path = path,
            .text = std::move(*text),
            .language = python ? KernelSource::Language::Python : KernelSource::Language::Cuda};
    }
    return {};
}

SourceHeaders headersOf(const KernelSource& source) {
    constexpr std::size_t kMostFiles = 200;
    SourceHeaders headers;
    struct Text {
        std::filesystem::path folder;  ///< relative to the source file's folder
        std::vector<std::string> includes;
    };
    std::vector<Text> ahead{{{}, quotedIncludes(source.text)}};
    std::set<std::string> seen;
    while (!ahead.empty() && seen.size() < kMostFiles) {
        const Text text = std::move(ahead.back());
        ahead.pop_back();
        for (const std::string& include : text.includes) {
            const auto name = (text.folder / include).lexically_normal();
            if (!seen.insert(name.string()).second) continue;
            const auto found =
                mayLieBeside(name) ? sourceText(source.path.parent_path() / name) : std::nullopt;
            if (!found) {
                headers.missing.push_back(include);
                continue;
            }
            headers.files[name.string()] = *found;
            ahead.push_back({name.parent_path(), quotedIncludes(*found)});
        }
    }
    return headers;
}

}  // namespace roofscope
