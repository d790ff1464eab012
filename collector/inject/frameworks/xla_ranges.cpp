// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/frameworks/xla_ranges.h"

#include <string_view>

namespace roofscope::inject {

std::string xlaRangeName(std::string name) {
    constexpr std::string_view kKey = "program_id=";
    if (!name.ends_with('#')) return name;
    const bool module = name.starts_with("XlaModule:#");
    if (name.starts_with("Thunk:#") || (name.starts_with("Xla") && !module)) return {};
    for (std::size_t at = 0; (at = name.find(kKey, at)) != name.npos;) {
        // A key counts only with "#" or "," on both sides. The name ends with "#", so each search
        // ends.
        const std::size_t end = name.find_first_not_of("0123456789", at + kKey.size());
        const char before = at > 0 ? name[at - 1] : ' ', after = name[end];
        if (end == at + kKey.size() || (before != '#' && before != ',') ||
            (after != '#' && after != ',')) {
            at = end;
        } else if (before == ',') {
            name.erase(at - 1, end - at + 1);
            --at;
        } else {
            name.erase(at, end - at + (after == ',' ? 1 : 0));
        }
    }
    return name;
}

}  // namespace roofscope::inject
