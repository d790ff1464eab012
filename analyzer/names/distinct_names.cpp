// SPDX-License-Identifier: Apache-2.0
#include "analyzer/names/distinct_names.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "analyzer/names/kernel_name.h"

namespace roofscope {

namespace {

std::string dimText(const Dim3& d) {
    if (d.z > 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
    return d.y > 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

/// "16,896"
std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, 1, ',');
    return text;
}

/// "0.67 M", and "172" rather than "0.000172 M".
std::string workText(double instructions) {
    constexpr double kMillions = 1e5;
    return instructions < kMillions
               ? grouped(static_cast<std::uint64_t>(std::llround(std::max(0.0, instructions))))
               : fmt::format("{:.3g} M", instructions * 1e-6);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == text.npos) return parts;
        text.remove_prefix(end + 1);
    }
}

using Texts = std::vector<std::string>;

std::size_t distinct(const Texts& texts) {
    return std::unordered_set<std::string_view>(texts.begin(), texts.end()).size();
}

/// The shortest end of each range that still distinguishes the ranges: "outer > naive/B=1,H=64" →
/// "B=1". The ranges must be distinct.
Texts distinguishingEnds(const Texts& ranges) {
    const auto endsAfter = [&](std::string_view separator) {
        Texts ends;
        for (const std::string& range : ranges) {
            const auto at = range.rfind(separator);
            ends.push_back(at == range.npos ? range : range.substr(at + separator.size()));
        }
        return ends;
    };
    const std::size_t wanted = ranges.size();
    Texts texts = endsAfter("/");
    if (distinct(texts) < wanted) texts = endsAfter(" > ");
    if (distinct(texts) < wanted) return ranges;
    // Of "key=value" lists, show only the values that differ.
    std::vector<std::vector<std::string_view>> lists;
    for (const std::string& text : texts) lists.push_back(split(text, ','));
    const auto& first = lists.front();
    if (std::ranges::any_of(lists, [&](const auto& list) { return list.size() != first.size(); }))
        return texts;
    Texts shorter(texts.size());
    for (std::size_t field = 0; field < first.size(); ++field) {
        if (std::ranges::all_of(lists,
                                [&](const auto& list) { return list[field] == first[field]; }))
            continue;
        for (std::size_t i = 0; i < lists.size(); ++i)
            shorter[i] += (shorter[i].empty() ? "" : ",") + std::string(lists[i][field]);
    }
    return shorter;
}

/// The same for the ranges of kernels, of which thousands may be equal.
Texts rangeTexts(const Texts& ranges) {
    std::unordered_map<std::string_view, std::size_t> places;
    Texts once;
    for (const std::string& range : ranges)
        if (places.try_emplace(range, once.size()).second) once.push_back(range);
    const Texts ends = distinguishingEnds(once);
    Texts texts;
    texts.reserve(ranges.size());
    for (const std::string& range : ranges) texts.push_back(ends[places.at(range)]);
    return texts;
}

/// What distinguishes kernels of one name, in as few words as possible; one text each, maybe empty.
Texts differences(const std::vector<KernelAnalysis*>& same) {
    struct Way {
        Texts texts;
        std::size_t distinct;
    };
    std::vector<Way> ways;
    // A property that is the same for all kernels is left out.
    const auto add = [&](auto value, auto text) {
        const auto first = value(*same.front());
        if (std::ranges::all_of(same, [&](const auto* k) { return value(*k) == first; })) return;
        Texts texts;
        for (const KernelAnalysis* kernel : same) texts.push_back(text(value(*kernel)));
        const std::size_t count = distinct(texts);
        if (count > 1) ways.push_back({std::move(texts), count});
    };
    using K = const KernelAnalysis&;
    add([](K k) -> const std::string& { return k.range; },
        [](const std::string& range) { return range; });
    if (!ways.empty()) {
        ways.front().texts = rangeTexts(ways.front().texts);
        ways.front().distinct = distinct(ways.front().texts);
    }
    add([](K k) { return k.group.grid; }, [](const Dim3& d) { return "grid " + dimText(d); });
    add([](K k) { return k.group.block; }, [](const Dim3& d) { return "block " + dimText(d); });
    add([](K k) { return k.group.dynamicSharedBytes; },
        [](std::uint64_t bytes) { return fmt::format("shared {} B", grouped(bytes)); });
    add([](K k) { return k.group.cluster; },
        [](const std::optional<Dim3>& d) { return d ? "cluster " + dimText(*d) : std::string(); });
    add([](K k) { return k.group.device; },
        [](std::uint32_t device) { return fmt::format("GPU {}", device); });
    add([](K k) { return std::optional<double>(k.quantities.warpInstructions.value); },
        [](const std::optional<double>& work) {
            return work ? workText(*work) + " instructions" : std::string();
        });
    for (Way& way : ways)
        if (way.distinct == same.size()) return std::move(way.texts);
    Texts together(same.size());
    std::size_t known = 1;
    for (const auto& [texts, unused] : ways) {
        Texts more = together;
        for (std::size_t i = 0; i < more.size(); ++i)
            if (!texts[i].empty()) more[i] += (more[i].empty() ? "" : ", ") + texts[i];
        const std::size_t count = distinct(more);
        if (count == known) continue;
        known = count;
        together = std::move(more);
    }
    return together;
}

