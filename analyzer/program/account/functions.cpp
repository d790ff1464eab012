// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/functions.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "analyzer/names/kernel_name.h"

namespace roofscope::program {

namespace {

/// Whether the window's shapes with a known limit can stand for the function.
bool standForAll(const Program& program, const KernelFunction& function,
                 const std::vector<std::uint32_t>& known) {
    constexpr double kLeastShare = 0.05;
    return known.size() >= kShapesForAll ||
           (!known.empty() && program.kernels[known.front()].time >= function.time * kLeastShare);
}

bool isKnownShape(const Analysis& analysis, std::uint32_t k) {
    const KernelAnalysis& kernel = analysis.kernels[k];
    return isKnown(kernel.verdict.cls) && !isUndecided(kernel);
}

/// The counted shapes outside of the window that are like those in it: they have the same block
/// size, and launches of about the same length. Needed where a program is counted first and timed
/// then, because it may launch each shape only once.
std::vector<std::uint32_t> countedElsewhere(const Analysis& analysis, const Program& program,
                                            const KernelFunction& function,
                                            const std::vector<std::uint32_t>& outside) {
    constexpr double kAlike = 5;
    if (outside.size() < kShapesForAll || !(function.launches > 0) ||
        standForAll(program, function, knownShapes(analysis, function)))
        return {};
    const Seconds each = function.time / function.launches;
    const auto launchOf = [&](std::uint32_t k) -> const Launch& {
        return analysis.profile->launches[analysis.kernels[k].group.launches.front()];
    };
    const Dim3 block = launchOf(function.kernels.front()).block;
    const auto time = [&](std::uint32_t k) -> const DurationStats& {
        return analysis.kernels[k].quantities.duration;
    };
    std::vector<std::uint32_t> found;
    std::ranges::copy_if(outside, std::back_inserter(found), [&](std::uint32_t k) {
        const Seconds own = time(k).median;
        return isKnownShape(analysis, k) && launchOf(k).block == block && own <= each * kAlike &&
               each <= own * kAlike;
    });
    if (found.size() < kShapesForAll) return {};
    // The first one stands for all, so it should be the one that is known best.
    std::ranges::stable_sort(found, [&](std::uint32_t a, std::uint32_t b) {
        const std::size_t openA = analysis.kernels[a].cannotTell.size();
        const std::size_t openB = analysis.kernels[b].cannotTell.size();
        return openA != openB ? openA < openB : time(a).total > time(b).total;
    });
    return found;
}

/// Whether most of the function's time is waiting for pages: a shape that did not wait does not
/// stand for it then.
bool mostlyWaitsForPages(const Analysis& analysis, const Program& program,
                         const KernelFunction& function) {
    Seconds waits;
    for (const std::uint32_t k : function.kernels)
        if (analysis.kernels[k].verdict.cls == VerdictClass::WaitsForPages)
            waits += program.kernels[k].time;
    return waits * 2 > function.time;
}

std::uint32_t shownOf(const Analysis& analysis, const Program& program,
                      const KernelFunction& function) {
    if (!function.elsewhere.empty()) return function.elsewhere.front();
    const std::vector<std::uint32_t> known = knownShapes(analysis, function);
    const bool stands = standForAll(program, function, known);
    return stands && !mostlyWaitsForPages(analysis, program, function) ? known.front()
                                                                       : function.kernels.front();
}

}  // namespace

bool isUndecided(const KernelAnalysis& kernel) {
    const Quantities& q = kernel.quantities;
    const VerdictClass cls = kernel.verdict.cls;
    const bool byLaunch = cls == VerdictClass::Underfilled || cls == VerdictClass::LaunchBound;
    return cls == VerdictClass::Unknown ||
           (byLaunch && !q.counterDuration.has() && !q.warpInstructions.has() &&
            !q.bytes[Level::Dram].has());
}

std::vector<std::uint32_t> knownShapes(const Analysis& analysis, const KernelFunction& function) {
    if (!function.elsewhere.empty()) return function.elsewhere;
    std::vector<std::uint32_t> known;
    std::ranges::copy_if(function.kernels, std::back_inserter(known),
                         [&](std::uint32_t k) { return isKnownShape(analysis, k); });
    return known;
}

bool shapesWaitForPages(const Analysis& analysis, const KernelFunction& function) {
    const auto shapes = std::ranges::count_if(function.kernels, [&](std::uint32_t k) {
        return analysis.kernels[k].quantities.duration.whileCounted.has_value();
    });
    return static_cast<std::size_t>(shapes) >= kShapesForAll;
}

std::string nameOf(const Analysis& analysis, const KernelFunction& function) {
    const KernelAnalysis& shown = analysis.kernels[function.shown];
    // The name of one of several shapes is shorter, so that its shape has room.
    return function.kernels.size() > 1 ? shortKernelName(shown.fullName, kShownName) : shown.name;
}

std::string wholeNameOf(const Analysis& analysis, const KernelFunction& function) {
    const KernelAnalysis& shown = analysis.kernels[function.shown];
    return function.kernels.size() > 1 ? plainKernelName(shown.fullName) : shown.wholeName;
}

std::vector<KernelFunction> functionsOf(const Analysis& analysis, const Program& program) {
    std::vector<KernelFunction> functions;
    std::map<std::pair<std::string_view, std::uint32_t>, std::size_t> known;
    std::map<std::pair<std::string_view, std::uint32_t>, std::vector<std::uint32_t>> outside;
    Seconds all;
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
        const Program::KernelCounts& counts = program.kernels[k];
        const KernelAnalysis& kernel = analysis.kernels[k];
        const std::pair<std::string_view, std::uint32_t> key{kernel.fullName, kernel.group.device};
        if (!(counts.time.value > 0)) {
            outside[key].push_back(k);
            continue;
        }
        const auto [entry, isNew] = known.try_emplace(key, functions.size());
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
        const KernelAnalysis& kernel = analysis.kernels[function.kernels.front()];
        if (const auto found = outside.find({kernel.fullName, kernel.group.device});
            found != outside.end() && !mostlyWaitsForPages(analysis, program, function))
            function.elsewhere = countedElsewhere(analysis, program, function, found->second);
        function.shown = shownOf(analysis, program, function);
        function.share = {function.time / all};
    }
    std::ranges::stable_sort(functions, std::greater{}, &KernelFunction::time);
    return functions;
}

void setFunctions(const Analysis& analysis, Program& program) {
    program.functions = functionsOf(analysis, program);
    auto& kernels = program.kernels;
    for (Program::KernelCounts& kernel : kernels) kernel.standsFor = kernel.time;
    for (const KernelFunction& function : program.functions) {
        if (shapesWaitForPages(analysis, function)) {
            for (const std::uint32_t k : function.kernels)
                if (!analysis.kernels[k].quantities.duration.whileCounted)
                    kernels[k].standsFor = {};
            continue;
        }
        if (!function.elsewhere.empty()) {
            // The shown shape's findings hold for all. Those of the shapes in the window know only
            // their grids.
            for (const std::uint32_t k : function.kernels) kernels[k].standsFor = {};
            kernels[function.shown].standsFor = function.time;
            continue;
        }
        const std::vector<std::uint32_t> known = knownShapes(analysis, function);
        if (known.size() < kShapesForAll) continue;
        Seconds counted;
        for (const std::uint32_t k : known) counted += kernels[k].standsFor;
        if (!(counted.value > 0)) continue;
        for (const std::uint32_t k : known)
            kernels[k].standsFor = function.time * (kernels[k].standsFor / counted);
    }
}

}  // namespace roofscope::program
