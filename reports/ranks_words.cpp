// SPDX-License-Identifier: Apache-2.0
#include "reports/ranks_words.h"

#include <algorithm>

#include "analyzer/ranks.h"
#include "reports/escape.h"
#include "reports/json_parts.h"
#include "reports/number_format.h"

namespace roofscope {
namespace {

using json_parts::Json;

std::string timeText(Seconds time) { return formatNumber(time.value, Unit::Seconds); }

std::string sentence(const RankSpread& spread, std::size_t all, const std::string& what,
                     const std::function<std::string(const std::string&)>& quote,
                     const RankWords& w) {
    const std::string who =
        spread.ranks.size() == all ? w.all(all) : w.some(spread.ranks.size(), all);
    const std::string fastest = timeText(spread.fastest.time),
                      slowest = timeText(spread.slowest.time);
    // The median of two is their mean, of which neither can be more than twice.
    std::string text =
        spread.ranks.size() == 2 && spread.fastest.time.value > 0
            ? w.spreadOfTwo(what, who, fastest, slowest, spread.slowest.rank,
                            spread.slowest.time.value / spread.fastest.time.value,
                            spread.fastest.rank)
            : w.spread(what, who, fastest, slowest, timeText(spread.median), spread.slowest.rank,
                       spread.slowestOverMedian, spread.fastest.rank);
    if (!spread.slowest.host.empty() && spread.slowest.host != spread.fastest.host)
        text += w.onHost(quote(spread.slowest.host));
    if (spread.slowest.launches < spread.slowest.all.count)
        text += w.alone(spread.slowest.launches, spread.slowest.all.count);
    return text;
}

/// What ran beside kernels that wait for other ranks, and is not compared for it.
std::string besideSentence(const RankReport& report, bool even, const RankWords& w) {
    std::vector<const RankTime*> ranks;
    for (const RankTime& rank : report.total.ranks)
        if (rank.beside) ranks.push_back(&rank);
    const auto time = [](const RankTime* rank) { return rank->beside->time.value; };
    const auto [least, most] = std::ranges::minmax_element(ranks, {}, time);
    if (most == ranks.end() || (*most)->beside->count == 0) return {};
    const auto say = [](const auto& words, const RankTime& rank) {
        return words(rank.rank, rank.beside->count, rank.all.count, timeText(rank.beside->time),
                     timeText(rank.all.time));
    };
    std::string text = say(w.beside, **most);
    if (least != most) text += say(w.besideLeast, **least);
    return text + w.besideWhy + (even ? w.besideEven.str() : std::string());
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
    Json ranks = Json::array();
    for (const RankTime& time : spread.ranks) ranks.push_back(timeObject(time));
    return {{"material", spread.material},
            {"min", timeObject(spread.fastest)},
            {"median_ns", json_parts::number(spread.median.value * 1e9)},
            {"max", timeObject(spread.slowest)},
            {"max_over_median", json_parts::number(spread.slowestOverMedian)},
            {"ranks", std::move(ranks)}};
}

}  // namespace

std::vector<std::string> rankSentences(const Profile& profile,
                                       const std::function<std::string(const std::string&)>& quote,
                                       const Wording& wording, std::size_t most) {
    const RankWords& w = wording.ranks;
    const RankReport report = compareRanks(profile);
    std::vector<std::string> sentences;
    if (report.total.material)
        sentences.push_back(sentence(report.total, report.ranks, w.allKernels.str(), quote, w));
    for (std::size_t i = 0; i < report.kernels.size() && i < most; ++i)
        sentences.push_back(
            sentence(report.kernels[i], report.ranks, quote(report.kernels[i].name), quote, w));
    if (report.kernels.size() > most) sentences.push_back(w.more(report.kernels.size() - most));
    if (report.besideMatters)
        if (std::string words = besideSentence(report, sentences.empty(), w); !words.empty())
            sentences.push_back(std::move(words));
    if (!sentences.empty())
        for (const Words& note : report.notes) sentences.push_back(note.in(wording.language));
    return sentences;
}

nlohmann::ordered_json rankObject(const Profile& profile) {
    const RankReport report = compareRanks(profile);
    if (report.ranks < 2) return nullptr;
    Json kernels = Json::array();
    for (const RankSpread& spread : report.kernels) {
        Json object{{"name", json_parts::clean(spread.name)}};
        object.update(spreadObject(spread));
        kernels.push_back(std::move(object));
    }
    Json notes = Json::array();
    for (const Words& note : report.notes) notes.push_back(note.in(Language::En));
    return {{"count", report.ranks},
            {"total", report.total.ranks.empty() ? Json(nullptr) : spreadObject(report.total)},
            {"kernels", std::move(kernels)},
            {"notes", std::move(notes)}};
}

}  // namespace roofscope
