// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/disassembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "collector/run/processes/child_process.h"
#include "profile/files/find_program.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

/// How many lines are kept before and after a counted one.
constexpr std::uint32_t kContext = 10;
/// Limits for a line and for all files together, so that profiles stay small.
constexpr std::size_t kMaxLineBytes = 400;
constexpr std::size_t kMaxLines = 2000;
/// A path in a line map can name anything, even a device or an endless file.
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{16} << 20;

/// Replaces labels by addresses: "BRA `(.L_x_1)" becomes "BRA 0x640".
void resolveLabels(std::string& sass, const std::map<std::string, std::uint32_t>& labels) {
    const auto open = sass.find("`(");
    const auto close = sass.find(')', std::min(open, sass.size()));
    if (close == sass.npos) return;
    const auto label = labels.find(sass.substr(open + 2, close - open - 2));
    if (label != labels.end())
        sass.replace(open, close + 1 - open, fmt::format("0x{:x}", label->second));
}

bool isText(const std::string& line) {
    return std::ranges::none_of(line, [](char c) { return c == '\0'; });
}

}  // namespace

fs::path findDisassembler() {
    if (const char* chosen = std::getenv("ROOFSCOPE_NVDISASM"); chosen && *chosen)
        return std::string_view(chosen).find('/') == std::string_view::npos ? findProgram(chosen)
               : isProgram(chosen)                                          ? fs::path(chosen)
                                                                            : fs::path();
    constexpr const char* kName = "nvdisasm";
    if (fs::path found = findProgram(kName); !found.empty()) return found;
    std::vector<fs::path> toolkits;
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
        if (const char* value = std::getenv(variable); value && *value)
            toolkits.emplace_back(value);
    toolkits.emplace_back("/usr/local/cuda");
    for (const fs::path& toolkit : toolkits)
        if (fs::path found = toolkit / "bin" / kName; isProgram(found)) return found;
    return {};
}

Result<std::vector<SassLine>> disassemble(const fs::path& disassembler, const fs::path& cubin,
                                          const std::string& function) {
    // Disassemble the whole module: nvdisasm selects functions by a number that CUPTI counts
    // differently.
    const auto text = captureChild({disassembler.string(), "-c", cubin.string()}, true,
                                   kMostCaptured, nullptr, kToolPatience);
    if (!text) return text.error();
    auto lines = parseDisassembly(*text, function);
    if (lines.empty())
        return Error{.code = ErrorCode::BadData,
                     .what = "printed no instruction",
                     .where = disassembler.string()};
    return lines;
}

std::vector<SassLine> parseDisassembly(std::string_view text, std::string_view function) {
    std::map<std::uint32_t, std::string> lines;
    std::map<std::string, std::uint32_t> labels;
    std::vector<std::string> open;  // labels before the next instruction
    const std::string wanted = fmt::format(".text.{}:", function);
    bool within = false;
    while (!text.empty()) {
        const auto newline = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, newline);
        text.remove_prefix(std::min(newline + 1, text.size()));
        // A section begins with a line ".text.NAME:" (or ".section .text.NAME,…" before it).
        if (const auto label = line.find(".text."); label != line.npos && line.ends_with(':'))
            within = line.substr(label) == wanted;
        if (!within) continue;
        if (line.starts_with('.') && line.ends_with(':'))
            open.emplace_back(line.substr(0, line.size() - 1));
        // "        /*0010*/              @P0 LDG.E R4, desc[UR4][R2.64] ;"
        const auto begin = line.find("/*"), close = line.find("*/");
        if (begin == line.npos || close == line.npos || close < begin + 3) continue;
        if (line.find_first_not_of(" \t") != begin) continue;
        const std::string_view digits = line.substr(begin + 2, close - begin - 2);
        std::uint32_t offset = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), offset, 16);
        if (error != std::errc{} || end != digits.data() + digits.size()) continue;
        for (std::string& label : open) labels[std::move(label)] = offset;
        open.clear();
        line.remove_prefix(close + 2);
        const auto semicolon = line.rfind(';');
        if (semicolon == line.npos) continue;
        line = line.substr(0, semicolon);
        const auto first = line.find_first_not_of(" \t");
        if (first == line.npos) continue;
        const auto last = line.find_last_not_of(" \t");
        lines.emplace(offset, std::string(line.substr(first, last - first + 1)));
    }
    std::vector<SassLine> result;
    for (auto& [offset, sass] : lines) {
        resolveLabels(sass, labels);
        result.push_back({offset, std::move(sass)});
    }
    return result;
}

