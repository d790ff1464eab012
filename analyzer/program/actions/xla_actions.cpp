// SPDX-License-Identifier: Apache-2.0
/// What JAX compiles: functions apart although each step calls all of them, and loops whose
/// condition the CPU reads.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analyzer/names/xla_module.h"
#include "analyzer/program/account/kernels_per_window.h"
#include "analyzer/program/actions/action_finder.h"
#include "analyzer/program/actions/launch_rounds.h"
#include "analyzer/program/window/range_path.h"
#include "analyzer/quantities/coalescing.h"

namespace roofscope::program {
namespace {

struct Module {
    double launches = 0;  ///< per window
    double calls = 0;     ///< per window: the launches of its most frequent kernel
    Seconds time, atDram;
    std::vector<std::uint32_t> kernels;  ///< those that the DRAM limits
};

bool isLimitedByDram(const Verdict& verdict) {
    return verdict.limiter == ResourceId::Dram &&
           (verdict.cls == VerdictClass::NearRoof || verdict.cls == VerdictClass::MemoryBound);
}

}  // namespace

void ActionFinder::separateJits() {
    constexpr double kSameCalls = 0.9;
    // One function of a few kernels is a pass over arrays; a training step has hundreds.
    constexpr double kFewKernels = 8;
    std::map<std::string, Module> modules;
    for (std::uint32_t k = 0; k < m_analysis.kernels.size(); ++k) {
        const KernelAnalysis& kernel = m_analysis.kernels[k];
        const Program::KernelCounts& counts = m_program.kernels[k];
        const std::string name = xlaModule(kernel.range);
        if (name.empty() || !(counts.time.value > 0)) continue;
        Module& module = modules[name];
        module.calls = std::max(module.calls, counts.perWindow);
        module.time += counts.time;
        module.launches += counts.perWindow;
        if (!isLimitedByDram(kernel.verdict)) continue;
        module.atDram += counts.time;
        module.kernels.push_back(k);
    }
    if (modules.empty()) return;
    const double calls = std::ranges::max_element(modules, {}, [](const auto& entry) {
                             return entry.second.time;
                         })->second.calls;
    std::erase_if(modules, [&](const auto& entry) {
        const Module& module = entry.second;
        return module.calls < calls * kSameCalls || module.calls * kSameCalls > calls ||
               !(module.atDram.value > 0) || module.launches > kFewKernels * module.calls;
    });
    if (modules.size() < 2) return;
    Seconds all, longest;
    std::string names;
    std::vector<std::uint32_t> kernels;
    for (const auto& [name, module] : modules) {
        all += module.atDram;
        longest = std::max(longest, module.atDram);
        names += (names.empty() ? "" : ", ") + name;
        kernels.insert(kernels.end(), module.kernels.begin(), module.kernels.end());
    }
    std::ranges::stable_sort(kernels, std::greater{},
                             [&](std::uint32_t k) { return m_program.kernels[k].time; });
    add({.rule = "separate-jits",
         .alwaysExplained = true,
         .kernels = kernels,
         .bound = all - longest,
         .estimate = true,
         .sites = launchSites(kernels),
         .title = Words("A step calls several compiled functions"),
         .sentence =
             Words("{count} functions that JAX compiled apart follow each other ({names}). Their "
                   "kernels at the DRAM roof take {time}; where they work on the same arrays, each "
                   "reads and writes these again."),
         .edit = Words("Call them from one function under jax.jit, so that XLA can fuse across "
                       "them, and donate the arrays that it replaces (donate_argnums)."),
         .args = {number("count", static_cast<double>(modules.size()), Unit::Count),
                  words("names", Words::same(names)), number("time", all.value, Unit::Seconds)}});
}

bool ActionFinder::smallXlaKernels() {
    constexpr double kMany = 1000;
    constexpr Seconds kShort{4e-6};  // twice an empty launch
    constexpr double kOfWindow = 0.6;
    if (!m_frameworks.xla) return false;
    const KernelsPerWindow small =
        kernelsThat(m_analysis, m_program, [&](const KernelAnalysis& kernel) {
            const auto& counts = m_program.kernels[indexOf(m_analysis, kernel)];
            return kernel.origin == KernelOrigin::Xla && counts.time <= kShort * counts.perWindow;
        });
    const Program::KernelCounts all = m_program.launches();
    const Seconds idle = m_account.time[TimeClass::IdleLaunch];
    const Seconds kernels = m_account.time[TimeClass::Kernels];
    if (small.launches < kMany || !areNearlyAll(small, all) ||
        kernels + idle < m_program.window.seconds * kOfWindow)
        return false;
    return addInPlace(
        {.rule = "small-xla-kernels",
         .timeClass = TimeClass::IdleLaunch,
         .alwaysExplained = true,
         .kernels = small.kernels,
         .bound = kernels + idle,
         .ofKernels = kernels,
         .sites = launchSites(small.kernels),
         .title = Words("A chain of kernels that hardly do anything"),
         .sentence = Words("{count} kernels of XLA take {each} each on average, hardly more than "
                           "an empty one."),
         .edit =
             Words("Let each do more: vmap over many items (seeds, robots, samples), which take "
                   "hardly longer together. For one small item, JAX's CPU backend may be "
                   "faster (JAX_PLATFORMS=cpu); or make fewer kernels of a step: "
                   "lax.scan(unroll=8), small dense products in place of gathers and scatters, "
                   "one kernel in Pallas."),
         .args = {number("count", small.launches, Unit::Count),
                  number("each", small.time.value / small.launches, Unit::Seconds)}});
}

void ActionFinder::sliceUpdates() {
    constexpr double kLeast = 0.2;  // of the window
    constexpr std::size_t kFewest = 4;
    constexpr double kOnce = 1.5;  // the iterations of a scan launch one kernel many times
    constexpr double kStays = 2;   // passes over the array
    const KernelsPerWindow found =
        kernelsThat(m_analysis, m_program, [](const KernelAnalysis& kernel) {
            // What XLA writes in place and in a row (a cache) takes only its own bytes.
            return kernel.origin == KernelOrigin::Xla &&
                   kernel.fullName.find("dynamic_update_slice") != std::string::npos &&
                   (isMostlyExcess(kernel.quantities.stores) ||
                    isMostlyExcess(kernel.quantities.loads));
        });
    const auto count = static_cast<double>(found.kernels.size());
    if (found.kernels.size() < kFewest || found.time < m_program.window.seconds * kLeast ||
        found.launches > kOnce * count)
        return;
    addInPlace(
        {.rule = "slice-updates",
         .alwaysExplained = true,
         .kernels = found.kernels,
         .bound = found.time * (1 - std::min(1.0, kStays / count)),
         .estimate = true,
         .sites = launchSites(found.kernels),
         .title = Words("Slices of arrays are updated one after another"),
         .sentence = Words("{count} kernels that each write a slice of an array take {time} of "
                           "{all} in kernels."),
         .edit = Words("Make the array from all of its parts at once (jnp.stack, jnp.where, "
                       "jnp.concatenate) in place of x.at[…].set(…) for one slice after another, "
                       "with the slice's index first, so that each slice is contiguous."),
         .args = {number("count", found.launches, Unit::Count),
                  number("time", found.time.value, Unit::Seconds),
                  number("all", m_account.time[TimeClass::Kernels].value, Unit::Seconds)}});
}

bool ActionFinder::whileLoops() {
    constexpr double kOneByte = 1.5;  // the mean: results of the whole call come back, too
    constexpr double kOfWaits = 0.5, kRoundsOfCall = 4;
    if (!m_account.causesKnown || !m_frameworks.xla) return false;
    const auto windows = static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
    double rounds = 0;
    Seconds copies;
    for (const CopyTime& copy : m_account.copies) {
        const double count = static_cast<double>(copy.count) / windows;
        if (copy.kind != TransferKind::DeviceToHost || copy.bytes.value > kOneByte * count)
            continue;
        rounds += count;
        copies += copy.exposed;
    }
    if (rounds < kManyRounds || rounds < kOfWaits * waitsPerRepeat()) return false;
    // A loop in Python that tests a result calls a compiled function in each round.
    const auto& ranges = m_analysis.profile->timeline.ranges;
    const auto calls = std::ranges::count_if(ranges, [&](const RangeSpan& range) {
        return !xlaModule(lastName(m_analysis.profile->ranges[range.range])).empty();
    });
    if (calls == 0 || static_cast<double>(calls) * kRoundsOfCall > rounds * windows) return false;
    const Seconds idle =
        m_account.time[TimeClass::IdleSync] + m_account.time[TimeClass::IdleLaunch] + copies;
    return add(
        {.rule = "while-on-cpu",
         .timeClass = TimeClass::IdleSync,
         .bound = idle,
         .sites = sitesOf(CallKind::Wait, TimeClass::IdleSync, idle),
         .title = Words("A loop asks the CPU after each round"),
         .sentence =
             Words("XLA copies the condition of a while_loop to the CPU {rounds} times per repeat, "
                   "one byte each, and launches the next round only then. Waits and launches leave "
                   "the GPU idle for {idle}."),
         .edit = Words(
             "Give each round more work: vmap over more items (several candidates or batches in "
             "one call) takes as many rounds. Or make several steps in a round, or a fixed number "
             "of steps (fori_loop or scan with constant bounds needs no condition), or write the "
             "loop as one kernel (Pallas). Items that end early wait for the last one: sort them "
             "into calls of like length."),
         .args = {number("rounds", rounds, Unit::Count),
                  number("idle", idle.value, Unit::Seconds)}});
}

}  // namespace roofscope::program
