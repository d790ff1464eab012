// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/counter_unit.h"

#include <array>
#include <utility>

#include "gui/models/text/number_text.h"

namespace roofscope::gui {

QString counterUnit(const QString& counter) {
    const qsizetype dot = counter.indexOf(QLatin1Char('.'));
    const QString base = dot < 0 ? counter : counter.left(dot);
    const QString rollup = dot < 0 ? QString() : counter.mid(dot);
    if (rollup.contains(QLatin1String("pct"))) return QStringLiteral("%");
    if (rollup.contains(QLatin1String("ratio"))) return {};
    if (base.contains(QLatin1String("time_duration"))) return QStringLiteral("ns");

    // The first match counts, so more specific words come first.
    static constexpr std::array kWords{std::pair{"cycles", "cycles"},
                                       std::pair{"bytes", "B"},
                                       std::pair{"sectors", "sectors"},
                                       std::pair{"wavefronts", "wavefronts"},
                                       std::pair{"bank_conflicts", "conflicts"},
                                       std::pair{"thread_inst", "thread instructions"},
                                       std::pair{"inst_executed", "instructions"},
                                       std::pair{"requests", "requests"},
                                       std::pair{"tags", "tags"},
                                       std::pair{"warps", "warps"},
                                       std::pair{"writeback_active", "cycles"},
                                       std::pair{"issue_active", "cycles"},
                                       std::pair{"ops_path", "operations"}};
    QString unit;
    for (const auto& [word, name] : kWords) {
        if (base.contains(QLatin1String(word))) {
            unit = QLatin1String(name);
            break;
        }
    }
    if (rollup.endsWith(QLatin1String("per_second")))
        return unit == QLatin1String("cycles") ? QStringLiteral("Hz") : unit + QStringLiteral("/s");
    if (rollup.contains(QLatin1String("per_cycle"))) return unit + QStringLiteral("/cycle");
    return unit;
}

QString counterText(const QString& counter, double value) {
    const QString unit = counterUnit(counter);
    if (unit == QLatin1String("%")) return text(Ratio{value / 100});
    if (unit == QLatin1String("ns")) return text(Seconds{value * 1e-9});
    if (unit == QLatin1String("B")) return text(Bytes{value});
    if (unit == QLatin1String("B/s")) return text(BytesPerSecond{value});
    if (unit == QLatin1String("Hz")) return text(Hertz{value});
    return countText(value);
}

QString exactCounterText(const QString& counter, double value) {
    const QString unit = counterUnit(counter), digits = text(value);
    return unit.isEmpty() ? digits : digits + QChar(QChar::Nbsp) + unit;
}

}  // namespace roofscope::gui
