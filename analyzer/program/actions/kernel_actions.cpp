// SPDX-License-Identifier: Apache-2.0
/// What kernels could do better, and launches that could be fused.
#include "analyzer/program/actions/action_finder.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <vector>

#include "analyzer/names/cupy_types.h"
#include "analyzer/names/library_product.h"
#include "analyzer/program/account/kernels_per_window.h"
#include "analyzer/program/account/sites.h"
#include "analyzer/program/operators/unused_rows.h"

namespace roofscope::program {

std::vector<ActionSite> ActionFinder::launchSites(const std::vector<std::uint32_t>& kernels) const {
    std::map<std::string, double> sites;
    for (const std::uint32_t k : kernels)
        addLaunchSites(sites, *m_analysis.profile, m_analysis.kernels[k],
                       m_program.kernels[k].time.value);
    return mostFirst(sites);
}

double ActionFinder::timeAlone() const {
    double sum = 0;
    for (const Program::KernelCounts& counts : m_program.kernels) sum += counts.time.value;
    const double passed = m_account.time[TimeClass::Kernels].value;
    return passed > 0 && passed < sum ? passed / sum : 1.0;
}

void ActionFinder::joinTinyLaunches(Action& action) const {
    constexpr double kMany = 8;
    constexpr std::uint64_t kTiny = 8;  // blocks
    constexpr std::size_t kManyRepeats = 64;
    constexpr double kSeldom = 0.5;
    const KernelAnalysis& kernel = m_analysis.kernels[action.kernels.front()];
    const double launches = m_program.kernels[action.kernels.front()].perWindow;
    const auto blocks = m_analysis.profile->launches[kernel.group.launches.front()].grid.total();
    if (blocks > kTiny) return;
    // Many short repeats that the CPU does not wait for: calls one after the other. One call may
    // launch many kernels, each of which needs the one before.
    const Kernel& launched = m_analysis.profile->kernels[kernel.group.kernel];
    const bool calls =
        m_program.window.counted >= kManyRepeats && launches < kMany &&
        waitsPerRepeat() < kSeldom &&
        (isLinearAlgebra(launched) || isTransform(launched) || libraryProduct(kernel.fullName));
    if (calls && !m_frameworks.python) {
        action.edit = Words(
            "If these are calls for many small problems, call the library's batched form, which "
            "does them at once (cusolverDn…potrfBatched, cublas…StridedBatched, a plan of "
            "cufftPlanMany): kernels of {blocks} {blocks?block:blocks}, one after the other, leave "
            "nearly all SMs idle. Or one kernel of your own with a block for each problem.");
        action.args = {number("blocks", static_cast<double>(blocks), Unit::Count)};
        return;
    }
    if (isForeign(kernel.origin) || launches < kMany) return;
    action.edit = Words(
        "Make the {launches} launches one: if they do not need each other's results, as blocks of "
        "one grid (the loop's index becomes blockIdx.x), otherwise as a loop within one kernel.");
    action.args = {number("launches", launches, Unit::Count)};
}

void ActionFinder::findings() {
    struct Group {
        Action action;
        std::vector<std::pair<double, std::uint32_t>> kernels;  // bound, index
        std::map<std::string, double> sites;
        double most = 0;  ///< weight of the finding that is shown
        std::uint32_t shown = 0;
        bool sameTitle = true;  ///< all findings so far have it
    };
    // Of similar findings, the one whose lines are known says more.
    constexpr double kKnownLines = 2;
    std::vector<Words> edits;
    const auto indexOf = [&edits](const Words& edit) {
        const auto found = std::ranges::find(edits, edit);
        if (found != edits.end()) return found - edits.begin();
        edits.push_back(edit);
        return std::ssize(edits) - 1;
    };
    std::map<std::pair<std::string, std::ptrdiff_t>, Group> groups;  // by rule and edit
    for (std::uint32_t k = 0; k < m_analysis.kernels.size(); ++k) {
        if (std::ranges::find(m_optimizer.kernels, k) != m_optimizer.kernels.end() ||
            std::ranges::find(m_tallSvd.kernels, k) != m_tallSvd.kernels.end())
            continue;
        const KernelAnalysis& kernel = m_analysis.kernels[k];
        for (std::size_t f = 0; f < kernel.findings.size(); ++f) {
            const Finding& finding = kernel.findings[f];
            if (finding.minor || !finding.gain.has()) continue;
            if (!finding.cause.empty()) continue;  // the action belongs to the cause
            const Program::KernelCounts& counts = m_program.kernels[k];
            // SMs that other launches use at the same time cannot be gained by this one.
            const double alone = finding.ruleId == action_rule::kGridTooSmall ? timeAlone() : 1.0;
            const double bound = gainPerWindow(kernel, *finding.gain, counts).value * alone;
            if (!(bound > 0)) continue;
            Group& group = groups[{finding.ruleId, indexOf(finding.edit)}];
            group.sameTitle =
                group.kernels.empty() || (group.sameTitle && group.action.title == finding.title);
            group.action.title = group.sameTitle ? finding.title : Words();
            group.action.rule = finding.ruleId;
            group.action.bound += Seconds{bound};
            group.action.estimate |= finding.estimate || counts.standsFor > counts.time ||
                                     kernel.quantities.duration.ofCounted;
            group.kernels.emplace_back(bound, k);
            addLaunchSites(group.sites, *m_analysis.profile, kernel, bound);
            if (const double weight = bound * (finding.places.empty() ? 1 : kKnownLines);
                weight > group.most) {
                group.most = weight;
                group.shown = k;
                group.action.finding = f;
            }
        }
    }
    for (auto& [key, group] : groups) {
        std::ranges::stable_sort(group.kernels, [&](const auto& a, const auto& b) {
            const bool first = a.second == group.shown, second = b.second == group.shown;
            return first != second ? first : a.first > b.first;
        });
        for (const auto& [bound, k] : group.kernels) group.action.kernels.push_back(k);
        group.action.sites = mostFirst(group.sites);
        if (key.first == action_rule::kGridTooSmall) joinTinyLaunches(group.action);
        add(std::move(group.action));
    }
    // Without recorded CPU calls, the gaps between launches show what launching costs.
    if (m_account.causesKnown || !m_program.window.isWhole()) return;
    for (const Finding& finding : m_analysis.sequenceFindings) {
        if (!finding.gain.has() || finding.minor) continue;
        const Rule* rule = findRule(finding.ruleId);
        if (!rule) continue;
        add({.rule = finding.ruleId,
             .bound = *finding.gain,
             .title = Words::translatable(rule->en.title),
             .sentence = Words::translatable(rule->en.sentence),
             .edit = Words::translatable(rule->en.edit),
             .args = finding.args});
    }
}

void ActionFinder::fuseAt(Action& action, const std::map<std::uint32_t, double>& gains) const {
    std::vector<std::pair<double, std::uint32_t>> kernels;
    std::map<std::string, double> sites;
    for (const auto& [kernel, gain] : gains) {
        kernels.emplace_back(gain, kernel);
        addLaunchSites(sites, *m_analysis.profile, m_analysis.kernels[kernel], gain);
    }
    std::ranges::stable_sort(kernels, std::greater{},
                             [](const auto& entry) { return entry.first; });
    for (const auto& [gain, kernel] : kernels) action.kernels.push_back(kernel);
    action.sites = mostFirst(sites);
}

void ActionFinder::attention() {
    const UnfusedAttention& found = m_order.attention;
    if (found.kernels.empty() || !m_frameworks.torch) return;
    Action action{
        .rule = "unfused-attention",
        .alwaysExplained = true,
        .bound = found.scores,
        .estimate = true,
        .title = Words("Attention writes its scores to memory"),
        .sentence =
            Words("By the order of launches, {count} {count?pass:passes} of attention "
                  "{count?runs:run} as separate kernels: between the two products, softmax and "
                  "what else is done to the scores take {time} (the products {products}). A fused "
                  "kernel keeps the scores on the chip."),
        .edit = found.areSums
                    ? Words("Compile the function that makes the scores (torch.compile fuses its "
                            "passes). These scores are sums of a term of the row and one of the "
                            "column, no products of queries and keys, so "
                            "scaled_dot_product_attention does not fit. Where most are masked (a "
                            "graph with few edges), compute those of the edges only.")
                    : Words("Call torch.nn.functional.scaled_dot_product_attention in place of "
                            "matmul, softmax and matmul (transformers: "
                            "attn_implementation=\"sdpa\", if the model has it)."),
        .args = {number("count", found.count, Unit::Count),
                 number("time", found.scores.value, Unit::Seconds),
                 number("products", found.products.value, Unit::Seconds)}};
    fuseAt(action, found.kernels);
    if (!add(std::move(action))) return;
    // This edit takes the place of the separate edits for these kernels.
    const auto isPart = [&](std::uint32_t k) {
        return found.kernels.contains(k) || found.productKernels.contains(k);
    };
    const Action added = std::move(m_actions.back());
    m_actions.pop_back();
    std::erase_if(m_actions, [&](const Action& a) {
        return !a.kernels.empty() && a.bound <= added.bound &&
               std::ranges::all_of(a.kernels, isPart);
    });
    m_actions.push_back(added);
}

void ActionFinder::elementwise() {
    const auto joinsLaunches = [](const Action& action) {
        const Rule* rule = findRule(action.rule);
        return rule && rule->removesLaunch;
    };
    const auto chain = std::ranges::find_if(m_actions, joinsLaunches);
    const Seconds known =
        std::max(m_order.runs.gain, chain == m_actions.end() ? Seconds{} : chain->bound);
    if (operatorsOfCupy(known)) {
        std::erase_if(m_actions, joinsLaunches);
        return;
    }
    if (chain != m_actions.end() && chain->bound >= m_order.runs.gain) return;
    Action action{
        .rule = action_rule::kUnfusedElementwise,
        .bound = m_order.runs.gain,
        .estimate = true,
        .title = Words("Unfused elementwise operators"),
        .sentence =
            m_order.runs.byOrder
                ? Words("{launches} elementwise launches follow each other on tensors of about one "
                        "size; fused, each group would take as long as its longest launch.")
                : Words("{launches} elementwise {launches?launch works:launches work} on the "
                        "output of the previous one; fused, each group would take as long as its "
                        "longest launch."),
        .edit = m_frameworks.cupy && !m_frameworks.torch
                    ? Words("Fuse them into one kernel: decorate the function that contains them "
                            "with cupy.fuse(), or write a cupy.ElementwiseKernel.")
                    : Words("Compile the function that holds them (torch.compile fuses "
                            "elementwise operators and their casts)."),
        .args = {number("launches", m_order.runs.launches, Unit::Count)}};
    fuseAt(action, m_order.runs.kernels);
    if (add(std::move(action))) std::erase_if(m_actions, joinsLaunches);
}

bool ActionFinder::operatorsOfCupy(Seconds least) {
    constexpr double kMuch = 0.4;  // of the window
    constexpr double kLeastLaunches = 16, kLeastPerOther = 8;
    // One kernel in place of many reads a few arrays and writes a few.
    constexpr double kOfLongest = 3;
    if (!m_frameworks.cupy || m_frameworks.torch || m_program.window.isWhole()) return false;
    // CuPy generates a kernel for each operator, also for the copies of roll() and of slices.
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [](const KernelAnalysis& kernel) {
            return kernel.origin == KernelOrigin::CuPy && !cupyTypes(kernel.fullName).empty();
        });
    const double others = m_program.launches().perWindow - found.launches;
    if (found.time < m_program.window.seconds * kMuch || found.launches < kLeastLaunches ||
        found.launches < kLeastPerOther * others)
        return false;
    Seconds longest;
    for (const std::uint32_t k : found.kernels) {
        const Program::KernelCounts& counts = m_program.kernels[k];
        longest = std::max(longest, counts.time * (1 / std::max(counts.perWindow, 1.0)));
    }
    const Seconds bound = found.time - longest * (kOfLongest * (others + 1));
    if (bound <= least) return false;
    return addInPlace(
        {.rule = action_rule::kUnfusedElementwise,
         .kernels = found.kernels,
         .bound = bound,
         .estimate = true,
         .sites = launchSites(found.kernels),
         .title = Words("Unfused elementwise operators"),
         .sentence = Words("{launches} launches are of one operator or copy each, and pass "
                           "over whole arrays for {time}."),
         .edit = Words("Write one kernel for the whole expression: a cupy.ElementwiseKernel "
                       "(or cupy.fuse()) where all operands have the same index, a "
                       "cupy.RawKernel where neighbours are read, in place of cupy.roll() "
                       "and slices, which copy."),
         .args = {number("launches", found.launches, Unit::Count),
                  number("time", found.time.value, Unit::Seconds)}});
}

