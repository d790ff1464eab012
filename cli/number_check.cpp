// SPDX-License-Identifier: Apache-2.0
#include "cli/number_check.h"

#include <fmt/format.h>

#include <charconv>
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

CLI::Validator wholeNumber(std::uint64_t least, std::uint64_t most) {
    const auto problem = [=](std::string& text) {
        std::uint64_t value = 0;
        const char* end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        const bool fits =
            read.ec == std::errc() && read.ptr == end && value >= least && value <= most;
        return fits ? std::string()
                    : fmt::format("\"{}\" is not a whole number from {} to {}", text, least, most);
    };
    return CLI::Validator(problem, "", "wholeNumber");
}

}  // namespace roofscope::cli
