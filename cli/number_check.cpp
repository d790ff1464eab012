// SPDX-License-Identifier: Apache-2.0
#include "cli/number_check.h"

#include <cmath>

namespace roofscope::cli {

CLI::Validator positiveNumber() {
    const auto problem = [](std::string& text) {
        double value = 0;
        const bool fits =
            CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value > 0;
        return fits ? std::string() : "\"" + text + "\" is not a number above 0";
    };
    return CLI::Validator(problem, "above 0", "positiveNumber");
}

}  // namespace roofscope::cli
