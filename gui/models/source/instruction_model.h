// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gui/models/source/source_table_model.h"

namespace roofscope::gui {

/// The instructions of a kernel in order of their offset: all of them or those of one line.
class InstructionModel : public SourceTableModel {
    Q_OBJECT
public:
    explicit InstructionModel(QObject* parent = nullptr);

    /// `only` is an index into SourceSheet::lines(); absent: all instructions.
    void setSheet(std::shared_ptr<const SourceSheet> sheet, std::optional<std::size_t> only = {});
    /// Index into SourceSheet::instructions().
    [[nodiscard]] std::size_t instructionAt(int row) const;
    /// The row of an instruction; -1 if it is not shown.
    [[nodiscard]] int rowOf(std::size_t instruction) const;

protected:
    [[nodiscard]] int rows() const override { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] const SourceEntry* entry(int row) const override;
    [[nodiscard]] std::span<const std::size_t> instructions(int row) const override;
    [[nodiscard]] QString place(int row) const override;
    [[nodiscard]] QString code(int row) const override;
    [[nodiscard]] QString placeTip(int row) const override;

private:
    std::vector<std::size_t> m_rows;  ///< ascending
};

}  // namespace roofscope::gui
