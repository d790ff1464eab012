// SPDX-License-Identifier: Apache-2.0
#include "reports/program/action_id.h"

#include <unordered_map>

#include "profile/names/function_name.h"
#include "profile/text/sha256.h"

namespace roofscope {

std::string subjectOf(const Analysis& analysis, const Action& action) {
    constexpr std::size_t kDigits = 6;
    std::string text;
    for (const std::uint32_t kernel : action.kernels)
        text += stableKernelName(analysis.kernels[kernel].fullName) + '\n';
    if (!action.sites.empty())
        for (const char c : action.sites.front().text)
            if (c < '0' || c > '9') text += c;
    text += '\n';
    if (!action.hostFunctions.empty()) text += action.hostFunctions.front().function;
    return sha256Hex(text).substr(0, kDigits);
}

std::vector<std::string> actionIds(const Analysis& analysis, const Program& program) {
    constexpr std::size_t kShown = 4;
    std::unordered_map<std::string, std::size_t> ofRule, taken;
    for (const Action& action : program.actions) ++ofRule[action.rule];
    std::vector<std::string> ids;
    for (const Action& action : program.actions) {
        std::string id = "program/" + action.rule;
        if (ofRule[action.rule] > 1) id += "-" + subjectOf(analysis, action).substr(0, kShown);
        // As for kernels: what nothing tells apart is numbered.
        if (const std::size_t before = taken[id]++; before > 0) id += "x" + std::to_string(before);
        ids.push_back(std::move(id));
    }
    return ids;
}

}  // namespace roofscope
