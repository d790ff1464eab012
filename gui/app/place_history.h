// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <vector>

#include "gui/models/kernels/kernel_selection.h"

namespace roofscope::gui {

/// What was looked at in a profile, for back and forward.
class PlaceHistory {
public:
    struct Place {
        KernelSelection selection;
        QString filter;
        bool operator==(const Place&) const = default;
    };

    /// Adds a place after the current one; what came after that is forgotten.
    void add(Place place);
    /// Goes that many places on (or back); null, and nothing changes, when there is none.
    [[nodiscard]] const Place* go(int step);
    void clear();
    [[nodiscard]] bool canGo(int step) const;

private:
    [[nodiscard]] std::ptrdiff_t target(int step) const { return std::ptrdiff_t(m_at) + step; }

    std::vector<Place> m_places;
    std::size_t m_at = 0;
};

}  // namespace roofscope::gui
