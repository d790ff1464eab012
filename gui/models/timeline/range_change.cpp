// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline/range_change.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/program/program_words.h"

namespace roofscope::gui {
namespace {

/// Changes below this share of the longer range are scatter.
constexpr double kLeastChange = 0.01;

AccountChange::Row changeRow(const QString& name, Seconds before, Seconds after, Seconds longest) {
    const Seconds change = after - before;
    return {.cls = {},
            .name = name,
            .before = text(before),
            .after = text(after),
            .change = signedTime(change),
            .moved = std::abs(change.value) >= kLeastChange * longest.value};
}

AccountChange changeOfClasses(const RangeAccount& before, const RangeAccount& after,
                              Seconds longest) {
    AccountChange shown;
    shown.comparable = true;
    for (const TimeClass cls : kTimeClasses) {
        if (!(before.time[cls].value > 0) && !(after.time[cls].value > 0)) continue;
        shown.rows.push_back(changeRow(shownText(timeClassWords(cls, shownLanguage())),
                                       before.time[cls], after.time[cls], longest));
        shown.rows.back().cls = cls;
    }
    shown.rows.push_back(
        changeRow(AccountChange::allText(), before.total(), after.total(), longest));
    if (!(longest.value > 0)) return shown;
    shown.before = partsOf(before, longest);
    shown.after = partsOf(after, longest);
    return shown;
}

/// The launches and the time of a kernel function in both ranges.
struct BothRanges {
    double launchesBefore = 0, launchesAfter = 0;
    Seconds before, after;
};

}  // namespace

RangeChange rangeChange(const Analysis& analysis, const RangeAccount& before,
                        const RangeAccount& after, const QString& place) {
    const Seconds longest = std::max(before.total(), after.total());
    RangeChange shown;
    const QString length = text(Seconds{double(before.range.length()) / 1e9});
    shown.with = place.isEmpty() ? length : QStringLiteral("%1, %2").arg(place, length);
    shown.classes = changeOfClasses(before, after, longest);
    std::map<QString, BothRanges> functions;
    for (const KernelFunction& function : before.functions) {
        BothRanges& both = functions[shownText(program::nameOf(analysis, function))];
        both.launchesBefore += function.launches;
        both.before += function.time;
    }
    for (const KernelFunction& function : after.functions) {
        BothRanges& both = functions[shownText(program::nameOf(analysis, function))];
        both.launchesAfter += function.launches;
        both.after += function.time;
    }
    std::vector<std::pair<double, RangeChange::Kernel>> kernels;
    for (const auto& [name, both] : functions) {
        const Seconds change = both.after - both.before;
        const bool sameLaunches = both.launchesBefore == both.launchesAfter;
        if (sameLaunches && std::abs(change.value) < kLeastChange * longest.value) continue;
        const QString times = QStringLiteral("× %1").arg(text(both.launchesAfter));
        kernels.emplace_back(
            std::abs(change.value),
            RangeChange::Kernel{
                .name = name,
                .launches = sameLaunches
                                ? times
                                : QStringLiteral("× %1 → %2").arg(text(both.launchesBefore), times),
                .change = signedTime(change)});
    }
    std::ranges::stable_sort(kernels, std::greater{}, [](const auto& of) { return of.first; });
    for (auto& [change, kernel] : kernels) shown.kernels.push_back(std::move(kernel));
    return shown;
}

}  // namespace roofscope::gui
