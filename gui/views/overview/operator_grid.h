// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/overview/operator_list.h"

class QGridLayout;

namespace roofscope::gui {

/// The operators as a table. Names and places that do not fit are cut.
[[nodiscard]] QGridLayout* operatorGrid(const OperatorList& operators);

}  // namespace roofscope::gui