/// At most `maxLength` characters; never cut inside a UTF-8 sequence.
std::string cutEnd(std::string text, std::size_t maxLength) {
    std::size_t characters = 0, kept = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (++characters == maxLength) kept = at;
        (void)utf8::next(text, at);
    }
    if (characters <= maxLength) return text;
    text.resize(kept);
    return text + "…";
}

/// Lengths in characters: of a name, and of the words in its brackets.
struct LongestName {
    std::size_t all, words;
};

/// Makes the names unique that `called` is: the short or the whole ones.
void makeUnique(std::vector<KernelAnalysis>& kernels, std::span<const std::string> plain,
                std::string KernelAnalysis::*called, LongestName longest) {
    constexpr std::size_t kRangeBytes = 2000, kNumber = 8;
    std::vector<KernelAnalysis*> byName;
    byName.reserve(kernels.size());
    for (KernelAnalysis& kernel : kernels) byName.push_back(&kernel);
    std::ranges::stable_sort(byName, {}, called);
    const auto endOfSame = [&byName, called](auto from) {
        return std::find_if(from, byName.end(), [from, called](const auto* k) {
            return k->*called != (*from)->*called;
        });
    };
    std::unordered_set<std::string> taken;
    for (auto from = byName.begin(); from != byName.end();) {
        const auto end = endOfSame(from);
        if (end - from == 1) taken.insert((*from)->*called);
        from = end;
    }
    if (taken.size() == kernels.size()) return;
    std::unordered_map<std::string, std::size_t> numbers;  // by shortened name: the last one used
    for (auto from = byName.begin(); from != byName.end();) {
        const auto end = endOfSame(from);
        const std::vector<KernelAnalysis*> same(from, end);
        from = end;
        if (same.size() == 1) continue;
        const Texts words = differences(same);
        const std::string name = same.front()->*called;
        const std::size_t length = lengthOf(name);
        // Thousands of kernels of one name have only few plain names: cut each once.
        std::map<std::pair<std::string_view, std::size_t>, std::string> cut;
        const auto within = [&](const KernelAnalysis& kernel, std::size_t room) -> std::string {
            // A name that fits is not cut again.
            if (length <= room) return name;
            const std::string& whole = plain[kernel.group.kernel];
            const auto [known, isNew] = cut.try_emplace({whole, room});
            if (isNew) known->second = cutKernelName(whole, room);
            return known->second;
        };
        for (std::size_t i = 0; i < same.size(); ++i) {
            std::string suffix;
            if (!words[i].empty())
                suffix = " [" + cutEnd(words[i].substr(0, kRangeBytes), longest.words) + "]";
            std::string named = within(*same[i], longest.all - lengthOf(suffix)) + suffix;
            // Different functions can have the same short name and shape. Only a number
            // distinguishes them.
            if (!taken.insert(named).second) {
                const std::string base = within(*same[i], longest.all - kNumber);
                std::size_t& number = numbers.try_emplace(base, 1).first->second;
                do named = base + fmt::format(" #{}", ++number);
                while (!taken.insert(named).second);
            }
            same[i]->*called = std::move(named);
        }
    }
}

}  // namespace

void makeNamesUnique(std::vector<KernelAnalysis>& kernels, std::span<const std::string> plain) {
    // Tables must not cut off the words in brackets.
    makeUnique(kernels, plain, &KernelAnalysis::name, {.all = kShownName, .words = 32});
    makeUnique(kernels, plain, &KernelAnalysis::wholeName,
               {.all = std::numeric_limits<std::size_t>::max(), .words = 120});
}

}  // namespace roofscope
