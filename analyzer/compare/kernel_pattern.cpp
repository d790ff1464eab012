// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/kernel_pattern.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <set>

#include "profile/errors/edit_distance.h"
#include "profile/names/name_pattern.h"

namespace roofscope {

namespace {

/// The texts of a kernel that a pattern can match: its names and its NVTX range. The kernel must
/// outlive it.
class KernelTexts {
public:
    explicit KernelTexts(const KernelIdentity& kernel)
        : m_kernel(kernel), m_bare(bareName(kernel)) {}
    /// Whether `fits` is true for one of them.
    template <class Reading>
    [[nodiscard]] bool any(const Reading& fits) const {
        return fits(m_kernel.name) || fits(m_kernel.fullName) || fits(std::string_view(m_bare)) ||
               (!m_kernel.range.empty() && fits(m_kernel.range));
    }

private:
    const KernelIdentity& m_kernel;
    std::string m_bare;
};

std::shared_ptr<const NamePattern> globOf(std::string_view text) {
    constexpr std::size_t kLongest = 1000;  // the same limit as for a regular expression
    if (text.find_first_of("*?") == text.npos || text.size() > kLongest) return {};
    return std::make_shared<const NamePattern>(NamePattern::glob(text));
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

KernelPattern::KernelPattern(std::string text) : m_text(std::move(text)), m_glob(globOf(m_text)) {}

bool KernelPattern::matches(const KernelIdentity& kernel) const {
    return KernelTexts(kernel).any([this](std::string_view text) {
        return text == m_text || (m_glob && m_glob->matches(text));
    });
}

std::vector<std::size_t> findKernels(const Analysis& analysis, std::string_view pattern) {
    if (pattern.empty()) return {};
    const std::shared_ptr<const NamePattern> glob = globOf(pattern);
    using Reading = std::function<bool(std::string_view)>;
    const std::array<Reading, 4> readings{
        [&](std::string_view text) { return text == pattern; },
        [&](std::string_view text) { return glob && glob->matches(text); },
        [&](std::string_view text) { return hasWords(text, pattern); },
        [&](std::string_view text) { return text.find(pattern) != text.npos; }};
    const std::vector<KernelIdentity> kernels = identitiesOf(analysis);
    const std::vector<KernelTexts> texts(kernels.begin(), kernels.end());
    for (const Reading& reading : readings) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (texts[i].any(reading)) found.push_back(i);
        if (!found.empty()) return found;
    }
    return {};
}

std::vector<std::string> nearNames(const Analysis& analysis, std::string_view pattern,
                                   std::size_t most) {
    constexpr std::size_t kMostOfRange = 2000;  // ranges can be a megabyte of pieces
    std::vector<std::pair<std::size_t, std::string>> near;
    std::set<std::string> seen;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const std::string bare = bareName(identityOf(kernel));
        std::string best = kernel.range.empty() ? kernel.name : kernel.range;
        std::size_t least =
            std::min(editDistance(bare, pattern), editDistance(kernel.name, pattern));
        if (!kernel.range.empty()) {
            std::size_t ofRange = std::string::npos;
            for (const std::string_view piece :
                 pieces(std::string_view(kernel.range).substr(0, kMostOfRange)))
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
