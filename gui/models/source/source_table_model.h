// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "gui/models/kernels/cell_model.h"
#include "gui/models/source/source_sheet.h"

namespace roofscope::gui {

/// "Excess sectors": a number of the margin by its full name.
[[nodiscard]] QString sourceNumberName(SourceNumber number);

/// Code with numbers in its margin: what source lines and instructions have in common. Columns are
/// Place, the numbers, Stall and Code; texts of the program are clean, but plain, never rich text.
class SourceTableModel : public CellModel {
    Q_OBJECT
public:
    static constexpr int kPlace = 0, kFirstNumber = 1, kStall = kFirstNumber + kSourceNumbers,
                         kCode = kStall + 1, kColumns = kCode + 1;
    [[nodiscard]] static constexpr int columnOf(SourceNumber number) {
        return kFirstNumber + int(number);
    }
    enum Role {
        HotRole = OwnRole  ///< true for a place with a good part of the kernel's heat
    };
    /// The least part of the kernel's sum that makes a place hot.
    static constexpr double kHotShare = 0.05;

    /// `place`: what the first column is called.
    explicit SourceTableModel(const QString& place, QObject* parent = nullptr);

    /// By which number places are hot: its cells get a bar.
    void setHeat(std::optional<SourceNumber> heat);
    /// Whether a column has anything to show for this kernel.
    [[nodiscard]] bool hasColumn(int column) const;

protected:
    [[nodiscard]] QVariant cell(const At& at, int column, int role) const override;
    /// The numbers of a row; null where there are none.
    [[nodiscard]] virtual const SourceEntry* entry(int row) const = 0;
    [[nodiscard]] virtual std::span<const std::size_t> instructions(int row) const = 0;
    [[nodiscard]] virtual QString place(int row) const = 0;
    [[nodiscard]] virtual QString code(int row) const = 0;
    /// Where the code of a row is, in full: plain text.
    [[nodiscard]] virtual QString placeTip(int row) const = 0;

    std::shared_ptr<const SourceSheet> m_sheet;

private:
    [[nodiscard]] bool isHot(const SourceEntry& entry) const;
    [[nodiscard]] QString display(int row, int column) const;
    [[nodiscard]] QString tip(int row, int column) const;
    std::optional<SourceNumber> m_heat;
};

/// One line of a program's code as it can be shown: tabs as spaces, no control or direction
/// characters, at most 400 characters.
[[nodiscard]] QString cleanCode(std::string_view code);

}  // namespace roofscope::gui
