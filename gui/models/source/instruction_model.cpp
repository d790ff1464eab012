// SPDX-License-Identifier: Apache-2.0
#include "gui/models/source/instruction_model.h"

#include <algorithm>
#include <numeric>

#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_text.h"

namespace roofscope::gui {

InstructionModel::InstructionModel(QObject* parent) : SourceTableModel(tr("Offset"), parent) {}

void InstructionModel::setSheet(std::shared_ptr<const SourceSheet> sheet,
                                std::optional<std::size_t> only) {
    beginResetModel();
    m_sheet = std::move(sheet);
    m_rows.clear();
    if (m_sheet && only && *only < m_sheet->lines().size()) {
        const auto rows = m_sheet->lines()[*only].rows;
        m_rows.assign(rows.begin(), rows.end());
    } else if (m_sheet) {
        m_rows.resize(m_sheet->instructions().size());
        std::iota(m_rows.begin(), m_rows.end(), std::size_t{0});
    }
    endResetModel();
}

std::size_t InstructionModel::instructionAt(int row) const {
    return m_rows[static_cast<std::size_t>(row)];
}

int InstructionModel::rowOf(std::size_t instruction) const {
    const auto found = std::ranges::lower_bound(m_rows, instruction);
    return found == m_rows.end() || *found != instruction
               ? -1
               : static_cast<int>(found - m_rows.begin());
}

const SourceEntry* InstructionModel::entry(int row) const {
    return &m_sheet->instructions()[instructionAt(row)];
}

std::span<const std::size_t> InstructionModel::instructions(int row) const {
    return {&m_rows[static_cast<std::size_t>(row)], 1};
}

QString InstructionModel::place(int row) const {
    return QStringLiteral("+0x%1").arg(m_sheet->pass().instructions[instructionAt(row)].offset, 0,
                                       16);
}

QString InstructionModel::code(int row) const {
    const std::string& sass = m_sheet->pass().instructions[instructionAt(row)].sass;
    return sass.empty() ? missingText() : cleanCode(sass);
}

QString InstructionModel::placeTip(int row) const {
    const std::size_t instruction = instructionAt(row);
    const auto line = m_sheet->lineOf(instruction);
    if (!line) return tr("%1: source line unknown").arg(place(row));
    const SourceSheet::Line& of = m_sheet->lines()[*line];
    const auto path = shownText(m_sheet->pass().files[of.file], 300);
    return QStringLiteral("%1: %2:%3").arg(place(row), path, QString::number(of.line));
}

}  // namespace roofscope::gui
