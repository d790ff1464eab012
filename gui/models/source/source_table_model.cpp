// SPDX-License-Identifier: Apache-2.0
#include "gui/models/source/source_table_model.h"

#include "analyzer/source/stalls.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"

namespace roofscope::gui {
namespace {

constexpr std::size_t kLongestLine = 400;
constexpr std::size_t kMostReasons = 6;

QString shareText(double share) { return text(Ratio{share}); }

}  // namespace

QString cleanCode(std::string_view code) {
    constexpr std::size_t kTab = 4;
    std::string spaces;
    for (const char c : code.substr(0, 4 * kLongestLine)) {
        if (c == '\t')
            spaces.append(kTab - spaces.size() % kTab, ' ');
        else
            spaces.push_back(c);
    }
    return shownText(spaces, kLongestLine);
}

QString sourceNumberName(SourceNumber number) {
    const QString names[] = {SourceTableModel::tr("Stall samples"),
                             SourceTableModel::tr("Executed instructions"),
                             SourceTableModel::tr("Sectors"),
                             SourceTableModel::tr("Ideal sectors"),
                             SourceTableModel::tr("Excess sectors"),
                             SourceTableModel::tr("Shared wavefronts"),
                             SourceTableModel::tr("Ideal shared wavefronts"),
                             SourceTableModel::tr("Excess shared wavefronts"),
                             SourceTableModel::tr("Local-memory sectors")};
    static_assert(std::size(names) == kSourceNumbers);
    return names[int(number)];
}

QString stallName(const std::string& reason) {
    return cleanCode(stallWords(reason).in(shownLanguage()));
}

SourceTableModel::SourceTableModel(const QString& place, QObject* parent)
    : CellModel(
          {{place, tr("▸ marks rows with at least 1 % of the chosen number; they are shaded")}},
          parent) {
    // Short names for narrow columns. "ideal" and "excess" refer to the column before them.
    const QString names[] = {tr("Samples"),
                             tr("Executed"),
                             tr("Sectors"),
                             tr("ideal", "sectors"),
                             tr("excess", "sectors"),
                             tr("Wavefronts"),
                             tr("ideal", "wavefronts"),
                             tr("excess", "wavefronts"),
                             tr("Local")};
    static_assert(std::size(names) == kSourceNumbers);
    for (int number = 0; number < kSourceNumbers; ++number)
        m_headings.push_back(
            {names[number], tr("%1, of the launch that was measured per instruction")
                                .arg(sourceNumberName(static_cast<SourceNumber>(number)))});
    m_headings.push_back({tr("Waits for"), tr("The most frequent stall reason"), Texts});
    m_headings.push_back({tr("Code"), tr("As recorded"), Texts});
}

void SourceTableModel::setHeat(std::optional<SourceNumber> heat) {
    if (m_heat == heat) return;
    m_heat = heat;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

bool SourceTableModel::hasColumn(int column) const {
    if (column == kStall) return m_sheet && !m_sheet->reasons().empty();
    if (column < kFirstNumber || column >= kStall) return true;
    return m_sheet && m_sheet->has(static_cast<SourceNumber>(column - kFirstNumber));
}

bool SourceTableModel::isHot(const SourceEntry& entry) const {
    return m_heat && m_sheet->share(entry, *m_heat).value_or(0) >= SourceSheet::kHotShare;
}

QString SourceTableModel::display(int row, int column) const {
    const SourceEntry* numbers = entry(row);
    if (column == kPlace)
        return numbers && isHot(*numbers) ? QStringLiteral("▸ ") + place(row) : place(row);
    if (column == kCode) return code(row);
    if (!numbers) return {};
    if (column == kStall)
        return numbers->stall
                   ? QStringLiteral("%1 %2").arg(shareText(numbers->stallShare),
                                                 stallName(m_sheet->reasons()[*numbers->stall]))
                   : missingText();
    return countText(numbers->numbers[static_cast<SourceNumber>(column - kFirstNumber)]);
}

QString SourceTableModel::tip(int row, int column) const {
    if (column == kPlace) return placeTip(row);
    const SourceEntry* numbers = entry(row);
    if (column == kCode) return code(row);
    if (!numbers) return {};
    const SourceNumbers& n = numbers->numbers;
    QStringList lines;
    const auto shareOf = [&](SourceNumber number) {
        const std::optional<double>& value = n[number];
        if (!value) {
            lines << tr("%1: not measured here").arg(sourceNumberName(number));
            return;
        }
        QString line = QStringLiteral("%1: %2").arg(sourceNumberName(number), text(*value));
        if (const auto share = m_sheet->share(*numbers, number))
            line += tr(" (%1 of the kernel's)").arg(shareText(*share));
        lines << line;
    };
    if (column == kStall || column == columnOf(SourceNumber::Samples)) {
        shareOf(SourceNumber::Samples);
        const auto reasons = m_sheet->samplesByReason(instructions(row));
        for (std::size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) {
            QString line =
                QStringLiteral("%1: %2").arg(cleanCode(reasons[i].name), text(reasons[i].samples));
            if (findStallCause(reasons[i].name))
                line += tr(", waits for %1")
                            .arg(QString::fromStdString(
                                stallWords(reasons[i].name).in(shownLanguage())));
            lines << line;
        }
        return lines.join(QLatin1Char('\n'));
    }
    const auto number = static_cast<SourceNumber>(column - kFirstNumber);
    // Show a count, its ideal and its excess together.
    using enum SourceNumber;
    for (const auto& [count, ideal, excess] : {std::tuple(Sectors, IdealSectors, ExcessSectors),
                                               {Wavefronts, IdealWavefronts, ExcessWavefronts}}) {
        if (number != count && number != ideal && number != excess) continue;
        for (const SourceNumber each : {count, ideal, excess}) shareOf(each);
        if (n[count] && n[ideal] && *n[ideal] > 0)
            lines << tr("%1 times the ideal").arg(text(*n[count] / *n[ideal]));
        if (n[count] && n[Executed] && *n[Executed] > 0 && instructions(row).size() == 1)
            lines << tr("%1 per executed instruction").arg(text(*n[count] / *n[Executed]));
    }
    if (lines.isEmpty()) shareOf(number);
    return lines.join(QLatin1Char('\n'));
}

QVariant SourceTableModel::cell(const At& at, int column, int role) const {
    const int row = at.row;
    const bool isNumber = column >= kFirstNumber && column < kStall;
    switch (role) {
        case Qt::DisplayRole:
            return display(row, column);
        case Qt::ToolTipRole:
            return tip(row, column);
        case ShareRole: {
            const SourceEntry* numbers = entry(row);
            if (!numbers || !m_heat || column != columnOf(*m_heat)) return {};
            return sortKey(m_sheet->share(*numbers, *m_heat));
        }
        case ToneRole: {
            const SourceEntry* numbers = entry(row);
            const bool muted =
                (isNumber && numbers &&
                 !numbers->numbers[static_cast<SourceNumber>(column - kFirstNumber)]) ||
                (column == kStall && numbers && !numbers->stall);
            return int(muted ? Tone::Muted : Tone::Plain);
        }
        case HotRole: {
            const SourceEntry* numbers = entry(row);
            return numbers && isHot(*numbers);
        }
        case HeatRole: {
            const SourceEntry* numbers = entry(row);
            return numbers && isHot(*numbers) ? QVariant(*m_sheet->share(*numbers, *m_heat))
                                              : QVariant();
        }
        default:
            return {};
    }
}

}  // namespace roofscope::gui
