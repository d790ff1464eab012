// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/quantities/catalog.h"

namespace roofscope::gui {

/// A quantity of the catalogue, formatted for tables, tooltips and the filter. Label, unit and
/// formula come from the catalogue. Only for quantities that need neither Kernel nor LaunchGroup.
class ShownQuantity {
public:
    /// Throws std::out_of_range if there is no quantity with this key.
    explicit ShownQuantity(std::string_view key);

    /// "Achieved occupancy", in the window's language.
    [[nodiscard]] QString label() const;
    [[nodiscard]] QuantityValue of(const Quantities& quantities) const;
    /// "89.3 %", or missingText().
    [[nodiscard]] QString text(const Quantities& quantities) const;
    /// The formula, or why the number is missing.
    [[nodiscard]] QString how(const Quantities& quantities) const;

private:
    const QuantityEntry* m_entry;
};

/// The quantities behind a word such as "coalescing". Table, filter and tooltips all use this, so
/// that they never show different numbers.
struct TermQuantities {
    std::vector<ShownQuantity> shown;    ///< the lowest known one is shown
    std::vector<ShownQuantity> beside;   ///< also listed in the tooltip
    std::optional<ShownQuantity> share;  ///< 0 to 1, for the bar; absent: `shown` is a share itself

    /// The quantity to show.
    [[nodiscard]] const ShownQuantity& of(const Quantities& quantities) const;
    [[nodiscard]] std::optional<double> value(const Quantities& quantities) const;
    [[nodiscard]] std::optional<double> shareOf(const Quantities& quantities) const;
};

[[nodiscard]] const TermQuantities& dramBandwidth();
[[nodiscard]] const TermQuantities& coalescing();
[[nodiscard]] const TermQuantities& bankConflicts();
[[nodiscard]] const TermQuantities& occupancy();

}  // namespace roofscope::gui
