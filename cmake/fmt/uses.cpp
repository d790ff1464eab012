// SPDX-License-Identifier: Apache-2.0
// Uses all of the compiled formatter that the project needs: a linker error here means that
// compiled.cpp does not fit this version of {fmt}.
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

int main(int count, char** names) {
    const std::string text = fmt::format("{} {:.3g} {:>5} {}", names[0], count / 3.0, count, 1.5f) +
                             fmt::format("{:L}", count) + fmt::to_string(count);
    return fmt::vformat("{}", fmt::make_format_args(text)).empty() ? 1 : 0;
}
