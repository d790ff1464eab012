// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "analyzer/compare/comparison.h"

namespace roofscope {

namespace {

/// Beyond this many kernels without partner on a side, likeness is not looked for: it would compare
/// each with each.
constexpr std::size_t kMostAlike = 1000;
/// Names count as alike from this likeness on. Three of four words in common are too few:
/// "softmaxWarpPerRow" and "decodeWarpPerRow" compute different things.
constexpr double kLeastLikeness = 0.8;
/// In the same NVTX range half of the words are enough.
constexpr double kLeastInRange = 0.5;
constexpr double kSameBareName = 0.95, kSameStem = 0.9;
/// The same NVTX range says more than a word in common.
constexpr double kSameRange = 0.15;

using NameParts = std::vector<std::string>;

/// "gemmTiled_v2" → gemm, tiled, v2.
NameParts wordsOf(std::string_view name) {
    NameParts words;
    std::string word;
    const auto flush = [&] {
        if (!word.empty()) words.push_back(std::move(word));
        word.clear();
    };
    bool lower = false;  // the character before was a small letter
    for (const char c : name) {
        const auto u = static_cast<unsigned char>(c);
        if (!std::isalnum(u) && u < 0x80) {
            flush();
            lower = false;
            continue;
        }
        if (std::isupper(u) && lower) flush();
        word += static_cast<char>(std::tolower(u));
        lower = std::islower(u) || std::isdigit(u);
    }
    flush();
    return words;
}

/// Words that say which attempt a kernel is, not what it computes.
bool isVersion(const std::string& word) {
    static const std::set<std::string, std::less<>> kVersions{
        "new",  "old",      "opt",   "optimized", "optimised", "fast",  "faster",
        "slow", "naive",    "tuned", "fixed",     "final",     "orig",  "original",
        "base", "baseline", "v",     "ver",       "version",   "kernel"};
    if (kVersions.contains(word)) return true;
    const std::string_view digits =
        word.starts_with('v') ? std::string_view(word).substr(1) : std::string_view(word);
    return !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
}

/// The name without template arguments: "transpose<float, 32>" → "transpose".
std::string bareName(const KernelAnalysis& kernel) {
    const std::string name = shortKernelName(kernel.fullName);
    return name.substr(0, name.find('<'));
}

struct Name {
    std::string bare;
    NameParts words, stem;  ///< stem: without version words; sorted
};

Name nameOf(const KernelAnalysis& kernel) {
    Name name{.bare = bareName(kernel), .words = {}, .stem = {}};
    name.words = wordsOf(name.bare);
    std::copy_if(name.words.begin(), name.words.end(), std::back_inserter(name.stem),
                 [](const std::string& word) { return !isVersion(word); });
    std::sort(name.stem.begin(), name.stem.end());
    return name;
}

/// Dice coefficient of two sorted word lists: twice what they share over all.
double dice(const NameParts& a, const NameParts& b) {
    if (a.empty() || b.empty()) return 0;
    NameParts common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    return 2.0 * static_cast<double>(common.size()) / static_cast<double>(a.size() + b.size());
}

struct Likeness {
    double score = 0;
    Words how;
};

Likeness likeness(const Name& a, const Name& b) {
    if (!a.bare.empty() && a.bare == b.bare)
        return {kSameBareName, Words("same function name with other template or parameter types",
                                     "函数名相同，模板或参数类型不同")};
    if (!a.stem.empty() && a.stem == b.stem)
        return {kSameStem,
                Words("names differ only in a version word", "名称只差一个表示版本的词")};
    const double shared = dice(a.stem, b.stem);
    return {shared, Words(fmt::format("names share {:.0f} % of their words", 100 * shared),
                          fmt::format("名称中有 {:.0f} % 的词相同", 100 * shared))};
}

/// Works through the tiers; each takes its pairs out of what is left.
class Matcher {
public:
    Matcher(const Analysis& baseline, const Analysis& candidate)
        : m_baseline(baseline), m_candidate(candidate) {
        m_left = byFirstLaunch(baseline);
        m_right = byFirstLaunch(candidate);
        m_leftTaken.resize(m_left.size());
        m_rightTaken.resize(m_right.size());
    }

    Matching run() {
        for (const auto tier : {&Matcher::exact, &Matcher::nameAndRange, &Matcher::position,
                                &Matcher::alike, &Matcher::sameRange}) {
            (this->*tier)();
            std::erase_if(m_left, [this](std::size_t i) { return m_leftTaken[i]; });
            std::erase_if(m_right, [this](std::size_t i) { return m_rightTaken[i]; });
        }
        std::sort(m_out.matches.begin(), m_out.matches.end(),
                  [](const auto& a, const auto& b) { return a.baseline < b.baseline; });
        m_out.gone = m_left;
        m_out.added = m_right;
        std::sort(m_out.gone.begin(), m_out.gone.end());
        std::sort(m_out.added.begin(), m_out.added.end());
        return std::move(m_out);
    }

private:
    using Indices = std::vector<std::size_t>;

    static Indices byFirstLaunch(const Analysis& analysis) {
        Indices order(analysis.kernels.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return analysis.kernels[a].group.launches < analysis.kernels[b].group.launches;
        });
        return order;
    }

    const KernelAnalysis& left(std::size_t i) const { return m_baseline.kernels[i]; }
    const KernelAnalysis& right(std::size_t i) const { return m_candidate.kernels[i]; }

