// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "analyzer/compare/comparison.h"
#include "analyzer/language/sentence.h"

namespace roofscope {

namespace {

/// Of the names that share a rare word with one name, at most this many are compared with it: those
/// at about the same position in launch order. Comparing all would take quadratic time.
constexpr std::size_t kMostAlike = 64;
/// Names are similar from this share of common words on. Three of four are too few:
/// "softmaxWarpPerRow" and "decodeWarpPerRow" compute different things.
constexpr double kLeastLikeness = 0.8;
/// In the same NVTX range, half of the words are enough.
constexpr double kLeastInRange = 0.5;
/// Added for the same NVTX range, which says more than a common word.
constexpr double kSameRange = 0.15;

using NameParts = std::vector<std::string>;

/// "gemmTiled_v2" → gemm, tiled, v2.
NameParts wordsIn(std::string_view name) {
    NameParts words;
    std::string word;
    const auto flush = [&] {
        if (!word.empty()) words.push_back(std::move(word));
        word.clear();
    };
    bool lower = false;  // the previous character was a small letter
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

struct Name {
    std::string bare;
    NameParts stem;                    ///< its words without version words, sorted
    std::vector<std::uint32_t> words;  ///< numbers of the stem's words, the rarest (lowest) first
};

Name nameOf(const KernelIdentity& kernel) {
    Name name{.bare = bareName(kernel)};
    name.stem = wordsIn(name.bare);
    std::erase_if(name.stem, isVersion);
    std::ranges::sort(name.stem);
    return name;
}

/// Dice coefficient of two sorted lists of words: twice the common ones / all.
double dice(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::size_t common = 0;
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
        if (*i == *j) ++common;
        const bool first = *i <= *j, second = *j <= *i;
        i += first;
        j += second;
    }
    return 2.0 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

/// How many of the rarest words to look at: lists that are similar by `least` or more share one of
/// these, because without them too few common words are left ("prefix filtering").
std::size_t rarestWords(std::size_t words, double least) {
    const double needed = least / (2 - least) * static_cast<double>(words);
    return words - static_cast<std::size_t>(std::ceil(needed - 1e-9)) + 1;
}

/// Runs the tiers; each takes its pairs out of what is left.
class Matcher {
public:
    using Kernels = std::span<const KernelIdentity>;

    Matcher(Kernels baseline, Kernels candidate) : m_before(baseline), m_after(candidate) {}

    Matching run() {
        tier([this] { exact(); });
        tier([this] { nameAndRange(); });
        tier([this] { position(); });
        if (!m_before.left.empty() && !m_after.left.empty()) {
            for (Side* side : {&m_before, &m_after}) {
                side->names.resize(side->kernels.size());
                for (const std::size_t i : side->left) side->names[i] = nameOf(side->kernels[i]);
            }
            for (const bool inRange : {true, false}) {
                tier([&] { sameBareName(inRange); });
                tier([&] { sameStem(inRange); });
            }
            tier([this] { sharedWords(); });
            tier([this] { sameRange(); });
        }
        std::ranges::sort(m_out.matches, {}, &KernelMatch::baseline);
        m_out.gone = m_before.left;
        m_out.added = m_after.left;
        std::ranges::sort(m_out.gone);
        std::ranges::sort(m_out.added);
        return std::move(m_out);
    }

private:
    using Indices = std::vector<std::size_t>;

    struct Side {
        explicit Side(Kernels of) : kernels(of), taken(of.size()) {
            for (std::size_t i = 0; i < of.size(); ++i) left.push_back(i);
            for (const KernelIdentity& kernel : of) {
                functions.emplace_back(kernel.fullName);
                std::string lasting = stableKernelName(kernel.fullName);
                if (lasting != functions.back())
                    functions.back() = changed.emplace_back(std::move(lasting));
            }
            std::ranges::stable_sort(left, {}, [of](std::size_t i) { return of[i].firstLaunch; });
        }
        Kernels kernels;
        Indices left;  ///< without partner so far, in the order of first launches
        std::vector<char> taken;
        std::vector<std::string_view> functions;  ///< stableKernelName()
        std::deque<std::string> changed;          ///< storage of those that are not the full name
        std::vector<Name> names;  ///< of those without partner, when similarity is needed

        [[nodiscard]] std::string_view range(std::size_t i) const { return kernels[i].range; }
    };

    template <class Work>
    void tier(Work work) {
        work();
        for (Side* side : {&m_before, &m_after})
            std::erase_if(side->left, [side](std::size_t i) { return side->taken[i]; });
    }

    /// Kernels without partner by key, each list in the order of first launches.
    template <class Key>
    auto buckets(Key key) const {
        using K = decltype(key(m_before, 0));
        std::map<K, std::pair<Indices, Indices>> found;
        for (const std::size_t i : m_before.left) found[key(m_before, i)].first.push_back(i);
        for (const std::size_t i : m_after.left) found[key(m_after, i)].second.push_back(i);
        return found;
    }

    void pair(std::size_t baseline, std::size_t candidate, MatchTier tier, Words how) {
        m_before.taken[baseline] = m_after.taken[candidate] = true;
        m_out.matches.push_back(
            {.baseline = baseline, .candidate = candidate, .tier = tier, .how = std::move(how)});
    }

    void exact() {
        const auto key = [](const Side& side, std::size_t i) {
            const KernelIdentity& k = side.kernels[i];
            return std::tuple(side.functions[i], k.range, k.device, k.grid, k.block,
                              k.cluster.value_or(Dim3{}), k.dynamicSharedBytes);
        };
        for (const auto& [same, sides] : buckets(key))
            for (std::size_t i = 0; i < std::min(sides.first.size(), sides.second.size()); ++i)
                pair(sides.first[i], sides.second[i], MatchTier::Exact,
                     Words("same name, NVTX range and launch shape"));
    }

    void nameAndRange() {
        const auto key = [](const Side& side, std::size_t i) {
            return std::pair(side.functions[i], side.range(i));
        };
        for (const auto& [same, sides] : buckets(key)) {
            const auto& [a, b] = sides;
            // If one side has more shapes, which one became which is a guess, left to position().
            if (a.size() != b.size()) continue;
            const bool noRange = same.second.empty();
            for (std::size_t i = 0; i < a.size(); ++i) {
                const Words how = noRange ? Words("same name, another launch shape")
                                          : Words("same name and NVTX range, another launch shape");
                pair(a[i], b[i], MatchTier::NameAndRange,
                     a.size() > 1 ? wordsOf("{} (number {} of {})", how, i + 1, a.size()) : how);
            }
        }
    }

    void position() {
        const auto key = [](const Side& side, std::size_t i) { return side.functions[i]; };
        for (const auto& [same, sides] : buckets(key)) {
            const auto& [a, b] = sides;
            for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
                pair(a[i], b[i], MatchTier::Position,
                     wordsOf("same name; number {} of {} in the baseline and of {} in the "
                             "candidate, in the order of launches",
                             i + 1, a.size(), b.size()));
        }
    }

    /// Pairs kernels with the same key, one by one in launch order. An empty key says nothing, nor
    /// does an empty range if `inRange`.
    template <class Key>
    void similar(bool inRange, const Words& how, Key key) {
        const auto whole = [&](const Side& side, std::size_t i) {
            return std::pair(key(side.names[i]), inRange ? side.range(i) : std::string_view());
        };
        const Words said = inRange ? wordsOf("{}, same NVTX range", how) : how;
        for (const auto& [same, sides] : buckets(whole)) {
            if (same.first.empty() || (inRange && same.second.empty())) continue;
            for (std::size_t i = 0; i < std::min(sides.first.size(), sides.second.size()); ++i)
                pair(sides.first[i], sides.second[i], MatchTier::Similar, said);
        }
    }

    void sameBareName(bool inRange) {
        similar(inRange, Words("same function name with other template or parameter types"),
                [](const Name& name) { return std::string_view(name.bare); });
    }

    void sameStem(bool inRange) {
        similar(inRange, Words("names differ only in a version word"),
                [](const Name& name) { return name.stem; });
    }

    struct Pair {
        double score;
        std::size_t a, b;
        bool inRange;
    };

    /// Pairs names that have most of their words in common.
    void sharedWords() {
        numberWords();
        std::vector<Pair> pairs;
        for (const bool inRange : {true, false}) findShared(inRange, pairs);
        std::ranges::stable_sort(pairs, std::greater{}, &Pair::score);
        for (const Pair& p : pairs) {
            if (m_before.taken[p.a] || m_after.taken[p.b]) continue;
            const double shared = 100 * dice(m_before.names[p.a].words, m_after.names[p.b].words);
            pair(p.a, p.b, MatchTier::Similar,
                 p.inRange ? wordsOf("names share {:.0f} % of their words, same NVTX range", shared)
                           : wordsOf("names share {:.0f} % of their words", shared));
        }
    }

    /// Numbers the words of all kernels that are left, the rarest first.
    void numberWords() {
        std::map<std::string_view, std::uint32_t> count;
        for (const Side* side : {&m_before, &m_after})
            for (const std::size_t i : side->left)
                for (const std::string& word : side->names[i].stem) ++count[word];
        std::vector<std::pair<std::uint32_t, std::string_view>> byCount;
        for (const auto& [word, times] : count) byCount.emplace_back(times, word);
        std::ranges::sort(byCount);
        for (std::uint32_t i = 0; i < byCount.size(); ++i) count[byCount[i].second] = i;
        for (Side* side : {&m_before, &m_after})
            for (const std::size_t i : side->left) {
                Name& name = side->names[i];
                for (const std::string& word : name.stem) name.words.push_back(count[word]);
                std::ranges::sort(name.words);
            }
    }

    void findShared(bool inRange, std::vector<Pair>& pairs) {
        const double least = inRange ? kLeastInRange : kLeastLikeness;
        using Where = std::pair<std::string_view, std::uint32_t>;  // range, word
        const auto where = [&](const Side& side, std::size_t i, std::uint32_t word) {
            return Where(inRange ? side.range(i) : std::string_view(), word);
        };
        const auto rarest = [&](const Side& side, std::size_t i) {
            const std::vector<std::uint32_t>& words = side.names[i].words;
            if (words.empty() || (inRange && side.range(i).empty()))
                return std::span<const std::uint32_t>();
            return std::span(words).first(std::min(words.size(), rarestWords(words.size(), least)));
        };
        std::map<Where, std::vector<std::size_t>> having;  // places in m_after.left
        for (std::size_t j = 0; j < m_after.left.size(); ++j)
            for (const std::uint32_t word : rarest(m_after, m_after.left[j]))
                having[where(m_after, m_after.left[j], word)].push_back(j);
        std::vector<std::size_t> lastSeen(m_after.left.size(), m_before.left.size());
        for (std::size_t i = 0; i < m_before.left.size(); ++i) {
            const std::size_t a = m_before.left[i];
            for (const std::uint32_t word : rarest(m_before, a)) {
                const auto found = having.find(where(m_before, a, word));
                if (found == having.end()) continue;
                const std::vector<std::size_t>& list = found->second;
                const std::size_t looked = std::min(list.size(), kMostAlike);
                m_out.allNamesCompared = m_out.allNamesCompared && looked == list.size();
                const std::size_t first =
                    (list.size() - looked) * i / std::max<std::size_t>(m_before.left.size() - 1, 1);
                for (std::size_t n = 0; n < looked; ++n) {
                    const std::size_t j = list[first + n];
                    if (std::exchange(lastSeen[j], i) == i) continue;
                    const std::size_t b = m_after.left[j];
                    const double shared = dice(m_before.names[a].words, m_after.names[b].words);
                    // Pairs in one range have a round of their own.
                    const bool same =
                        !m_before.range(a).empty() && m_before.range(a) == m_after.range(b);
                    if (shared >= least && same == inRange)
                        pairs.push_back({shared + (inRange ? kSameRange : 0), a, b, inRange});
                }
            }
        }
    }

    /// Another implementation of the same step: one kernel is left on each side of its NVTX range.
    void sameRange() {
        const auto key = [](const Side& side, std::size_t i) { return side.range(i); };
        for (const auto& [range, sides] : buckets(key))
            if (!range.empty() && sides.first.size() == 1 && sides.second.size() == 1)
                pair(sides.first[0], sides.second[0], MatchTier::Similar,
                     Words("the only kernels left in the same NVTX range"));
    }

    Side m_before, m_after;
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

Matching matchKernels(std::span<const KernelIdentity> baseline,
                      std::span<const KernelIdentity> candidate) {
    return Matcher(baseline, candidate).run();
}

Matching matchKernels(const Analysis& baseline, const Analysis& candidate) {
    return matchKernels(identitiesOf(baseline), identitiesOf(candidate));
}

}  // namespace roofscope
