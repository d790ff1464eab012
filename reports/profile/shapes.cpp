// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/findings/kernel_facts.h"
#include "reports/profile/parts.h"

namespace roofscope::profile_report {

namespace {

/// What two launches have to share for one section to tell of both: the function, what limits it,
/// and the faults in their order. Of functions that are not the reader's to edit, the fault and
/// what their callers change are enough.
struct Diagnosis {
    std::string key;
    Words callerEdit = {};
};

Diagnosis diagnosisOf(const KernelAnalysis& kernel, bool brief) {
    const auto major = majorFindings(kernel);
    if (brief && isForeign(kernel.origin) && major.size() == 1)
        return {.key = fmt::format("{}\n{}", kernel.group.device, major.front()->ruleId.str()),
                .callerEdit = major.front()->edit};
    std::string key = fmt::format("{}\n{}\n{}\n{}", kernel.fullName, kernel.group.device,
                                  toString(kernel.verdict.cls),
                                  kernel.verdict.limiter ? toString(*kernel.verdict.limiter) : "");
    for (const Finding* finding : major) key += "\n" + finding->ruleId;
    return {.key = std::move(key)};
}

}  // namespace

std::vector<Shapes> shapesOf(const Analysis& analysis, const std::vector<std::size_t>& kernels,
                             bool brief) {
    std::vector<Shapes> sections;
    struct Known {
        Words callerEdit;
        std::size_t section;
    };
    std::map<std::string, std::vector<Known>> known;
    for (const std::size_t index : kernels) {
        const auto [key, callerEdit] = diagnosisOf(analysis.kernels[index], brief);
        std::vector<Known>& alike = known[key];
        const auto found = std::ranges::find(alike, callerEdit, &Known::callerEdit);
        if (found != alike.end()) {
            sections[found->section].others.push_back(index);
            continue;
        }
        alike.push_back({callerEdit, sections.size()});
        sections.push_back({.first = index, .others = {}});
    }
    return sections;
}

}  // namespace roofscope::profile_report
