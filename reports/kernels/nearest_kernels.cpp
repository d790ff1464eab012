// SPDX-License-Identifier: Apache-2.0
#include "reports/kernels/nearest_kernels.h"

#include "analyzer/compare/kernel_pattern.h"
#include "profile/text/clean_text.h"

namespace roofscope {

std::string quotedNames(const std::vector<std::string>& names) {
    constexpr std::size_t kMostOfName = 100;
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "\"" : ", \"") + cleanText(name, kMostOfName) + "\"";
    return list;
}

std::string nearestKernels(const Analysis& analysis, std::string_view pattern) {
    const std::vector<std::string> near = nearNames(analysis, pattern);
    return near.empty() ? "the profile has no kernels" : "nearest: " + quotedNames(near);
}

}  // namespace roofscope
