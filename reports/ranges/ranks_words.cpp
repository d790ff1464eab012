// SPDX-License-Identifier: Apache-2.0
#include "reports/ranges/ranks_words.h"

#include <algorithm>

#include "analyzer/ranks/ranks.h"
#include "reports/json/json_parts.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"

namespace roofscope {
namespace {

using json_parts::Json;

doc::Text sentence(const RankSpread& spread, std::size_t all, const doc::Text& what, Language l) {
    const std::string who = spread.ranks.size() == all
                                ? say(l, "{} ranks", all)
                                : say(l, "{} of {} ranks", spread.ranks.size(), all);
    const std::string fastest = formatTime(spread.fastest.time),
                      slowest = formatTime(spread.slowest.time);
    // The median of two ranks is their mean, so compare them with each other.
    const std::string words =
        spread.ranks.size() == 2 && spread.fastest.time.value > 0
            ? say(l, "{} spend {} and {}; rank {} takes {:.2f} times as long as rank {}", who,
                  fastest, slowest, spread.slowest.rank,
                  spread.slowest.time.value / spread.fastest.time.value, spread.fastest.rank)
            : say(l,
                  "{} spend {} to {}, median {}; rank {} is the slowest, {:.2f}× the median, rank "
                  "{} "
                  "the fastest",
                  who, fastest, slowest, formatTime(spread.median), spread.slowest.rank,
                  spread.slowestOverMedian, spread.fastest.rank);
    doc::Text text = tell(l, "{}: {}", what, words);
    if (!spread.slowest.host.empty() && spread.slowest.host != spread.fastest.host)
        text += tell(l, " (on {})", doc::code(spread.slowest.host, 100));
    if (spread.slowest.launches < spread.slowest.all.count)
        text += say(l, ", in the {} of {} launches that run alone in every rank",
                    spread.slowest.launches, spread.slowest.all.count);
    return text;
}

/// Which launches ran beside kernels that wait for other ranks and are therefore not compared.
std::string overlapSentence(const RankReport& report, bool even, Language l) {
    std::vector<const RankTime*> ranks;
    for (const RankTime& rank : report.total.ranks)
        if (rank.beside) ranks.push_back(&rank);
    const auto time = [](const RankTime* rank) { return rank->beside->time.value; };
    const auto [least, most] = std::ranges::minmax_element(ranks, {}, time);
    if (most == ranks.end() || (*most)->beside->count == 0) return {};
    const RankTime &longest = **most, &shortest = **least;
    std::string text =
        say(l,
            "rank {} runs {} of {} launches beside kernels that wait for other ranks (NCCL, "
            "NVSHMEM), {} of its {}",
            longest.rank, longest.beside->count, longest.all.count,
            formatTime(longest.beside->time), formatTime(longest.all.time));
    if (least != most)
        text += say(l, "; rank {} runs {} of {}, {} of {}", shortest.rank, shortest.beside->count,
                    shortest.all.count, formatTime(shortest.beside->time),
                    formatTime(shortest.all.time));
    text += say(l,
                ". Kernels can take longer there, so only launches that run alone in every rank "
                "are compared");
    return even ? text + say(l, "; in those each kernel takes equally long in all ranks") : text;
}

Json timeObject(const RankTime& time) {
    const auto ns = [](Seconds value) { return json_parts::number(value.value * 1e9); };
    Json object{{"rank", time.rank},
                {"time_ns", ns(time.time)},
                {"launches", time.launches},
                {"all_launches", time.all.count},
                {"all_ns", ns(time.all.time)},
                {"beside_launches", time.beside ? Json(time.beside->count) : Json()},
                {"beside_ns", time.beside ? ns(time.beside->time) : Json()}};
    if (!time.host.empty()) object["host"] = json_parts::clean(time.host);
    return object;
}

Json spreadObject(const RankSpread& spread) {
    return {{"material", spread.material},
            {"min", timeObject(spread.fastest)},
            {"median_ns", json_parts::number(spread.median.value * 1e9)},
            {"max", timeObject(spread.slowest)},
            {"max_over_median", json_parts::number(spread.slowestOverMedian)},
            {"ranks", json_parts::list(spread.ranks, timeObject)}};
}

}  // namespace

std::vector<doc::Text> rankSentences(const Profile& profile, Language l, std::size_t most,
                                     bool unevenAlreadySaid) {
    const RankReport report = compareRanks(profile);
    std::vector<doc::Text> sentences;
    if (report.total.material)
        sentences.push_back(sentence(report.total, report.ranks, say(l, "all kernels"), l));
    for (std::size_t i = 0; i < report.kernels.size() && i < most; ++i)
        sentences.push_back(
            sentence(report.kernels[i], report.ranks, doc::code(report.kernels[i].name, 100), l));
    if (report.kernels.size() > most)
        sentences.emplace_back(say(l, "{} more kernels are uneven", report.kernels.size() - most));
    // If the reader knows which rank is waited for, that other launches are even is not worth
    // saying.
    if (unevenAlreadySaid && sentences.empty()) return {};
    if (report.overlapMatters)
        if (std::string words = overlapSentence(report, sentences.empty(), l); !words.empty())
            sentences.emplace_back(words);
    if (!sentences.empty())
        for (const Words& note : report.notes) sentences.emplace_back(note.in(l));
    return sentences;
}

nlohmann::ordered_json rankObject(const Profile& profile) {
    const RankReport report = compareRanks(profile);
    if (report.ranks < 2) return nullptr;
    return {{"count", report.ranks},
            {"total", report.total.ranks.empty() ? Json(nullptr) : spreadObject(report.total)},
            {"kernels", json_parts::list(report.kernels,
                                         [](const RankSpread& spread) {
                                             Json object{{"name", json_parts::clean(spread.name)}};
                                             object.update(spreadObject(spread));
                                             return object;
                                         })},
            {"notes", json_parts::list(report.notes,
                                       [](const Words& note) { return note.in(Language::En); })}};
}

}  // namespace roofscope