void addCode(Profile& profile, std::span<const PassCode> code) {
    const fs::path disassembler = code.empty() ? fs::path() : findDisassembler();
    for (const PassCode& pass : code) {
        std::string why = "nvdisasm was not found";
        if (!disassembler.empty()) {
            const auto sass = disassemble(disassembler, pass.cubin, pass.function);
            if (sass) {
                addDisassembly(profile.sources[pass.source], *sass);
                continue;
            }
            why = sass.error().message();
        }
        profile.issues.push_back(
            {.severity = Severity::Info,
             .source = "record",
             .code = "no-disassembly",
             .message = "instructions are known by offset only: " + why,
             .advice = "install the CUDA toolkit's nvdisasm, or set ROOFSCOPE_NVDISASM to it"});
    }
    for (SourcePass& pass : profile.sources) addSourceTexts(pass);
}

void addDisassembly(SourcePass& source, const std::vector<SassLine>& sass) {
    std::map<std::uint32_t, Instruction> all;
    std::map<std::uint32_t, std::size_t> rows;
    for (std::size_t row = 0; row < source.instructions.size(); ++row) {
        const Instruction& i = source.instructions[row];
        all[i.offset] = i;
        rows[i.offset] = row;
    }
    for (const SassLine& line : sass) {
        Instruction& i = all[line.offset];
        i.offset = line.offset;
        i.sass = line.text;
    }
    CounterTable counters(all.size());
    for (const std::string& name : source.counters.names()) {
        const auto old = source.counters.column(name);
        std::vector<double> column;
        for (const auto& [offset, i] : all) {
            const auto row = rows.find(offset);
            column.push_back(row == rows.end() ? std::nan("") : old[row->second]);
        }
        counters.addColumn(name, std::move(column));
    }
    source.instructions.clear();
    for (auto& [offset, i] : all) source.instructions.push_back(std::move(i));
    source.counters = std::move(counters);
}

void addSourceTexts(SourcePass& source) {
    std::map<std::uint32_t, std::set<std::uint32_t>> wanted;
    for (const Instruction& i : source.instructions)
        // A file of at most this size cannot have more lines; a larger number comes from a damaged
        // line map.
        if (i.file && i.line > 0 && i.line <= kMaxFileBytes)
            for (std::uint32_t line = i.line > kContext ? i.line - kContext : 1;
                 line <= i.line + kContext; ++line)
                wanted[*i.file].insert(line);
    std::size_t kept = 0;
    for (const auto& [file, lines] : wanted) {
        std::error_code error;
        const fs::path path = source.files[file];
        if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMaxFileBytes)
            continue;
        std::ifstream stream(path, std::ios::binary);
        std::string line;
        SourceText* open = nullptr;
        for (std::uint32_t number = 1; std::getline(stream, line) && kept < kMaxLines; ++number) {
            if (number > *lines.rbegin()) break;
            if (!lines.contains(number)) {
                open = nullptr;
                continue;
            }
            if (!isText(line)) break;
            if (!line.empty() && line.back() == '\r') line.pop_back();
            if (!open) {
                source.texts.push_back({.file = file, .firstLine = number});
                open = &source.texts.back();
            }
            open->lines.push_back(line.substr(0, kMaxLineBytes));
            ++kept;
        }
    }
}

}  // namespace roofscope
