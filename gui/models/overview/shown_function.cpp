// SPDX-License-Identifier: Apache-2.0
#include "gui/models/overview/shown_function.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "analyzer/program/account/functions.h"
#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_text.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct FunctionText {
    Q_DECLARE_TR_FUNCTIONS(Overview)
};

/// The launches per window, a mean: "12", "0.33".
QString launchesText(double launches) {
    const double whole = std::round(launches);
    return QStringLiteral("× %1").arg(
        text(std::abs(launches - whole) < 0.005 * std::max(1.0, whole) ? whole : launches));
}

}  // namespace

std::vector<ShownFunction> shownFunctions(const Analysis& analysis,
                                          const std::vector<KernelFunction>& functions,
                                          Seconds whole) {
    std::vector<ShownFunction> all;
    for (const KernelFunction& function : functions) {
        ShownFunction& row = all.emplace_back();
        row.name = shownText(program::wholeNameOf(analysis, function));
        row.share = text(Ratio{whole.value > 0 ? function.time / whole : 0.0});
        row.time = text(function.time);
        row.launches = launchesText(function.launches);
        if (function.kernels.size() > 1)
            row.shapes = FunctionText::tr("%1 shapes").arg(text(double(function.kernels.size())));
        row.verdict = verdictText(analysis.kernels[function.shown].verdict);
        row.kernels.current = function.shown;
        row.kernels.all.assign(function.kernels.begin(), function.kernels.end());
        std::ranges::sort(row.kernels.all);
    }
    return all;
}

}  // namespace roofscope::gui
