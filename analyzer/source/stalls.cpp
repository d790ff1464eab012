// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/stalls.h"

#include <algorithm>
#include <functional>

#include "analyzer/counters/group_sums.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope {

namespace {

constexpr std::string_view kPrefix = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kSuffix = "_per_issue_active.ratio";

/// Reasons that every chip counts. Some chips add "imc_miss" and "gmma".
constexpr std::string_view kEveryChip[] = {"barrier",
                                           "branch_resolving",
                                           "dispatch_stall",
                                           "drain",
                                           "lg_throttle",
                                           "long_scoreboard",
                                           "math_pipe_throttle",
                                           "membar",
                                           "mio_throttle",
                                           "misc",
                                           "no_instruction",
                                           "not_selected",
                                           "selected",
                                           "short_scoreboard",
                                           "sleeping",
                                           "tex_throttle",
                                           "wait"};

/// Created on first use.
const std::vector<StallCause>& causes() {
    static const std::vector<StallCause> kCauses{
        {.reason = "barrier",
         .what = Words("other warps of their block at a barrier"),
         .why = Words("Warps that reach a barrier early wait for the slowest one."),
         .edit = Words(
             "Give all warps between two barriers the same work, use fewer barriers (__syncwarp "
             "where one warp is enough) or smaller blocks, so that other blocks fill the wait."),
         .inTriton =
             Words("In Triton, barriers come from reductions, scans, tl.dot and transposing "
                   "blocks: keep one sum per element in the loop and reduce once after it, or use "
                   "fewer warps (num_warps=1 needs no barrier to reduce).")},
        {.reason = "branch_resolving",
         .what = Words("the target of a branch"),
         .why = Words("After every jump a warp waits until its next instruction is known."),
         .edit = Words("Unroll short loops and replace small branches by selects, so that fewer "
                       "jumps are taken."),
         .inTriton = Words("In Triton, unroll short loops (tl.static_range) and use tl.where in "
                           "place of small branches.")},
        {.reason = "dispatch_stall",
         .what = Words("the dispatcher"),
         .why = Words("The dispatcher holds instructions back, mostly because of conflicts at the "
                      "register file."),
         .edit =
             Words("Let fewer operands of neighbouring instructions come from the register file at "
                   "once: keep reused values in one place and try another unroll factor.")},
        {.reason = "drain",
         .what = Words("their last stores to leave"),
         .why = Words(
             "A warp that has finished keeps its slot until all of its stores have left the SM."),
         .edit = Words("Store coalesced and 16 bytes per thread, and spread the stores over the "
                       "kernel instead of leaving all of them for its end."),
         .inTriton = Words(
             "In Triton, store at contiguous offsets, 16 bytes of neighbouring elements per thread "
             "(a larger BLOCK or fewer warps), and not everything at the kernel's end.")},
        {.reason = "gmma",
         .what = Words("tensor cores to finish (wgmma)"),
         .why = Words("Warps wait for asynchronous matrix products that they issued themselves."),
         .edit = Words("Keep more than one wgmma group in flight, and let a second warp group do "
                       "the softmax or the epilogue meanwhile."),
         .inTriton = Words("In Triton, let more steps of the loop run ahead (num_stages), and use "
                           "two groups of four warps (num_warps=8) for larger blocks.")},
        {.reason = "imc_miss",
         .what = Words("constants that missed the constant cache"),
         .why = Words(
             "Constants and kernel arguments are read through a small cache; misses go to memory."),
         .edit = Words("Index constant memory with the same value in all lanes of a warp, and move "
                       "large tables to shared or global memory.")},
        {.reason = "lg_throttle",
         .what = Words("a slot for global or local accesses"),
         .why = Words("The queue for global and local accesses is full: too many instructions, not "
                      "too many bytes."),
         .edit = Words("Move 16 bytes per access (float4, uint4), combine neighbouring accesses, "
                       "and keep local arrays in registers (constant indices)."),
         .inTriton = Words(
             "In Triton, move more bytes per access: contiguous offsets, and a BLOCK that gives "
             "each thread 16 bytes of neighbouring elements (a larger BLOCK or fewer warps).")},
        {.reason = "long_scoreboard",
         .what = Words("data from global or local memory"),
         .why =
             Words("Each warp has too few loads in flight while it waits for the L2 or the DRAM."),
         .edit = Words("Issue several independent loads before the first use (unroll, prefetch the "
                       "next tile, asynchronous copies), keep what is re-read in shared memory, or "
                       "keep more warps resident."),
         .inTriton =
             Words("In Triton, let more loads run at once: more elements per thread (a larger "
                   "BLOCK or fewer warps), several rows or blocks per program, and in a loop "
                   "num_stages (of the launch or of tl.range), which loads the next steps ahead.")},
        {.reason = "math_pipe_throttle",
         .what = Words("a free arithmetic pipe"),
         .why = Words("Many warps want the same pipe in the same cycles."),
         .edit = Words("Interleave instructions of different pipes, or use fewer of the dominant "
                       "kind (record the counter group \"pipes\" to see which).")},
        {.reason = "membar",
         .what = Words("a memory fence"),
         .why = Words("A fence waits until all earlier accesses of the warp are visible."),
         .edit = Words("Use the narrowest fence that is right (__threadfence_block, or acquire and "
                       "release on the one atomic), and fence once for many stores."),
         .inTriton = Words("In Triton, give atomics the weakest order and scope that is right "
                           "(sem=\"relaxed\", scope=\"cta\").")},
        {.reason = "mio_throttle",
         .what = Words("a slot in the queue for shared memory, special functions and indexed "
                       "constants"),
         .why = Words("That queue is full: too many instructions for it."),
         .edit = Words("Use 16-byte shared accesses, keep more values in registers, and exchange "
                       "values with warp shuffles less often."),
         .inTriton = Words("In Triton, shared memory serves reductions, tl.dot and transposing "
                           "blocks: keep one sum per element in the loop and reduce once after it, "
                           "and load blocks in the order in which they are used.")},
        {.reason = "misc",
         .what = Words("a reason that is not counted separately"),
         .why = Words("The hardware sums up several rare reasons here."),
         .edit = Words("Record PC samples or a source pass to see the instructions.")},
        {.reason = "no_instruction",
         .what = Words("their next instruction"),
         .why = Words("The instruction cache does not have it: code larger than the cache, long "
                      "jumps, or a kernel that ends before it gets going."),
         .edit = Words("Make the hot loop smaller (unroll less, fewer inlined variants), and give "
                       "short kernels more work per launch."),
         .inTriton = Words("In Triton, make the code smaller (fewer steps of tl.static_range, "
                           "smaller BLOCK sizes), and give short kernels more work per launch.")},
        {.reason = "short_scoreboard",
         .what = Words("shared memory or special functions"),
         .why = Words("Results from shared memory, special functions or warp shuffles arrive later "
                      "than they are needed."),
         .edit =
             Words("Load the next values from shared memory before the arithmetic on the present "
                   "ones, remove bank conflicts, and replace slow functions by fast ones."),
         .inTriton = Words("In Triton, keep one sum per element in the loop and reduce once after "
                           "it, use fewer warps for a reduction (num_warps), and cheaper functions "
                           "(tl.exp2 with the factor folded in, tl.rsqrt).")},
        {.reason = "sleeping",
         .what = Words("a sleep that the code asks for (__nanosleep)"),
         .why = Words("Warps sleep because the code tells them to."),
         .edit = Words("Shorten the back-off, or wait on a barrier instead of polling.")},
        {.reason = "tex_throttle",
         .what = Words("a slot for texture accesses"),
         .why = Words("The queue for texture and surface accesses is full."),
         .edit = Words("Read through ordinary loads where no filtering is needed, and fetch "
                       "several values at once.")},
        {.reason = "warpgroup_arrive",
         .what = Words("their group of warps to arrive (wgmma)"),
         .why = Words(
             "A tensor operation of a group of four warps starts when all of them are there."),
         .edit = Words("Give the four warps of a group the same work before the wgmma, and issue "
                       "it for several tiles between two waits."),
         .inTriton = Words("In Triton, let more steps of the loop run ahead (num_stages), and keep "
                           "work beside tl.dot out of the loop.")},
        {.reason = "wait",
         .what = Words("a fixed-latency dependency"),
         .why = Words("Each instruction depends on the one before, whose latency is fixed."),
         .edit = Words(
             "Give each thread independent chains: several accumulators, two elements at once."),
         .inTriton = Words("In Triton, give each thread more independent elements (a larger BLOCK "
                           "or fewer warps), or let a program handle several rows at once.")},
    };
    return kCauses;
}

}  // namespace

