// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "analyzer/resources.h"
#include "analyzer/rule_support.h"

namespace roofscope::rules {

/// An arithmetic pipe that a rule watches, measured by the counter group "pipes".
struct WatchedPipe {
    std::string_view ruleId;
    ResourceId resource;
    const Derived<Ratio>& utilisation;
    std::string_view counter;  ///< of its utilisation
    Words label;               ///< of the evidence: "… in use"
};

/// Fires when the pipe leads every other resource but instruction issue, whose slots whatever
/// replaces its instructions would take again. Arguments of the texts: {pipe} and {others}.
[[nodiscard]] RuleResult checkBusyPipe(const RuleInput& input, const WatchedPipe& pipe);

}  // namespace roofscope::rules
