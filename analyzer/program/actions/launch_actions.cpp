// SPDX-License-Identifier: Apache-2.0
/// GPU idle time in launch calls and between them.
#include <optional>

#include "analyzer/program/account/functions.h"
#include "analyzer/program/actions/action_finder.h"
#include "analyzer/program/actions/growing_cache.h"
#include "analyzer/program/actions/python_loops.h"

namespace roofscope::program {

double ActionFinder::waitsPerRepeat() const {
    double waits = 0;
    for (const CallTime& call : m_account.calls)
        if (call.kind == CallKind::Wait || call.kind == CallKind::Transfer)
            waits += static_cast<double>(call.count);
    return waits / static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
}

bool ActionFinder::waitsInside() const {
    constexpr double kMoreThanAtItsEnd = 2;
    return waitsPerRepeat() >= kMoreThanAtItsEnd;
}

const KernelFunction* ActionFinder::changesShapes() const {
    constexpr std::size_t kLeastRepeats = 4, kLeastShapes = 16;
    // A function with another shape in each launch of a repeat has as many shapes as launches.
    constexpr double kLeastPerLaunch = 3;
    if (m_program.window.counted < kLeastRepeats) return nullptr;
    const KernelFunction* most = nullptr;
    for (const KernelFunction& function : m_program.functions) {
        const std::size_t shapes = function.kernels.size();
        if (function.launches >= 0.9 && shapes >= kLeastShapes &&
            static_cast<double>(shapes) >= kLeastPerLaunch * function.launches &&
            (!most || shapes > most->kernels.size()))
            most = &function;
    }
    return most;
}

bool ActionFinder::onOneBlock() const {
    constexpr double kNearlyAll = 0.98;
    double launches = 0, single = 0;
    for (std::size_t k = 0; k < m_analysis.kernels.size(); ++k) {
        const auto& rows = m_analysis.kernels[k].group.launches;
        if (rows.empty()) continue;
        const Launch& launch = m_analysis.profile->launches[rows.front()];
        launches += m_program.kernels[k].perWindow;
        if (launch.grid.total() == 1 && !isForeign(m_analysis.kernels[k].origin))
            single += m_program.kernels[k].perWindow;
    }
    return single > 1 && single >= kNearlyAll * launches;
}

void ActionFinder::launches() {
    if (!m_account.causesKnown || m_account.mayBeOneLoad(TimeClass::IdleLaunch)) return;
    const Program::KernelCounts all = m_program.launches();
    const double perWindow = all.perWindow;
    const double idle = m_account.time[TimeClass::IdleLaunch].value;
    // So long before each launch, the CPU issues something else: copies, allocations.
    constexpr double kMostPerLaunch = 1e-3;
    if (idle > kMostPerLaunch * perWindow) return;
    const KernelFunction* const changing = changesShapes();
    auto loop =
        m_frameworks.xla ? std::nullopt : pythonLoop(m_analysis, m_program, repeatsWithSites());
    if (!loop && !m_frameworks.xla && m_order.rounds)
        loop = sampledLoop(*m_analysis.profile, *m_order.rounds,
                           m_account.samples[TimeClass::IdleLaunch]);
    const bool own = !m_frameworks.torch && !m_frameworks.xla && !m_frameworks.cupy && !loop;
    // Rows of a field, one library call each.
    const auto calls = own ? m_order.rounds : std::nullopt;
    constexpr std::size_t kFewCalls = 4;
    // A round that waits needs the one before.
    const bool rows = calls && calls->length <= kFewCalls && calls->rounds >= kManyRounds &&
                      waitsPerRepeat() < calls->rounds / 2;
    // Sums of shares: half of the launches may come out as slightly less than 0.5.
    const bool graphs = all.fromGraphs > 0.45 * perWindow;
    Words edit;
    // A graph of so few kernels takes as long to launch, but not as long as this.
    constexpr double kLongForFew = 30e-6;
    if (perWindow < kLeastOfGraph && (busy() < kGraphLaunch || idle < kLongForFew))
        edit = Words(
            "Give each launch more work (a larger batch, or several launches in one): a CUDA graph "
            "of so few kernels takes as long to launch, unless it holds several repeats.");
    else if (graphs && m_frameworks.xla)
        edit = Words(
            "XLA launches graphs already: unroll the loop (jax.lax.scan(..., unroll=8)), put "
            "more of it into one jit, or give each step more work (a larger batch).");
    else if (graphs)
        edit = Words(
            "Most kernels come from CUDA graphs already: fuse them or give each more work "
            "(a larger batch).");
    else if (m_frameworks.torch && growsByCat(m_analysis, m_program))
        edit = Words(
            "Use a cache of fixed size (transformers: generate(cache_implementation="
            "\"static\")), so that every step has the same shapes, and "
            "torch.compile(mode=\"reduce-overhead\"); or decode a larger batch.");
    else if (m_frameworks.torch && changing)
        edit = Words(
            "Pad shapes to a fixed size, or do the same work in fewer, larger operators (one table "
            "in place of many, all samples at once): shapes change from repeat to repeat "
            "({changing} has {shapes}), and such a step cannot be captured. Then use "
            "torch.compile(mode=\"reduce-overhead\").");
    else if (loop)
        edit = Words(
            "Do the rounds of the loop at {loop} all at once, if they do not need each other's "
            "results (samples, pairs, boxes): operators over a whole batch, masks in place of "
            "selected parts, no .item() or condition inside. The loop launches a few small kernels "
            "{rounds} times or more. Otherwise compile it or capture it in a CUDA graph.");
    else if (m_frameworks.torch && waitsInside())
        edit = Words(
            "Remove the waits within the step first (.item(), .cpu(), nonzero(), conditions on "
            "tensors): a step that waits cannot be captured. Then use "
            "torch.compile(mode=\"reduce-overhead\"); or give each launch more work (a larger "
            "batch, or several small operators in one).");
    else if (m_frameworks.torch)
        edit = Words(
            "Use torch.compile(mode=\"reduce-overhead\"), or capture the step with "
            "torch.cuda.graph; or give each launch more work (a larger batch).");
    else if (m_frameworks.xla)
        edit = Words(
            "Put more of the loop into one jit (jax.lax.scan or fori_loop over the steps), or "
            "give each step more work (a larger batch).");
    else if (rows)
        edit = Words(
            "Make one launch of many: loops launch the same {few?kernel:few kernels} {rounds} "
            "times. If the rounds do not need each other's results (rows, layers, particles), let "
            "one grid do all of them (the loop's index becomes blockIdx.y), with a kernel of your "
            "own in place of a library's. Otherwise capture them in a CUDA graph.");
    else if (own && onOneBlock())
        edit = Words(
            "Make one kernel of the repeat: each of its kernels has one block, so a barrier can "
            "stand between the parts, and a loop in the kernel can do many repeats before the CPU "
            "reads a result. Otherwise capture the launches in a CUDA graph.");
    else if (waitsInside())
        edit = Words(
            "Fuse kernels, or give each launch more work. Read results less often: a CUDA graph of "
            "the launches that repeat cannot contain the wait for a result.");
    else
        edit = Words(
            "Capture the launches that repeat in a CUDA graph, fuse kernels, or give each "
            "launch more work.");
    std::vector<Arg> args{number("idle", idle, Unit::Seconds),
                          number("launches", perWindow, Unit::Count)};
    if (changing) {
        args.push_back(words("changing", Words::same(nameOf(m_analysis, *changing))));
        args.push_back(
            number("shapes", static_cast<double>(changing->kernels.size()), Unit::Count));
    }
    if (rows) {
        args.push_back(number("few", static_cast<double>(calls->length), Unit::Count));
        args.push_back(number("rounds", calls->rounds, Unit::Count));
    }
    if (loop) {
        args.push_back(words("loop", Words::same(loop->place)));
        args.push_back(number("rounds", loop->rounds, Unit::Count));
    }
    add({.rule = "launch-bound-program",
         .timeClass = TimeClass::IdleLaunch,
         .bound = {std::max(0.0, idle - perWindow * kGraphGap.value)},
         .hostFunctions = functionsIn(TimeClass::IdleLaunch),
         .title = Words(inContext("action of a program", "The GPU waits for launches")),
         .sentence = perWindow < 1.5
                         ? Words("The GPU does nothing for {idle} while the CPU issues the "
                                 "next launch.")
                         : Words("The GPU does nothing for {idle} while the CPU issues "
                                 "{launches} {launches?launch:launches}."),
         .edit = std::move(edit),
         .args = std::move(args)});
}

}  // namespace roofscope::program
