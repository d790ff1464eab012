// SPDX-License-Identifier: Apache-2.0
#include "reports/kernels/kernel_id.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "profile/names/function_name.h"
#include "profile/names/numba_name.h"
#include "profile/text/clean_text.h"
#include "profile/text/sha256.h"
#include "reports/escape/escape.h"

namespace roofscope {

namespace {

constexpr std::size_t kBaseLength = 7;  // 'k' and six digits
constexpr std::size_t kShapeDigits = 4;

/// Quotes a string like Python's repr(), because ids were first made in Python and existing notes
/// contain them.
std::string inQuotes(std::string_view text) {
    const char mark = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
    std::string out(1, mark);
    for (const char c : text) {
        if (c == '\\' || c == mark) out += '\\';
        out += c;
    }
    return out + mark;
}

std::string listed(const Dim3& extents) {
    return fmt::format("[{}, {}, {}]", extents.x, extents.y, extents.z);
}

std::string baseOf(const KernelAnalysis& kernel) {
    constexpr std::size_t kLongestRange = 4096;  // as in JSON
    const std::string range =
        kernel.range.empty() ? "None" : inQuotes(cleanText(kernel.range, kLongestRange));
    return "k" + sha256Hex(fmt::format("({}, {})",
                                       inQuotes(cleanText(stableKernelName(kernel.fullName),
                                                          kMostOfFullName)),
                                       range))
                     .substr(0, kBaseLength - 1);
}

std::string shapeOf(const LaunchGroup& group) {
    return sha256Hex(fmt::format("(({}, {}, {}, {}, {}),)", listed(group.grid), listed(group.block),
                                 group.cluster ? listed(*group.cluster) : "None",
                                 group.dynamicSharedBytes, group.device))
        .substr(0, kShapeDigits);
}

/// The suffix of an id if `before` earlier kernels have the same hashed properties and thus the
/// same id: an "x" for each of a few, a number for more.
std::string repeatMark(std::size_t before) {
    constexpr std::size_t kMarks = 8;
    return before <= kMarks ? std::string(before, 'x') : fmt::format("x{}", before);
}

/// The id without its repeatMark().
std::string_view withoutMark(std::string_view id) {
    const std::size_t at = id.find('x');
    if (at == id.npos) return id;
    const std::string_view mark = id.substr(at + 1);
    const auto all = [&](auto is) { return std::ranges::all_of(mark, is); };
    const bool ours =
        all([](char c) { return c == 'x'; }) || all([](char c) { return c >= '0' && c <= '9'; });
    return ours ? id.substr(0, at) : id;
}

bool isWord(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// A regular expression that matches exactly `text`.
std::string literal(std::string_view text) {
    std::string pattern;
    for (const char c : text) {
        if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

}  // namespace

std::vector<std::string> kernelIds(const Analysis& analysis) {
    std::vector<std::string> ids;
    std::unordered_map<std::string, std::size_t> shared;
    for (const KernelAnalysis& kernel : analysis.kernels)
        ++shared[ids.emplace_back(baseOf(kernel))];
    std::unordered_map<std::string, std::size_t> taken;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (shared[ids[i]] <= 1) continue;
        ids[i] += "-" + shapeOf(analysis.kernels[i].group);
        ids[i] += repeatMark(taken[ids[i]]++);
    }
    return ids;
}

bool isKernelId(std::string_view text) {
    const auto isHex = [](std::string_view digits) {
        return std::ranges::all_of(
            digits, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    };
    if (text.size() < kBaseLength || text[0] != 'k' || !isHex(text.substr(1, kBaseLength - 1)))
        return false;
    text = withoutMark(text);
    if (text.size() == kBaseLength) return true;
    return text.size() == kBaseLength + 1 + kShapeDigits && text[kBaseLength] == '-' &&
           isHex(text.substr(kBaseLength + 1));
}

std::vector<std::size_t> kernelsOfId(const Analysis& analysis, std::string_view id) {
    std::vector<std::size_t> exact, alike;
    if (!isKernelId(id)) return exact;
    const std::vector<std::string> ids = kernelIds(analysis);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] == id) exact.push_back(i);
        if (ids[i].substr(0, kBaseLength) == id.substr(0, kBaseLength)) alike.push_back(i);
    }
    return exact.empty() ? alike : exact;
}

std::string exactPattern(std::string_view fullName) {
    constexpr std::size_t kLongest = 160;
    // Numba's tags change with its compiler options.
    if (const auto numba = numbaName(fullName)) {
        std::string pattern = "^" + literal(numba->text()) + "$";
        if (pattern.size() > kLongest)
            pattern = "^" + literal(numba->scope + numba->function + "(");
        return pattern.size() <= kLongest ? pattern : std::string();
    }
    const std::string name = shortKernelName(fullName, std::string::npos);
    const std::string_view bare = std::string_view(name).substr(
        0, static_cast<std::size_t>(std::ranges::find_if_not(name, isWord) - name.begin()));
    if (bare.empty()) return {};
    // From the function's own name up to its parameters; template arguments keep their namespaces.
    std::size_t at = fullName.find(bare);
    const auto alone = [&](std::size_t from) {
        const std::size_t to = from + bare.size();
        return (from == 0 || !isWord(fullName[from - 1])) &&
               (to == fullName.size() || fullName[to] == '<' || fullName[to] == '(');
    };
    while (at != fullName.npos && !alone(at)) at = fullName.find(bare, at + 1);
    if (at == fullName.npos) return {};
    std::size_t end = at + bare.size(), depth = 0;
    for (; end < fullName.size(); ++end) {
        const char c = fullName[end];
        if (c == '(' && depth == 0) break;
        if (c == '<' || c == '(') ++depth;
        if ((c == '>' || c == ')') && depth > 0) --depth;
    }
    std::string pattern = "\\b" + literal(fullName.substr(at, end - at));
    pattern += end < fullName.size() ? "\\(" : "$";
    return pattern.size() <= kLongest ? pattern : std::string();
}

}  // namespace roofscope
