// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/profile/parts.h"
#include "reports/verdict/major_findings.h"

namespace roofscope::profile_report {

namespace {

/// What kernels must have in common to share a section: the function, its limiter, and its findings
/// in order. For library functions in a brief report, the same finding and the same edit by their
/// callers are enough.
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

std::span<const KernelFunction> shownFunctions(const View& view, const ChosenKernels& selection) {
    const std::span<const KernelFunction> all = view.program->functions;
    std::size_t most = std::min(all.size(), selection.kernels.size());
    if (view.essentials()) {
        constexpr std::size_t kAlways = 3;
        constexpr double kWorthARow = 0.03;  // of the kernels' time
        while (most > kAlways && all[most - 1].share.value < kWorthARow) --most;
    }
    return all.first(most);
}

std::vector<std::size_t> kernelsOfSections(const View& view, const ChosenKernels& selection,
                                           std::size_t most) {
    const auto first = [&](std::size_t count) {
        return static_cast<std::ptrdiff_t>(std::min(most, count));
    };
    if (!view.byFunction())
        return {selection.kernels.begin(),
                selection.kernels.begin() + first(selection.kernels.size())};
    const std::set<std::size_t> chosen(selection.kernels.begin(), selection.kernels.end());
    std::vector<std::size_t> kernels;
    const auto functions = shownFunctions(view, selection);
    for (const KernelFunction& function : functions.first(first(functions.size()))) {
        kernels.push_back(function.shown);
        for (const std::uint32_t k : function.kernels)
            if (k != function.shown && chosen.contains(k)) kernels.push_back(k);
    }
    return kernels;
}

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
