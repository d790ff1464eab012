// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/quantities/catalog.h"

namespace roofscope::gui {

/// A quantity of the catalogue as tables, tooltips and the filter show it: the label, unit and
/// formula are the catalogue's. For quantities that need neither the function nor the launch.
class ShownQuantity {
public:
    /// Throws std::out_of_range when there is no quantity of that key.
    explicit ShownQuantity(std::string_view key);

    /// "Achieved occupancy", in the language of the window.
    [[nodiscard]] QString label() const;
    [[nodiscard]] QuantityValue of(const Quantities& quantities) const;
    /// "89.3 %", or what stands for a missing number.
    [[nodiscard]] QString text(const Quantities& quantities) const;
    /// The formula, or why there is no number.
    [[nodiscard]] QString how(const Quantities& quantities) const;

private:
    const QuantityEntry* m_entry;
};

/// What a kernel's word such as "coalescing" stands for. Table, filter and tooltips ask here, so
/// that they never mean different numbers.
struct KernelWord {
    std::vector<ShownQuantity> shown;    ///< of several, the lowest that is known
    std::vector<ShownQuantity> beside;   ///< told in the tooltip as well
    std::optional<ShownQuantity> share;  ///< 0 to 1, for the bar; absent: what is shown is one

    /// The quantity that is shown of this kernel.
    [[nodiscard]] const ShownQuantity& of(const Quantities& quantities) const;
    [[nodiscard]] std::optional<double> value(const Quantities& quantities) const;
    [[nodiscard]] std::optional<double> shareOf(const Quantities& quantities) const;
};

[[nodiscard]] const KernelWord& dramBandwidth();
[[nodiscard]] const KernelWord& coalescing();
[[nodiscard]] const KernelWord& bankConflicts();
[[nodiscard]] const KernelWord& occupancy();

}  // namespace roofscope::gui
