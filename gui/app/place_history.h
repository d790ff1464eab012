// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <vector>

#include "gui/models/kernels/kernel_selection.h"

namespace roofscope::gui {

/// The history of selections and filters in a profile, for Back and Forward.
class PlaceHistory {
public:
    struct Place {
        KernelSelection selection;
        QString filter;
        bool operator==(const Place&) const = default;
    };

    /// Adds a place after the current one and drops the places that followed it.
    void add(Place place);
    /// Moves by `step` places (negative: back). Null if there is none; then nothing changes.
    [[nodiscard]] const Place* go(int step);
    void clear();
    [[nodiscard]] bool canGo(int step) const;

private:
    [[nodiscard]] std::ptrdiff_t target(int step) const { return std::ptrdiff_t(m_at) + step; }

    std::vector<Place> m_places;
    std::size_t m_at = 0;
};

}  // namespace roofscope::gui
