// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/kernel_pattern.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <set>

#include "profile/edit_distance.h"

namespace roofscope {

namespace {

/// Names can be a megabyte long; what a pattern is meant for stands in front.
constexpr std::size_t kMostMatched = 2000;

std::string_view head(std::string_view text) { return text.substr(0, kMostMatched); }

/// What a pattern may mean of a kernel. An empty range means nothing.
std::vector<std::string> textsOf(const KernelIdentity& kernel) {
    std::vector<std::string> texts{std::string(kernel.name), std::string(head(kernel.fullName)),
                                   bareName(kernel)};
    if (!kernel.range.empty()) texts.emplace_back(head(kernel.range));
    return texts;
}

/// "*" stands for any characters, "?" for one. Linear in the text for each star.
bool globMatches(std::string_view glob, std::string_view text) {
    std::size_t g = 0, t = 0, star = glob.npos, mark = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            mark = t;
        } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g;
            ++t;
        } else if (star != glob.npos) {
            g = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == '*') ++g;
    return g == glob.size();
}

bool isWordChar(char c) {
    const auto u = static_cast<unsigned char>(c);
    return std::isalnum(u) != 0 || c == '_' || u >= 0x80;
}

bool hasWords(std::string_view text, std::string_view words) {
    for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1)) {
        const std::size_t end = at + words.size();
        if ((at == 0 || !isWordChar(text[at - 1]) || !isWordChar(words.front())) &&
            (end == text.size() || !isWordChar(text[end]) || !isWordChar(words.back())))
            return true;
    }
    return false;
}

/// "a/b/c" and "a > b" → their pieces, and the whole.
std::vector<std::string_view> pieces(std::string_view range) {
    std::vector<std::string_view> all{range};
    for (std::size_t from = 0; from <= range.size();) {
        const std::size_t end = std::min(range.find_first_of("/>", from), range.size());
        std::string_view piece = range.substr(from, end - from);
        while (piece.starts_with(' ')) piece.remove_prefix(1);
        while (piece.ends_with(' ')) piece.remove_suffix(1);
        if (!piece.empty()) all.push_back(piece);
        from = end + 1;
    }
    return all;
}

}  // namespace

std::vector<std::size_t> findKernels(const Analysis& analysis, std::string_view pattern) {
    if (pattern.empty()) return {};
    const bool glob = pattern.find_first_of("*?") != pattern.npos;
    using Reading = std::function<bool(std::string_view)>;
    const std::array<Reading, 4> readings{
        [&](std::string_view text) { return text == pattern; },
        [&](std::string_view text) { return glob && globMatches(pattern, text); },
        [&](std::string_view text) { return hasWords(text, pattern); },
        [&](std::string_view text) { return text.find(pattern) != text.npos; }};
    std::vector<std::vector<std::string>> texts;
    for (const KernelIdentity& kernel : identitiesOf(analysis)) texts.push_back(textsOf(kernel));
    for (const Reading& reading : readings) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (std::ranges::any_of(texts[i], reading)) found.push_back(i);
        if (!found.empty()) return found;
    }
    return {};
}

bool matchesKernel(const KernelIdentity& kernel, std::string_view pattern) {
    const std::vector<std::string> texts = textsOf(kernel);
    return std::ranges::any_of(texts, [&](const std::string& text) {
        return text == pattern || globMatches(pattern, text);
    });
}

std::vector<std::string> nearNames(const Analysis& analysis, std::string_view pattern,
                                   std::size_t most) {
    std::vector<std::pair<std::size_t, std::string>> near;
    std::set<std::string> seen;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const std::string bare = bareName(identityOf(kernel));
        std::string best = kernel.range.empty() ? kernel.name : kernel.range;
        std::size_t least =
            std::min(editDistance(bare, pattern), editDistance(kernel.name, pattern));
        if (!kernel.range.empty()) {
            std::size_t ofRange = pattern.size() + kMostMatched;
            for (const std::string_view piece : pieces(head(kernel.range)))
                ofRange = std::min(ofRange, editDistance(piece, pattern));
            if (least < ofRange) best = kernel.name;
            least = std::min(least, ofRange);
        }
        if (seen.insert(best).second) near.emplace_back(least, std::move(best));
    }
    std::ranges::stable_sort(near, {}, [](const auto& each) { return each.first; });
    std::vector<std::string> names;
    for (auto& [distance, name] : near)
        if (names.size() < most) names.push_back(std::move(name));
    return names;
}

}  // namespace roofscope
