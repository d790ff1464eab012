// SPDX-License-Identifier: Apache-2.0
#include "analyzer/names/xla_module.h"

namespace roofscope {

std::string xlaModule(std::string_view range) {
    constexpr std::string_view kModule = "XlaModule:#", kName = "hlo_module=";
    if (!range.starts_with(kModule)) return {};
    const auto at = range.find(kName);
    if (at == range.npos) return {};
    range.remove_prefix(at + kName.size());
    return std::string(range.substr(0, range.find_first_of(",#")));
}

}  // namespace roofscope
