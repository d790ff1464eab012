// SPDX-License-Identifier: Apache-2.0
#include "gui/models/overview/account_change.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/program/program_words.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct AccountChangeText {
    Q_DECLARE_TR_FUNCTIONS(AccountChange)
};

QString changeText(const std::optional<Seconds>& before, const std::optional<Seconds>& after) {
    return before && after ? signedTime(*after - *before) : QString();
}

AccountChange::Row rowOf(const QString& name, const std::optional<Seconds>& before,
                         const std::optional<Seconds>& after, bool moved) {
    return {.cls = {},
            .name = name,
            .before = before ? text(*before) : missingText(),
            .after = after ? text(*after) : missingText(),
            .change = changeText(before, after),
            .moved = moved};
}

}  // namespace

QString signedTime(Seconds change) {
    const QString time = text(Seconds{std::abs(change.value)});
    return change.value > 0 ? u'+' + time : change.value < 0 ? u'-' + time : time;
}

QString AccountChange::allText() { return AccountChangeText::tr("all"); }

std::optional<AccountChange> accountChange(const ProgramComparison& program) {
    if (program.classes.empty()) return std::nullopt;
    AccountChange shown;
    shown.comparable = program.comparable;
    for (const ClassTimes& times : program.classes) {
        shown.rows.push_back(rowOf(shownText(timeClassWords(times.cls, shownLanguage())),
                                   times.before, times.after, times.moved));
        shown.rows.back().cls = times.cls;
    }
    const Seconds before = program.before.window.seconds, after = program.after.window.seconds;
    shown.rows.push_back(rowOf(AccountChange::allText(), before, after, program.changed()));
    const Seconds longest = std::max(before, after);
    if (longest.value <= 0) return shown;
    shown.before = partsOf(program.before.account, longest);
    shown.after = partsOf(program.after.account, longest);
    return shown;
}

}  // namespace roofscope::gui
