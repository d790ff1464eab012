// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <string_view>

#include "analyzer/model/analysis.h"
#include "analyzer/names/kernel_groups.h"

namespace roofscope::gui {

/// Columns of the kernel table, in display order. The most important come first, so that a narrow
/// window shows them.
enum class KernelColumn {
    Name,
    TotalTime,
    Change,  ///< of the duration, since the baseline
    Share,
    Verdict,
    Median,  ///< duration of a launch
    Shape,   ///< grid and block
    Registers,
    DramBandwidth,
    Conflict,
    Coalescing,
    Occupancy,
    Intensity,
    Launches,
    Moved,  ///< counters that changed since the baseline
    End
};
inline constexpr int kKernelColumns = static_cast<int>(KernelColumn::End);

/// What the filter line compares a column with.
enum class Operand {
    None,       ///< cannot be filtered by
    Share,      ///< 50% or 0.5
    Bandwidth,  ///< 2TB/s, or a share of the roof
    Time,       ///< 100us
    Number,     ///< 10
    Verdict     ///< memory-bound
};

/// Everything about a column of the kernel table, for the table, its header and the filter. To add
/// a column, add an enumerator and a row to kernelColumns(). A null function means no such data.
struct ColumnRow {
    KernelColumn column = KernelColumn::Name;
    /// Field names in the filter; help texts show the first. Empty: cannot be filtered by.
    std::array<std::string_view, 3> words = {};
    Operand operand = Operand::None;
    const char* example = "";  ///< "time > 100us"
    const char* heading = "";  ///< untranslated, like `meaning`
    const char* meaning = "";
    bool isText = false;  ///< left-aligned and sorted by its text
    int letters = 0;      ///< initial width, in letters
    /// The model fills this column from the comparison with the baseline.
    bool filledByComparison = false;

    using Text = QString (*)(const KernelAnalysis&);
    using Number = std::optional<double> (*)(const KernelAnalysis&);
    Text text = nullptr;
    Number number = nullptr;  ///< for sorting and for filters in units
    Number share = nullptr;   ///< 0 to 1, for the bar behind the number and for filters by share
    Text tip = nullptr;

    /// The same functions for a group of kernels.
    struct OfGroup {
        QString (*text)(const KernelGroup&) = nullptr;
        std::optional<double> (*number)(const KernelGroup&) = nullptr;
        std::optional<double> (*share)(const KernelGroup&) = nullptr;
        QString (*tip)(const KernelGroup&) = nullptr;
    } group = {};
};

/// The name of a group on screen.
[[nodiscard]] QString groupName(const KernelGroup& group);

/// All columns, indexed by KernelColumn.
[[nodiscard]] const std::array<ColumnRow, kKernelColumns>& kernelColumns();
[[nodiscard]] inline const ColumnRow& rowOf(KernelColumn column) {
    return kernelColumns()[static_cast<std::size_t>(column)];
}
/// The column with this field name in the filter, ignoring case; null if there is none.
[[nodiscard]] const ColumnRow* columnByFieldName(const QString& word);

}  // namespace roofscope::gui