    /// Kernels without partner that have the same key, each list in the order of first launches.
    template <class Key>
    auto buckets(Key key) const {
        using K = decltype(key(left(0)));
        std::map<K, std::pair<Indices, Indices>> found;
        for (const std::size_t i : m_left) found[key(left(i))].first.push_back(i);
        for (const std::size_t i : m_right) found[key(right(i))].second.push_back(i);
        return found;
    }

    void pair(std::size_t baseline, std::size_t candidate, MatchTier tier, Words how) {
        m_leftTaken[baseline] = m_rightTaken[candidate] = true;
        m_out.matches.push_back(
            {.baseline = baseline, .candidate = candidate, .tier = tier, .how = std::move(how)});
    }

    void exact() {
        const auto key = [](const KernelAnalysis& k) {
            return std::tuple(std::string_view(k.fullName), std::string_view(k.range),
                              k.group.device, k.group.grid, k.group.block,
                              k.group.cluster.value_or(Dim3{}), k.group.dynamicSharedBytes);
        };
        for (const auto& [same, sides] : buckets(key))
            for (std::size_t i = 0; i < std::min(sides.first.size(), sides.second.size()); ++i)
                pair(sides.first[i], sides.second[i], MatchTier::Exact,
                     Words("same name, NVTX range and launch shape",
                           "名称、NVTX 区间和启动形状都相同"));
    }

    void nameAndRange() {
        const auto key = [](const KernelAnalysis& k) {
            return std::pair(std::string_view(k.fullName), std::string_view(k.range));
        };
        for (const auto& [same, sides] : buckets(key)) {
            const auto& [a, b] = sides;
            // Several shapes on one side only: which one it became is a guess, left to position().
            if (a.size() != b.size()) continue;
            const bool noRange = same.second.empty();
            for (std::size_t i = 0; i < a.size(); ++i) {
                std::string en = noRange ? "same name" : "same name and NVTX range";
                std::string zh = noRange ? "名称相同" : "名称和 NVTX 区间相同";
                en += ", another launch shape";
                zh += "，启动形状不同";
                if (a.size() > 1) {
                    en += fmt::format(" (number {} of {})", i + 1, a.size());
                    zh += fmt::format("（{1} 个中的第 {0} 个）", i + 1, a.size());
                }
                pair(a[i], b[i], MatchTier::NameAndRange, {std::move(en), std::move(zh)});
            }
        }
    }

    void position() {
        const auto key = [](const KernelAnalysis& k) { return std::string_view(k.fullName); };
        for (const auto& [same, sides] : buckets(key)) {
            const auto& [a, b] = sides;
            for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
                pair(a[i], b[i], MatchTier::Position,
                     {fmt::format("same name; number {} of {} in the baseline and of {} in the "
                                  "candidate, in the order of launches",
                                  i + 1, a.size(), b.size()),
                      fmt::format("名称相同；按启动顺序，是基线 {1} 个、候选 {2} 个中的第 {0} 个",
                                  i + 1, a.size(), b.size())});
        }
    }

    void alike() {
        if (m_left.empty() || m_right.empty() || m_left.size() > kMostAlike ||
            m_right.size() > kMostAlike)
            return;
        struct Pair {
            double score;
            std::size_t a, b;
            Words how;
        };
        std::vector<Name> before, after;
        for (const std::size_t i : m_left) before.push_back(nameOf(left(i)));
        for (const std::size_t i : m_right) after.push_back(nameOf(right(i)));
        std::vector<Pair> pairs;
        for (std::size_t i = 0; i < m_left.size(); ++i)
            for (std::size_t j = 0; j < m_right.size(); ++j) {
                Likeness like = likeness(before[i], after[j]);
                const std::string& range = left(m_left[i]).range;
                const bool inRange = !range.empty() && range == right(m_right[j]).range;
                if (like.score < (inRange ? kLeastInRange : kLeastLikeness)) continue;
                if (inRange) {
                    like.score += kSameRange;
                    like.how = {like.how.in(Language::En) + ", same NVTX range",
                                like.how.in(Language::Zh) + "，NVTX 区间相同"};
                }
                pairs.push_back({like.score, m_left[i], m_right[j], std::move(like.how)});
            }
        std::stable_sort(pairs.begin(), pairs.end(),
                         [](const Pair& a, const Pair& b) { return a.score > b.score; });
        for (Pair& p : pairs)
            if (!m_leftTaken[p.a] && !m_rightTaken[p.b])
                pair(p.a, p.b, MatchTier::Similar, std::move(p.how));
    }

    /// Another implementation of the same step: one kernel is left on each side of its range.
    void sameRange() {
        const auto key = [](const KernelAnalysis& k) { return std::string_view(k.range); };
        for (const auto& [range, sides] : buckets(key))
            if (!range.empty() && sides.first.size() == 1 && sides.second.size() == 1)
                pair(sides.first[0], sides.second[0], MatchTier::Similar,
                     Words("the only kernels left in the same NVTX range",
                           "同一 NVTX 区间中仅剩的内核"));
    }

    const Analysis& m_baseline;
    const Analysis& m_candidate;
    Indices m_left, m_right;  ///< without partner so far, in the order of first launches
    std::vector<char> m_leftTaken, m_rightTaken;
    Matching m_out;
};

}  // namespace

const char* toString(MatchTier tier) {
    switch (tier) {
        case MatchTier::Given:
            return "given";
        case MatchTier::Exact:
            return "exact";
        case MatchTier::NameAndRange:
            return "name-and-range";
        case MatchTier::Position:
            return "position";
        case MatchTier::Similar:
            return "similar";
    }
    return "given";
}

Matching matchKernels(const Analysis& baseline, const Analysis& candidate) {
    return Matcher(baseline, candidate).run();
}

}  // namespace roofscope
