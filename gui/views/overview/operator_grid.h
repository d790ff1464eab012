// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/overview/operator_list.h"

class QGridLayout;

namespace roofscope::gui {

/// The operators as a table; names and places are cut where there is no room.
[[nodiscard]] QGridLayout* operatorGrid(const OperatorList& operators);

}  // namespace roofscope::gui
