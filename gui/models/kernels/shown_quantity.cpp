// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/shown_quantity.h"

#include <stdexcept>

#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"

namespace roofscope::gui {

ShownQuantity::ShownQuantity(std::string_view key) : m_entry(findQuantity(key)) {
    if (!m_entry) throw std::out_of_range("no quantity " + std::string(key));
}

QString ShownQuantity::label() const {
    QString label = QString::fromStdString(m_entry->label.in(shownLanguage()));
    label[0] = label[0].toUpper();
    return label;
}

QuantityValue ShownQuantity::of(const Quantities& quantities) const {
    static const Kernel kNoFunction;
    static const LaunchGroup kNoGroup;
    return m_entry->get({kNoFunction, kNoGroup, quantities});
}

QString ShownQuantity::text(const Quantities& quantities) const {
    const std::optional<double> value = of(quantities).value;
    return value ? gui::text(*value, m_entry->unit) : missingText();
}

QString ShownQuantity::how(const Quantities& quantities) const {
    const QuantityValue value = of(quantities);
    return howText(value.value.has_value(), value.how, value.missing);
}

const ShownQuantity& TermQuantities::of(const Quantities& quantities) const {
    const ShownQuantity* lowest = &shown.front();
    QuantityValue low = lowest->of(quantities);
    for (const ShownQuantity& other : shown) {
        const QuantityValue value = other.of(quantities);
        const bool tellsMore = !low.value && low.missing.empty() && !value.missing.empty();
        if (value.value ? !low.value || *value.value < *low.value : tellsMore) {
            lowest = &other;
            low = value;
        }
    }
    return *lowest;
}

std::optional<double> TermQuantities::value(const Quantities& quantities) const {
    return of(quantities).of(quantities).value;
}

std::optional<double> TermQuantities::shareOf(const Quantities& quantities) const {
    return share ? share->of(quantities).value : value(quantities);
}

namespace {

std::vector<ShownQuantity> quantities(std::initializer_list<std::string_view> keys) {
    return {keys.begin(), keys.end()};
}

}  // namespace

const TermQuantities& dramBandwidth() {
    static const TermQuantities kWord{.shown = quantities({"dram_bytes_per_s"}),
                                      .share = ShownQuantity("dram_utilisation_ratio")};
    return kWord;
}

const TermQuantities& coalescing() {
    static const TermQuantities kWord{
        .shown = quantities({"global_load_efficiency_ratio", "global_store_efficiency_ratio"})};
    return kWord;
}

const TermQuantities& bankConflicts() {
    static const TermQuantities kWord{.shown = quantities({"shared_excess_certain_ratio"}),
                                      .beside = quantities({"shared_excess_possible_ratio"})};
    return kWord;
}

const TermQuantities& occupancy() {
    static const TermQuantities kWord{.shown = quantities({"occupancy_achieved_ratio"}),
                                      .beside = quantities({"occupancy_theoretical_ratio"})};
    return kWord;
}

}  // namespace roofscope::gui
