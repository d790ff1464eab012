// SPDX-License-Identifier: Apache-2.0
#include "gui/models/source_table_model.h"

#include "analyzer/stalls.h"
#include "gui/models/number_text.h"
#include "gui/models/shown_language.h"
#include "gui/models/shown_text.h"

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
    switch (number) {
        case SourceNumber::Samples:
            return SourceTableModel::tr("Stall samples");
        case SourceNumber::Executed:
            return SourceTableModel::tr("Executed instructions");
        case SourceNumber::Sectors:
            return SourceTableModel::tr("Sectors");
        case SourceNumber::IdealSectors:
            return SourceTableModel::tr("Ideal sectors");
        case SourceNumber::ExcessSectors:
            return SourceTableModel::tr("Excess sectors");
        case SourceNumber::Wavefronts:
            return SourceTableModel::tr("Shared wavefronts");
        case SourceNumber::IdealWavefronts:
            return SourceTableModel::tr("Ideal shared wavefronts");
        case SourceNumber::ExcessWavefronts:
            return SourceTableModel::tr("Excess shared wavefronts");
        case SourceNumber::LocalSectors:
            return SourceTableModel::tr("Local-memory sectors");
    }
    return {};
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
    return m_heat && m_sheet->share(entry, *m_heat).value_or(0) >= kHotShare;
}

QString SourceTableModel::display(int row, int column) const {
    const SourceEntry* numbers = entry(row);
    if (column == kPlace)
        return numbers && isHot(*numbers) ? QStringLiteral("▸ ") + place(row) : place(row);
    if (column == kCode) return code(row);
    if (!numbers) return {};
    if (column == kStall)
        return numbers->stall
                   ? QStringLiteral("%1 %2").arg(cleanCode(m_sheet->reasons()[*numbers->stall]),
                                                 shareText(numbers->stallShare))
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
    const auto times = [&](SourceNumber count, SourceNumber ideal) {
        if (n[count] && n[ideal] && *n[ideal] > 0)
            lines << tr("%1 times the ideal").arg(text(*n[count] / *n[ideal]));
    };
    const auto perRequest = [&](SourceNumber count) {
        if (n[count] && n[SourceNumber::Executed] && *n[SourceNumber::Executed] > 0 &&
            instructions(row).size() == 1)
            lines << tr("%1 per executed instruction")
                         .arg(text(*n[count] / *n[SourceNumber::Executed]));
    };
    if (column == kStall || column == columnOf(SourceNumber::Samples)) {
        shareOf(SourceNumber::Samples);
        const auto reasons = m_sheet->samplesBy(instructions(row));
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
    switch (number) {
        case SourceNumber::Sectors:
        case SourceNumber::IdealSectors:
        case SourceNumber::ExcessSectors:
            shareOf(SourceNumber::Sectors);
            shareOf(SourceNumber::IdealSectors);
            shareOf(SourceNumber::ExcessSectors);
            times(SourceNumber::Sectors, SourceNumber::IdealSectors);
            perRequest(SourceNumber::Sectors);
            break;
        case SourceNumber::Wavefronts:
        case SourceNumber::IdealWavefronts:
        case SourceNumber::ExcessWavefronts:
            shareOf(SourceNumber::Wavefronts);
            shareOf(SourceNumber::IdealWavefronts);
            shareOf(SourceNumber::ExcessWavefronts);
            times(SourceNumber::Wavefronts, SourceNumber::IdealWavefronts);
            perRequest(SourceNumber::Wavefronts);
            break;
        default:
            shareOf(number);
    }
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
            const auto share = m_sheet->share(*numbers, *m_heat);
            return share ? QVariant(*share) : QVariant();
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
        default:
            return {};
    }
}

QVariant SourceTableModel::header(int section, int role) const {
    if (role == Qt::ToolTipRole) {
        if (section == kStall) return tr("What most of the samples waited for");
        if (section == kPlace) return tr("▸ marks what has at least 5 % of what makes a line hot");
        if (section == kCode) return tr("As it was recorded");
        return tr("%1 of the one launch that was measured per instruction")
            .arg(sourceNumberName(static_cast<SourceNumber>(section - kFirstNumber)));
    }
    if (role != Qt::DisplayRole) return {};
    if (section == kPlace) return placeName();
    if (section == kStall) return tr("Waits for");
    if (section == kCode) return tr("Code");
    // Short: many of them stand side by side. An ideal belongs to the column before it.
    switch (static_cast<SourceNumber>(section - kFirstNumber)) {
        case SourceNumber::Samples:
            return tr("Samples");
        case SourceNumber::Executed:
            return tr("Executed");
        case SourceNumber::Sectors:
            return tr("Sectors");
        case SourceNumber::IdealSectors:
            return tr("ideal", "sectors");
        case SourceNumber::ExcessSectors:
            return tr("excess", "sectors");
        case SourceNumber::Wavefronts:
            return tr("Wavefronts");
        case SourceNumber::IdealWavefronts:
            return tr("ideal", "wavefronts");
        case SourceNumber::ExcessWavefronts:
            return tr("excess", "wavefronts");
        case SourceNumber::LocalSectors:
            return tr("Local");
    }
    return {};
}

}  // namespace roofscope::gui
