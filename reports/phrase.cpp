// SPDX-License-Identifier: Apache-2.0
#include "reports/phrase.h"

#include <algorithm>

#include "reports/number_format.h"

namespace roofscope {

std::string fillPhrase(std::string_view phrase, std::span<const Arg> args, EscapeText escape) {
    std::string out;
    for (std::size_t at = 0; at < phrase.size();) {
        const std::string_view rest = phrase.substr(at);
        if (rest.starts_with("{{") || rest.starts_with("}}")) {
            out.push_back(rest.front());
            at += 2;
            continue;
        }
        const std::size_t end = rest.front() == '{' ? rest.find('}') : std::string_view::npos;
        if (end == std::string_view::npos) {
            out.push_back(rest.front());
            ++at;
            continue;
        }
        const std::string_view name = rest.substr(1, end - 1);
        const auto arg = std::find_if(args.begin(), args.end(),
                                      [&](const Arg& candidate) { return candidate.name == name; });
        if (arg == args.end())
            out += rest.substr(0, end + 1);
        else
            out += arg->text.empty() ? formatNumber(arg->value, arg->unit) : escape(arg->text);
        at += end + 1;
    }
    return out;
}

}  // namespace roofscope
