// SPDX-License-Identifier: Apache-2.0
#include "analyzer/names/cupy_types.h"

#include <algorithm>

namespace roofscope {

std::vector<std::string_view> cupyTypes(std::string_view name) {
    std::vector<std::string_view> types;
    const auto begin = name.find("__");
    if (!name.starts_with("cupy_") || begin == name.npos) return types;
    for (std::size_t at = begin + 2; at <= name.size();) {
        const auto end = std::min(name.find('_', at), name.size());
        types.push_back(name.substr(at, end - at));
        at = end + 1;
    }
    return types;
}

}  // namespace roofscope
