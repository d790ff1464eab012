// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "profile/errors/usage_error.h"

namespace roofscope::gui {

/// An input error in the window: `what` is wrong in the field `where`.
[[nodiscard]] inline Error usageError(const QString& what, const QString& where = {},
                                      const QString& advice = {}) {
    return roofscope::usageError(what.toStdString(), where.toStdString(), advice.toStdString());
}

}  // namespace roofscope::gui
