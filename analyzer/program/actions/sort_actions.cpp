// SPDX-License-Identifier: Apache-2.0
/// Sorts that take much of a program's time.
#include "analyzer/program/actions/action_finder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/program/account/kernels_per_window.h"
#include "analyzer/program/account/sites.h"
#include "profile/names/function_name.h"
#include "profile/text/lower_case.h"

namespace roofscope::program {
namespace {

/// Kernels of CUB's and PyTorch's sorts, by a part of their names, and the two with which PyTorch
/// begins and ends a segmented sort.
constexpr std::array<std::string_view, 9> kSortNames{
    "DeviceRadixSort", "DeviceSegmentedRadixSort",    "DeviceSegmentedSort",
    "DeviceMergeSort", "radixSortKVInPlace",          "bitonicSortKVInPlace",
    "__merge_sort::",  "fill_reverse_indices_kernel", "sort_postprocess_kernel"};

bool isSortByName(const KernelAnalysis& kernel) {
    return std::ranges::any_of(kSortNames, [&](std::string_view name) {
        return kernel.fullName.find(name) != std::string::npos;
    });
}

/// Whether this is, by its name, a step of the program's own sort: "bitonicMergeGlobal",
/// "oddEvenSort", "radixSortStep". "sortedSearch", "resort" and "oddEvenReduce" are not, and
/// namespaces do not count.
bool isOwnSortByName(const KernelAnalysis& kernel) {
    const std::string name = lowerCase(functionBaseName(kernel.fullName));
    const auto has = [&](std::string_view word) { return name.find(word) != name.npos; };
    return has("bitonic") || (has("sort") && !has("sorted") && !has("resort"));
}

/// Whether the program itself asked for a sort. Gradients of embeddings, sparse tensors,
/// permutations and index_put also sort internally, and need the whole order.
bool isSortOperator(std::string_view op) {
    return op == "aten::sort" || op == "aten::argsort" || op == "aten::msort";
}

/// Whether each row is sorted by itself: "[1024, 262144]", or CUB's segments. A program that sorts
/// rows often keeps only their first values; one that sorts one array mostly wants it sorted.
bool sortsRows(const KernelAnalysis& kernel, std::string_view of) {
    return of.substr(0, of.find(']')).find(',') != of.npos ||
           kernel.fullName.find("Segmented") != std::string::npos;
}

/// The merge sorts of CUB and Thrust among the kernels of sorts.
struct MergeSorts {
    std::vector<std::uint32_t> kernels;
    Seconds time;         ///< per window
    double launches = 0;  ///< per window
    /// How often one sort moves all elements: a sort of blocks, and passes that merge two parts
    /// each. Absent where the kernels do not show it.
    std::optional<double> passes;
};

MergeSorts mergeSortsOf(const Analysis& analysis, const Program& program,
                        const KernelsPerWindow& sorts) {
    MergeSorts found;
    double blocks = 0, merges = 0;
    for (const std::uint32_t k : sorts.kernels) {
        const std::string_view name = analysis.kernels[k].fullName;
        const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
        if (!has("DeviceMergeSort") && !has("__merge_sort::")) continue;
        found.kernels.push_back(k);
        found.time += program.kernels[k].time;
        found.launches += program.kernels[k].perWindow;
        if (has("DeviceMergeSortBlockSortKernel") || has("__merge_sort::BlockSortAgent"))
            blocks += program.kernels[k].perWindow;
        else if (has("DeviceMergeSortMergeKernel") || has("__merge_sort::MergeAgent"))
            merges += program.kernels[k].perWindow;
    }
    if (blocks > 0) found.passes = 1 + merges / blocks;
    return found;
}

/// The operator that launches this kernel, "aten::sort [1024, 262144]"; empty if none was recorded,
/// absent if one of them only sorts internally.
std::optional<std::string> sortOperator(const Profile& profile, const KernelAnalysis& kernel) {
    std::string first;
    for (const CallSite* site : launchSitesOf(profile, kernel)) {
        if (site->op.empty()) continue;
        if (!isSortOperator(site->op)) return std::nullopt;
        if (first.empty()) first = operatorText(*site);
    }
    return first;
}

}  // namespace

void ActionFinder::sorts() {
    constexpr double kLeast = 0.2;  // of the kernels' time
    // A selection takes several launches as well, so it is no faster for a few keys.
    constexpr Seconds kLeastLaunch{10e-6};
    // Half the bits are half the passes.
    constexpr double kSavesOfArray = 0.5;
    const Profile& profile = *m_analysis.profile;
    std::string of;
    bool several = false, rows = true;
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [&](const KernelAnalysis& kernel) {
            if (!isSortByName(kernel)) return false;
            const auto op = sortOperator(profile, kernel);
            // PyTorch's operators also sort for other purposes, so the operator must be known.
            if (!op || (m_frameworks.torch && op->empty())) return false;
            several = several || (!of.empty() && !op->empty() && of != *op);
            if (of.empty()) of = *op;
            rows = rows && sortsRows(kernel, *op);
            return true;
        });
    if (several) of.clear();
    const Seconds all = m_account.time[TimeClass::Kernels];
    if (!(all.value > 0) || found.time < all * kLeast || found.time < kLeastLaunch * found.launches)
        return;
    Action action{
        .rule = "full-sort",
        .kernels = found.kernels,
        .bound = rows ? found.time : found.time * kSavesOfArray,
        .estimate = !rows,
        .sites = launchSites(found.kernels),
        .title = Words("Full sorts"),
        .sentence =
            of.empty()
                ? Words("Sorts take {time} of {all} in kernels ({launches} launches, each of which "
                        "moves all of the keys).")
                : Words("{operator} takes {time} of {all} in kernels ({launches} launches, each of "
                        "which moves all of the keys)."),
        .edit = m_frameworks.torch
                    ? Words("If only the first k of each row are used, call torch.topk in place of "
                            "sort or argsort: it reads the data about once. If all of the order "
                            "is needed, sort smaller keys (16 bits take half the passes of 32), "
                            "or keep the order from the last step.")
                : m_frameworks.xla
                    ? Words("If only the first k of each row are used, call jax.lax.top_k in place "
                            "of a sort: it need not order the rest. If all of the order is "
                            "needed, sort smaller keys, or keep the order from the last step.")
                    : Words("If only the first k are used, select them (cub::DeviceTopK, or a "
                            "threshold from a histogram), which reads the data about once. If all "
                            "of the order is needed, sort fewer bits (begin_bit, end_bit) or "
                            "smaller keys, or keep the order from the last step."),
        .args = {number("time", found.time.value, Unit::Seconds),
                 number("all", all.value, Unit::Seconds),
                 number("launches", found.launches, Unit::Count),
                 words("operator", Words::same(of))}};
    // In Python, the library of arrays chooses the sort.
    constexpr double kMost = 0.5;
    const MergeSorts merges = mergeSortsOf(m_analysis, m_program, found);
    if (!m_frameworks.python && merges.passes && merges.time > found.time * kMost) {
        action.kernels = merges.kernels;
        action.sites = launchSites(merges.kernels);
        action.args = {number("time", merges.time.value, Unit::Seconds),
                       number("all", all.value, Unit::Seconds),
                       number("launches", merges.launches, Unit::Count)};
        giveWayToRadixSort(action, merges.time, *merges.passes);
    }
    addInPlace(std::move(action));
}

