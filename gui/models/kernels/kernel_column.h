// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <string_view>

#include "analyzer/model/analysis.h"
#include "analyzer/names/kernel_groups.h"

namespace roofscope::gui {

/// Columns of the kernel table, in the order in which they are shown: what is asked for first
/// stands where a narrow window still shows it.
enum class KernelColumn {
    Name,
    TotalTime,
    Change,  ///< of the duration, since the baseline
    Share,
    Verdict,
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

/// What a number is compared with in the filter line.
enum class Operand {
    None,       ///< the filter does not know the column
    Share,      ///< 50% or 0.5
    Bandwidth,  ///< 2TB/s, or a share of the roof
    Time,       ///< 100us
    Number,     ///< 10
    Verdict     ///< memory-bound
};

/// A column of the kernel table: all that the table, its header and the filter know of it. A new
/// column is an enumerator and a row of kernelColumns(). Functions that are null say nothing.
struct ColumnRow {
    KernelColumn column = KernelColumn::Name;
    /// What the filter calls it; help texts show the first. Empty: the filter does not know it.
    std::array<std::string_view, 3> words = {};
    Operand operand = Operand::None;
    const char* example = "";  ///< "time > 100us"
    const char* heading = "";  ///< to be translated, as the next one
    const char* meaning = "";
    bool isText = false;  ///< starts at the left, and is sorted by its text
    int letters = 0;      ///< how wide it is at first
    /// Only a comparison fills it; the model knows how.
    bool ofBaseline = false;

    using Text = QString (*)(const KernelAnalysis&);
    using Number = std::optional<double> (*)(const KernelAnalysis&);
    Text text = nullptr;
    Number number = nullptr;  ///< what is sorted and filtered by
    Number share = nullptr;   ///< 0 to 1, for the bar behind it
    Text tip = nullptr;

    /// The same of several kernels together.
    struct OfGroup {
        QString (*text)(const KernelGroup&) = nullptr;
        std::optional<double> (*number)(const KernelGroup&) = nullptr;
        std::optional<double> (*share)(const KernelGroup&) = nullptr;
        QString (*tip)(const KernelGroup&) = nullptr;
    } group = {};
};

/// All columns, in their order.
[[nodiscard]] const std::array<ColumnRow, kKernelColumns>& kernelColumns();
[[nodiscard]] inline const ColumnRow& rowOf(KernelColumn column) {
    return kernelColumns()[static_cast<std::size_t>(column)];
}
/// The column that the filter calls so, in whatever case; null: none.
[[nodiscard]] const ColumnRow* columnCalled(const QString& word);

}  // namespace roofscope::gui
