// SPDX-License-Identifier: Apache-2.0
/// Data that moves although nothing is computed: pages of managed memory, and kernels that only
/// copy.
#include "analyzer/program/actions/action_finder.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/diagnosis/verdict.h"
#include "analyzer/program/account/functions.h"
#include "analyzer/program/account/sites.h"

namespace roofscope::program {
namespace {

Words nameOf(Move move) {
    switch (move) {
        case Move::Concatenate:
            return Words("concatenations");
        case Move::Gather:
            return Words("gathers");
        case Move::Scatter:
            return Words("scatters");
        case Move::Copy:
            return Words("copies");
        case Move::Cast:
            return Words("casts");
        case Move::Layout:
            break;
    }
    return Words("layout changes");
}

/// By launch: whether no other one runs on its GPU meanwhile.
std::vector<bool> launchesAlone(const Profile& profile) {
    const auto endOf = [](const Launch& launch) {
        return launch.start->value + (launch.duration ? launch.duration->value : 0);
    };
    std::vector<std::uint32_t> byStart;
    for (std::uint32_t row = 0; row < profile.launches.size(); ++row)
        if (profile.launches[row].start) byStart.push_back(row);
    std::ranges::stable_sort(byStart, {}, [&](std::uint32_t row) {
        return std::pair(profile.launches[row].device, profile.launches[row].start->value);
    });
    std::vector<bool> alone(profile.launches.size());
    const Launch* before = nullptr;  // that ends last so far
    for (const std::uint32_t row : byStart) {
        const Launch& launch = profile.launches[row];
        const bool first = !before || before->device != launch.device;
        alone[row] = first || launch.start->value >= endOf(*before);
        if (!alone[row]) alone[static_cast<std::size_t>(before - profile.launches.data())] = false;
        if (first || endOf(launch) > endOf(*before)) before = &launch;
    }
    return alone;
}

}  // namespace

ActionFinder::FaultedLaunches ActionFinder::faultedLaunches(
    const std::function<bool(std::uint32_t)>& waits) const {
    FaultedLaunches found;
    for (std::uint32_t k = 0; k < m_analysis.kernels.size(); ++k) {
        const KernelAnalysis& kernel = m_analysis.kernels[k];
        if (!waits(k) || !(m_program.kernels[k].time.value > 0)) continue;
        const Seconds without = *kernel.quantities.duration.whileCounted;
        std::size_t waited = 0;
        for (const std::uint32_t row : kernel.group.launches) {
            const auto& time = m_analysis.profile->launches[row].duration;
            if (!time) continue;
            ++found.all;
            if (*time <= without * kWaitsLong) continue;
            ++waited;
            found.time += *time;
            found.without += without;
        }
        found.waited += waited;
        found.mostOfOne = std::max(found.mostOfOne, waited);
    }
    return found;
}

bool ActionFinder::waitsForPages(std::uint32_t kernel) const {
    return m_analysis.kernels[kernel].verdict.cls == VerdictClass::WaitsForPages;
}

bool ActionFinder::pagesComeBack() const {
    constexpr std::size_t kAgain = 3;
    const auto waits = [this](std::uint32_t k) { return waitsForPages(k); };
    return !m_program.window.isWhole() && faultedLaunches(waits).mostOfOne >= kAgain;
}

ActionFinder::Waits ActionFinder::waitsOf(const std::function<bool(std::uint32_t)>& waits) const {
    const KernelsPerWindow found = kernelsThat(
        m_analysis, m_program,
        [&](const KernelAnalysis& kernel) { return waits(indexOf(m_analysis, kernel)); });
    Waits sum{.kernels = found.kernels, .launches = found.launches};
    for (const std::uint32_t k : found.kernels) {
        const DurationStats& duration = m_analysis.kernels[k].quantities.duration;
        sum.timed += m_program.kernels[k].time;
        sum.counted += *duration.whileCounted * m_program.kernels[k].perWindow;
    }
    // Uncounted shapes of the same functions are assumed to wait as well.
    Seconds others;
    for (const KernelFunction& function : m_program.functions) {
        if (!shapesWaitForPages(m_analysis, function) ||
            std::ranges::none_of(function.kernels, waits))
            continue;
        for (const std::uint32_t k : function.kernels)
            if (!m_analysis.kernels[k].quantities.duration.whileCounted) {
                others += m_program.kernels[k].time;
                sum.kernels.push_back(k);
            }
    }
    if (sum.timed.value > 0)
        sum.bound = (sum.timed - sum.counted) * ((sum.timed + others) / sum.timed);
    return sum;
}

void ActionFinder::hiddenWaits() {
    constexpr std::size_t kAgain = 3;
    constexpr double kNearlyAll = 0.9;
    // A launch may take up to 4 times as long if its data was in the L2 only while counted (a
    // search in a graph, H200).
    constexpr double kBeyondCaches = 5;
    constexpr Seconds kLeastWait{20e-6};
    std::vector<bool> unknown, alone;
    for (const KernelAnalysis& kernel : m_analysis.kernels) {
        const DurationStats& duration = kernel.quantities.duration;
        unknown.push_back(kernel.origin == KernelOrigin::Own &&
                          kernel.verdict.cls == VerdictClass::Unknown && duration.whileCounted &&
                          duration.sameTimed >= duration.sameCounted * kBeyondCaches &&
                          duration.sameTimed >= duration.sameCounted + kLeastWait);
        if (!unknown.back()) continue;
        if (alone.empty()) alone = launchesAlone(*m_analysis.profile);
        const auto& rows = kernel.group.launches;
        unknown.back() = static_cast<double>(std::ranges::count_if(rows, [&](std::uint32_t row) {
                             return alone[row];
                         })) >= kNearlyAll * static_cast<double>(rows.size());
    }
    const auto waits = [&unknown](std::uint32_t k) { return unknown[k]; };
    const FaultedLaunches found = faultedLaunches(waits);
    // One slow launch is a first touch, or an accident.
    if (found.mostOfOne < kAgain) return;
    const Waits sum = waitsOf(waits);
    const auto launches = static_cast<double>(found.waited);
    add({.rule = "hidden-waits",
         .alwaysExplained = true,
         .kernels = sum.kernels,
         .bound = sum.bound,
         .estimate = true,
         .sites = launchSites(sum.kernels),
         .title = Words("Kernels wait for something that counting does not show"),
         .sentence = Words("{waited} of {all} launches take {each} on average, although no other "
                           "kernel of the program runs; the same launches take {without} while "
                           "they are counted."),
         .edit = Words("Probably pages that CPU and GPU use in turns, of managed variables for "
                       "instance: each use moves them. Keep flags and counters in device memory "
                       "and copy the few values that the CPU needs, once per round."),
         .args = {number("waited", launches, Unit::Count),
                  number("all", static_cast<double>(found.all), Unit::Count),
                  number("each", found.time.value / launches, Unit::Seconds),
                  number("without", found.without.value / launches, Unit::Seconds)}});
}

void ActionFinder::pageFaults() {
    constexpr double kMostly = 0.8;
    const auto waits = [this](std::uint32_t k) { return waitsForPages(k); };
    const Waits sum = waitsOf(waits);
    if (sum.kernels.empty()) return;
    const std::vector<std::uint32_t>& kernels = sum.kernels;
    const FaultedLaunches faulted = faultedLaunches(waits);
    const bool some = faulted.waited > 0 && double(faulted.waited) < kMostly * double(faulted.all);
    Action action{
        .rule = "page-faults",
        .alwaysExplained = true,
        .kernels = kernels,
        .bound = sum.bound,
        .estimate = true,
        // If only some launches wait, it is not known which of several places launches them.
        .sites = some ? std::vector<ActionSite>{} : launchSites(kernels),
        .title = Words("Page faults of managed memory"),
        .sentence = Words("{launches} {launches?launch takes:launches take} {timed} in the "
                          "program and {counted} while counted, with all pages on the GPU."),
        .edit = Words("Prefetch what the kernels touch before they are launched "
                      "(cudaMemPrefetchAsync), or allocate it with cudaMalloc and copy."),
        .args = {number("launches", sum.launches, Unit::Count),
                 number("timed", sum.timed.value, Unit::Seconds),
                 number("counted", sum.counted.value, Unit::Seconds)}};
    if (some) {
        action.sentence = Words(
            "{waited} of {all} launches wait for pages and take {each} on average; with all pages "
            "on the GPU they take {without}.");
        action.args = {
            number("waited", static_cast<double>(faulted.waited), Unit::Count),
            number("all", static_cast<double>(faulted.all), Unit::Count),
            number("each", faulted.time.value / static_cast<double>(faulted.waited), Unit::Seconds),
            number("without", faulted.without.value / static_cast<double>(faulted.waited),
                   Unit::Seconds)};
    }
    add(std::move(action));
}

bool ActionFinder::isCompiled() const {
    return std::ranges::any_of(m_analysis.kernels, [](const KernelAnalysis& kernel) {
        return kernel.origin == KernelOrigin::Compiler;
    });
}

bool ActionFinder::goesBackward() const {
    if (std::ranges::any_of(m_analysis.profile->callSites,
                            [](const CallSite& site) { return !site.backward.empty(); }))
        return true;
    // If few launches have a site, the kernels of PyTorch's optimizers show that it trains.
    return std::ranges::any_of(m_analysis.profile->kernels, [](const Kernel& kernel) {
        return kernel.name.find("FusedOptimizerTensorListMetadata") != std::string::npos ||
               kernel.name.find("BackwardCUDAKernel") != std::string::npos;
    });
}

Words ActionFinder::editOfCupyMoves(Move move) {
    switch (move) {
        case Move::Scatter:
            return Words(
                "Write each value to where it belongs when it is computed (a RawKernel, or an "
                "ElementwiseKernel with a raw array) instead of storing and scattering it.");
        case Move::Gather:
            return Words(
                "Read through the index where the values are used (a RawKernel, or an "
                "ElementwiseKernel with a raw array) instead of copying x[index]. Sums over "
                "gathered columns are a matrix product with a matrix of 0 and 1, for many index "
                "sets at once.");
        case Move::Concatenate:
            return Words("Write into one array that is allocated once instead of concatenating.");
        case Move::Cast:
            return Words("Keep the data in one type: cast once, outside of the loop.");
        case Move::Copy:
        case Move::Layout:
            break;
    }
    return Words("Write into arrays that exist (out=, +=), and keep one memory layout.");
}

Words ActionFinder::editOfMoves(const std::vector<Move>& moves) const {
    if (!m_frameworks.torch && m_frameworks.cupy) return editOfCupyMoves(moves.front());
    const auto takes = [&](Move move) { return std::ranges::find(moves, move) != moves.end(); };
    switch (moves.front()) {
        case Move::Concatenate:
            return Words(
                "Write into a tensor that is allocated once instead of torch.cat in every "
                "step, and do not gather again what did not change.");
        case Move::Gather:
        case Move::Scatter:
            if (takes(Move::Concatenate))
                return Words(
                    "Do not gather again what did not change, and write into a tensor "
                    "that is allocated once instead of torch.cat in every step.");
            return Words(
                "Fuse the gather, the arithmetic on it and the scatter (torch.compile, or "
                "a library's fused message passing), so that gathered rows are not "
                "written to memory and read again.");
        case Move::Cast:
            if (goesBackward() && !isCompiled())  // weights change in every step, and are cast anew
                return Words(
                    "Compile the step: torch.compile makes casts a part of their neighbours. Or "
                    "keep weights and activations in one type (bf16, with fp32 copies of the "
                    "weights in the optimizer only).");
            return Words(
                "Cast once, outside of the step (weights and constant inputs), or keep "
                "the data in one type.");
        case Move::Copy:
        case Move::Layout:
            break;
    }
    return Words(
        "Keep one memory layout from end to end (channels_last; no contiguous() or "
        "permute() in the step), and let torch.compile fuse what is left.");
}

bool ActionFinder::fusesCasts(const KernelsPerWindow& casts) {
    const ElementwiseRuns& runs = m_order.runs;
    const auto fuses =
        std::ranges::find(m_actions, action_rule::kUnfusedElementwise, &Action::rule);
    if (!m_frameworks.torch || fuses == m_actions.end()) return false;
    // A cast that is in no run can be fused with its neighbours. The gain of a run already includes
    // its casts.
    Seconds gain = runs.gain;
    std::map<std::uint32_t, double> kernels = runs.kernels;
    for (const std::uint32_t k : casts.kernels)
        if (kernels.emplace(k, m_program.kernels[k].time.value).second)
            gain += m_program.kernels[k].time;
    Action action{
        .rule = fuses->rule,
        .bound = gain,
        .estimate = true,
        .title = Words("Elementwise operators and casts in launches of their own"),
        .sentence =
            runs.byOrder
                ? Words("{launches} launches follow each other on tensors of about one size, and "
                        "{casts} only cast ({time}); fused, each group would take as long as its "
                        "longest launch, and casts would be part of their neighbours.")
                : Words("{launches} launches work on the output of the previous one, and {casts} "
                        "only cast ({time}); fused, each group would take as long as its longest "
                        "launch, and casts would be part of their neighbours."),
        .edit = Words("Compile the function that holds them (torch.compile fuses elementwise "
                      "operators and their casts), or keep the data in one type; cast weights and "
                      "constant inputs once, outside of the step."),
        .args = {number("launches", runs.launches, Unit::Count),
                 number("casts", casts.launches, Unit::Count),
                 number("time", casts.time.value, Unit::Seconds)}};
    m_actions.erase(fuses);
    fuseAt(action, kernels);
    add(std::move(action));
    return true;
}

void ActionFinder::dataMovement() {
    constexpr double kLeast = 0.1;  // of the window; any program moves some data
    const DataMovement found = program::dataMovement(m_analysis, m_program);
    if (found.all.time < m_program.window.seconds * kLeast) return;
    // Moves that take little of the time do not decide which edit is proposed.
    constexpr double kPart = 0.1;
    std::vector<Move> moves = found.most();
    std::erase_if(moves, [&](Move move) { return found.of(move) < found.all.time * kPart; });
    constexpr double kNearlyAll = 0.9;
    if (found.of(Move::Cast) >= found.all.time * kNearlyAll && fusesCasts(found.all)) return;
    std::vector<Arg> args{number("launches", found.all.launches, Unit::Count),
                          words("first", nameOf(moves[0])),
                          number("firstTime", found.of(moves[0]).value, Unit::Seconds),
                          number("time", found.all.time.value, Unit::Seconds)};
    if (moves.size() > 1) {
        args.push_back(words("second", nameOf(moves[1])));
        args.push_back(number("secondTime", found.of(moves[1]).value, Unit::Seconds));
    }
    add({.rule = "data-movement",
         .alwaysExplained = true,
         .kernels = found.all.kernels,
         .bound = found.all.time,
         .sites = launchSites(found.all.kernels),
         .title = Words("Kernels that only move data"),
         .sentence = moves.size() > 1
                         ? Words("{launches} launches take {time} and compute nothing: {first} "
                                 "{firstTime}, {second} {secondTime}.")
                         : Words("{launches} {launches?launch takes:launches take} {time} and "
                                 "{launches?computes:compute} nothing: {first}."),
         .edit = editOfMoves(moves),
         .args = std::move(args)});
}

}  // namespace roofscope::program
