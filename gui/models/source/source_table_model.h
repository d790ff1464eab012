// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "gui/models/kernels/cell_model.h"
#include "gui/models/source/source_sheet.h"

namespace roofscope::gui {

/// Full name of a number: "Excess sectors".
[[nodiscard]] QString sourceNumberName(SourceNumber number);

/// Code with numbers beside it: the common base for source lines and instructions. Columns are
/// Place, the numbers, Stall and Code. Texts of the program are plain text without control
/// characters, never rich text.
class SourceTableModel : public CellModel {
    Q_OBJECT
public:
    static constexpr int kPlace = 0, kFirstNumber = 1, kStall = kFirstNumber + kSourceNumbers,
                         kCode = kStall + 1, kColumns = kCode + 1;
    [[nodiscard]] static constexpr int columnOf(SourceNumber number) {
        return kFirstNumber + int(number);
    }
    enum Role {
        HotRole = OwnRole,  ///< true if the row has at least SourceSheet::kHotShare
        HeatRole            ///< for a hot row: its share of the kernel's total
    };

    /// `place`: heading of the first column.
    explicit SourceTableModel(const QString& place, QObject* parent = nullptr);

    /// The number that decides which rows are hot. Its cells get a bar.
    void setHeat(std::optional<SourceNumber> heat);
    /// Whether a column has anything to show for this kernel.
    [[nodiscard]] bool hasColumn(int column) const;

protected:
    [[nodiscard]] QVariant cell(const At& at, int column, int role) const override;
    /// The numbers of a row; null if there are none.
    [[nodiscard]] virtual const SourceEntry* entry(int row) const = 0;
    [[nodiscard]] virtual std::span<const std::size_t> instructions(int row) const = 0;
    [[nodiscard]] virtual QString place(int row) const = 0;
    [[nodiscard]] virtual QString code(int row) const = 0;
    /// The full location of a row's code, as plain text.
    [[nodiscard]] virtual QString placeTip(int row) const = 0;

    std::shared_ptr<const SourceSheet> m_sheet;

private:
    [[nodiscard]] bool isHot(const SourceEntry& entry) const;
    [[nodiscard]] QString display(int row, int column) const;
    [[nodiscard]] QString tip(int row, int column) const;
    std::optional<SourceNumber> m_heat;
};

/// What warps wait for, in words: "data from global or local memory" for "long_scoreboard".
[[nodiscard]] QString stallName(const std::string& reason);

/// A line of code made safe for display: tabs as spaces, no control or text-direction characters,
/// at most 400 characters.
[[nodiscard]] QString cleanCode(std::string_view code);

}  // namespace roofscope::gui
