// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

#include "analyzer/program/account/range_accounts.h"
#include "gui/models/overview/account_change.h"

namespace roofscope::gui {

/// What a range of the timeline has more or less than another one, for instance a repeat than the
/// one before it.
struct RangeChange {
    QString with;           ///< the other range: "repeat 6 of 40, 3.33 ms"
    AccountChange classes;  ///< before: the other range
    struct Kernel {
        QString name;
        QString launches;  ///< "× 2 → × 3"
        QString change;    ///< "+1.20 ms"
    };
    std::vector<Kernel> kernels;  ///< those with other times or launches, largest change first
};
/// `place` says where `before` is (repeatText()).
[[nodiscard]] RangeChange rangeChange(const Analysis& analysis, const RangeAccount& before,
                                      const RangeAccount& after, const QString& place);

}  // namespace roofscope::gui