void ActionFinder::giveWayToRadixSort(Action& action, Seconds time, double passes) {
    // A key of 32 bits and an index, 8 bits in a pass, and then the elements.
    constexpr double kPasses = 4 + 1;
    action.title = Words("Merge sorts");
    action.edit = Words(
        "Thrust takes a merge sort for an own comparator or a type that is no number. Sort an "
        "integer key with an index by a radix sort in its place "
        "(cub::DeviceRadixSort::SortPairs, with only the bits that the keys have: begin_bit, "
        "end_bit), then move the elements once. Keys of few values, such as the cells of a "
        "grid, need no sort: count them, add up the counts (cub::DeviceScan) and scatter. "
        "Allocate the temporary memory once.");
    action.bound = time * std::max(0.0, 1 - kPasses / passes);
    action.estimate = true;
    action.sentence = Words(
        "Merge sorts of CUB or Thrust take {time} of {all} in kernels ({launches} launches): a "
        "sort moves all of the elements {passes} times, a radix sort of 32 bits {radix} times.");
    action.args.push_back(number("passes", passes, Unit::Count));
    action.args.push_back(number("radix", kPasses, Unit::Count));
}

void ActionFinder::coalescing() {
    constexpr std::string_view kOperator = "aten::_coalesce", kSums = "coalesceValuesKernel";
    constexpr double kLeastCalls = 4;  // of the counted windows
    const Profile& profile = *m_analysis.profile;
    // A gradient is a new tensor in each step, and must be coalesced. A line that also launches a
    // product coalesces the matrix of that product.
    std::set<std::pair<std::string_view, std::uint32_t>> products;
    for (const CallSite& site : profile.callSites)
        if (site.kernel && !site.file.empty() &&
            profile.kernels[*site.kernel].name.find("cusparse") != std::string::npos)
            products.emplace(site.file, site.line);
    const auto isOf = [&](const KernelAnalysis& kernel) {
        bool inside = false;
        for (const CallSite* site : launchSitesOf(profile, kernel)) {
            if (site->op.empty()) continue;
            if (site->op != kOperator) return false;
            inside = inside || products.contains({site->file, site->line});
        }
        return inside;
    };
    const KernelsPerWindow found = kernelsThat(m_analysis, m_program, isOf);
    double calls = 0;
    for (const std::uint32_t k : found.kernels)
        if (m_analysis.kernels[k].fullName.find(kSums) != std::string::npos)
            calls += m_program.kernels[k].perWindow;
    if (calls * static_cast<double>(m_program.window.counted) < kLeastCalls) return;
    addInPlace({.rule = "repeated-coalesce",
                .kernels = found.kernels,
                .bound = found.time,
                .sites = launchSites(found.kernels),
                .title = Words("Sparse tensors are coalesced in each product"),
                .sentence = Words("PyTorch sorts and sums the entries of sparse COO tensors in "
                                  "{calls} {calls?call:calls} of aten::_coalesce, for {time} of "
                                  "{all} in kernels."),
                .edit = Words("Coalesce the tensor once where it is made (a = a.coalesce()) and "
                              "keep the result: each product with an uncoalesced one sorts it "
                              "anew. Or convert it once by .to_sparse_csr(), which products read "
                              "as it is. Where only the values change, sort the indices once and "
                              "pass is_coalesced=True."),
                .args = {number("calls", calls, Unit::Count),
                         number("time", found.time.value, Unit::Seconds),
                         number("all", m_account.time[TimeClass::Kernels].value, Unit::Seconds)}});
}