ExpectedMovement withoutStall(const Stalls& stalls, const Stall& stall) {
    return {.counter = Words::same(stalls.sampled ? stallFormula(stalls, stall.reason)
                                                  : stallCounter(stall.reason) + " / sum"),
            .what = moved::StallShare{.reason = stall.reason, .sampled = stalls.sampled},
            .from = stall.share,
            // Some of it stays, whatever the edit.
            .to = stall.share / 2,
            .unit = Unit::Share};
}

std::string stallCounter(std::string_view reason) {
    return std::string(kPrefix) + std::string(reason) + std::string(kSuffix);
}

namespace {

const std::vector<std::string>& namesOnEveryChip() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const std::string_view reason : kEveryChip) names.push_back(stallCounter(reason));
        return names;
    }();
    return kNames;
}

/// What is missing if no stall counter was recorded.
SharedText allNames() {
    static const SharedText kAll = [] {
        std::string all;
        for (const std::string& name : namesOnEveryChip()) all += (all.empty() ? "" : ", ") + name;
        return all;
    }();
    return kAll;
}

}  // namespace

double Stalls::shareOf(std::string_view reason) const {
    const auto found = std::ranges::find(reasons, reason, &Stall::reason);
    return found == reasons.end() ? 0.0 : found->share;
}