void ActionFinder::optimizer() {
    const UnusedRows table = unusedRows(m_analysis, m_program);
    if (!m_optimizer.kernels.empty()) {
        // Sparse gradients take launches of their own: 0.7 of 3.2 ms were saved where one pass
        // over a table of 2 million rows saves half of the step (H200, H100).
        add({.rule = "optimizer-passes",
             .kernels = m_optimizer.kernels,
             .bound = m_optimizer.gain,
             .estimate = true,
             .sites = launchSites(m_optimizer.kernels),
             .title = Words("Adam in many passes"),
             .sentence =
                 Words("Its step is {launches} launches of one operation each, which take {time}."),
             .edit = table.kernels.empty()
                         ? Words("Pass fused=True to it.")
                         : Words("Pass fused=True to it. As a call looks up few rows of a table, "
                                 "Embedding(sparse=True) may be faster still."),
             .args = {number("launches", m_optimizer.launches, Unit::Count),
                      number("time", m_optimizer.time.value, Unit::Seconds)}});
        return;
    }
    if (table.kernels.empty()) return;
    add({.rule = "unused-rows",
         .kernels = table.kernels,
         .bound = table.gain,
         .sites = launchSites(table.kernels),
         .title = Words("The optimizer steps over rows that no sample used"),
         .sentence = Words("A call looks up at most {used} of {rows} rows of a table, but the "
                           "gradient is dense: the optimizer takes {time}."),
         .edit = Words("Use Embedding(sparse=True) with an optimizer for sparse gradients "
                       "(SparseAdam, SGD, Adagrad), which takes more launches."),
         .args = {number("used", table.used, Unit::Count),
                  number("rows", static_cast<double>(table.rows), Unit::Count),
                  number("time", table.time.value, Unit::Seconds)}});
}

}  // namespace roofscope::program