bool ActionFinder::addInPlace(Action action) {
    if (!add(std::move(action))) return false;
    const Action added = std::move(m_actions.back());
    m_actions.pop_back();
    std::erase_if(m_actions, [&](const Action& a) {
        return !a.kernels.empty() && a.bound <= added.bound &&
               std::ranges::all_of(a.kernels, [&](std::uint32_t k) {
                   return std::ranges::find(added.kernels, k) != added.kernels.end();
               });
    });
    m_actions.push_back(added);
    return true;
}

void ActionFinder::ownSort() {
    // A library sorts in about as many launches, each of about this length.
    constexpr double kOfLibrary = 4, kLeastLaunches = 3 * kOfLibrary;
    constexpr Seconds kLaunchOfLibrary{4e-6};
    constexpr double kLeast = 0.2;  // of the window
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [](const KernelAnalysis& kernel) {
            return kernel.origin == KernelOrigin::Own && isOwnSortByName(kernel);
        });
    // Only short launches: long ones have enough to do, and a library's may take as long.
    constexpr Seconds kShort{20e-6};
    if (found.launches < kLeastLaunches || found.time > kShort * found.launches) return;
    // If there are several kernels, the one that is launched least shows how many sorts a window
    // has. A single kernel does not show it: assume as many sorts as could be worth the edit.
    double sorts = found.launches / kLeastLaunches;
    if (found.kernels.size() > 1)
        for (const std::uint32_t kernel : found.kernels)
            sorts = std::min(sorts, std::max(1.0, m_program.kernels[kernel].perWindow));
    else if (sorts < 2)
        sorts = 1;
    const double share = found.launches / std::max(found.launches, m_program.launches().perWindow);
    const Seconds between = m_account.time[TimeClass::IdleLaunch] * share;
    const double ofLibrary = kOfLibrary * sorts;
    const Seconds saved = found.time + between - kLaunchOfLibrary * ofLibrary;
    if (saved < m_program.window.seconds * kLeast) return;
    addInPlace(
        {.rule = "own-sort",
         .kernels = found.kernels,
         .bound = saved,
         .estimate = true,
         .sites = launchSites(found.kernels),
         .title = Words("A sort in many launches"),
         .sentence = Words("{launches} of {all} launches sort, by their names: {time} in kernels "
                           "and about {between} in which the GPU waits for them."),
         .edit = Words("Call cub::DeviceRadixSort in their place: about {library} launches, with "
                       "only the bits that the keys have (begin_bit, end_bit). Keys of few values, "
                       "such as the cells of a grid, need no sort: count them, add up the counts "
                       "(cub::DeviceScan) and scatter."),
         .args = {number("launches", found.launches, Unit::Count),
                  number("all", m_program.launches().perWindow, Unit::Count),
                  number("time", found.time.value, Unit::Seconds),
                  number("between", between.value, Unit::Seconds),
                  number("library", ofLibrary, Unit::Count)}});
}

}  // namespace roofscope::program