Stalls stallsOf(const Profile& profile, const LaunchGroup& group) {
    Stalls stalls;
    const auto isStall = [](const std::string& name) { return name.starts_with(kPrefix); };
    if (std::ranges::none_of(profile.counters.names(), isStall)) {
        stalls.missing = allNames();
        return stalls;
    }
    std::vector<std::string> names = namesOnEveryChip();
    const GroupSums sums(profile.counters, group.launches);
    for (const std::string& name : profile.counters.names())
        if (name.starts_with(kPrefix) && name.ends_with(kSuffix) &&
            std::ranges::find(names, name) == names.end() && sums.joint({name}).ok())
            names.push_back(name);
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto joint = sums.joint(views);
    if (!joint.ok()) {
        stalls.missing = joint.missing;
        return stalls;
    }
    double all = 0;
    for (std::size_t i = 0; i < names.size(); ++i) all += joint[i];
    if (!(all > 0)) return stalls;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string reason =
            names[i].substr(kPrefix.size(), names[i].size() - kPrefix.size() - kSuffix.size());
        if (!isWaiting(reason)) continue;
        stalls.reasons.push_back({.reason = reason, .share = joint[i] / all});
    }
    std::ranges::stable_sort(stalls.reasons, std::greater{}, &Stall::share);
    return stalls;
}

Stalls stallsOf(const Profile& profile, const KernelAnalysis& kernel) {
    // Samples of a launch that did other work than the counted one say nothing about this kernel.
    if (!kernel.source || !kernel.source->agrees || !kernel.source->stalls.enough())
        return stallsOf(profile, kernel.group);
    const SampledStalls& sampled = kernel.source->stalls;
    Stalls stalls;
    stalls.sampled = true;
    for (const SampledStalls::State& state : sampled.states)
        if (isWaiting(state.reason))
            stalls.reasons.push_back(
                {.reason = state.reason, .share = state.total / sampled.total});
    std::ranges::stable_sort(stalls.reasons, std::greater{}, &Stall::share);
    return stalls;
}

std::string stallFormula(const Stalls& stalls, std::string_view reason) {
    return stalls.sampled ? sampledStallCounter(reason) + " / " + std::string(kSampleCount)
                          : stallCounter(reason) + " / sum over all reasons";
}

const StallCause* findStallCause(std::string_view reason) {
    // Samples name it in the plural.
    if (reason == "no_instructions") reason = "no_instruction";
    for (const StallCause& cause : causes())
        if (cause.reason == reason) return &cause;
    return nullptr;
}

Words stallWords(std::string_view reason) {
    const StallCause* cause = findStallCause(reason);
    return cause ? cause->what : Words::same(std::string(reason));
}

}  // namespace roofscope
