// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/action_id.h"

#include <set>
#include <unordered_map>

#include "profile/names/function_name.h"
#include "profile/text/sha256.h"

namespace roofscope {

std::string subjectOf(const Analysis& analysis, const Action& action) {
    constexpr std::size_t kDigits = 6;
    // Sorted by name, because the order in the action depends on times.
    std::set<std::string> kernels, sites;
    for (const std::uint32_t kernel : action.kernels)
        kernels.insert(stableKernelName(analysis.kernels[kernel].fullName));
    for (const ActionSite& site : action.sites) sites.insert(site.text);
    std::string text;
    for (const std::string& kernel : kernels) text += kernel + '\n';
    if (!sites.empty())
        for (const char c : *sites.begin())
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
        // Actions that nothing tells apart are numbered, as kernels are.
        if (const std::size_t before = taken[id]++; before > 0) id += "x" + std::to_string(before);
        ids.push_back(std::move(id));
    }
    return ids;
}

}  // namespace roofscope
