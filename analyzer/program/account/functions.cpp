// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/functions.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "analyzer/program/program.h"

namespace roofscope::program {

namespace {

/// A shape whose limit is known stands for its function only if it takes this share of its time.
constexpr double kStandsForAll = 0.05;

std::uint32_t shownOf(const Analysis& analysis, const Program& program,
                      const KernelFunction& function) {
    const std::vector<std::uint32_t> known = knownShapes(analysis, function);
    const bool stands =
        known.size() >= kShapesForAll ||
        (!known.empty() && program.kernels[known.front()].time >= function.time * kStandsForAll);
    // If most of the time is waiting for pages, a shape that did not wait does not stand for it.
    Seconds waits;
    for (const std::uint32_t k : function.kernels)
        if (analysis.kernels[k].verdict.cls == VerdictClass::WaitsForPages)
            waits += program.kernels[k].time;
    const bool pages = waits * 2 > function.time;
    return stands && !pages ? known.front() : function.kernels.front();
}

}  // namespace

std::vector<std::uint32_t> knownShapes(const Analysis& analysis, const KernelFunction& function) {
    std::vector<std::uint32_t> known;
    std::ranges::copy_if(function.kernels, std::back_inserter(known),
                         [&](std::uint32_t k) { return isKnown(analysis.kernels[k].verdict.cls); });
    return known;
}

std::string nameOf(const Analysis& analysis, const KernelFunction& function) {
    const std::string& name = analysis.kernels[function.shown].name;
    const auto shape = name.rfind(" [");
    return function.kernels.size() > 1 && shape != name.npos && name.ends_with(']')
               ? name.substr(0, shape)
               : name;
}

std::vector<KernelFunction> functionsOf(const Analysis& analysis, const Program& program) {
    std::vector<KernelFunction> functions;
    std::map<std::pair<std::string_view, std::uint32_t>, std::size_t> known;
    Seconds all;
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
        const Program::KernelCounts& counts = program.kernels[k];
        if (!(counts.time.value > 0)) continue;
        const KernelAnalysis& kernel = analysis.kernels[k];
        const auto [entry, isNew] =
            known.try_emplace({kernel.fullName, kernel.group.device}, functions.size());
        if (isNew) functions.emplace_back();
        KernelFunction& function = functions[entry->second];
        function.kernels.push_back(k);
        function.launches += counts.perWindow;
        function.time += counts.time;
        all += counts.time;
    }
    const auto mostFirst = [&](std::uint32_t k) { return program.kernels[k].time; };
    for (KernelFunction& function : functions) {
        std::ranges::stable_sort(function.kernels, std::greater{}, mostFirst);
        function.shown = shownOf(analysis, program, function);
        function.share = {function.time / all};
    }
    std::ranges::stable_sort(functions, std::greater{}, &KernelFunction::time);
    return functions;
}

}  // namespace roofscope::program
