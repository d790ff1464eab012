// SPDX-License-Identifier: Apache-2.0
/// GPU idle time in launch calls and between them.
#include <map>
#include <optional>

#include "analyzer/program/account/functions.h"
#include "analyzer/program/actions/action_finder.h"
#include "analyzer/program/actions/python_loops.h"
#include "analyzer/program/operators/kernel_role.h"

namespace roofscope::program {

bool ActionFinder::growsByCat() const {
    constexpr double kPerLayer = 4;
    // A layer appends keys and values, and multiplies for them, its attention and its output.
    double cats = 0, products = 0;
    for (std::size_t k = 0; k < m_analysis.kernels.size(); ++k) {
        const std::string& name = m_analysis.kernels[k].fullName;
        if (name.find("ackward") != name.npos || name.find("_bprop_") != name.npos) return false;
        const double launches = m_program.kernels[k].perWindow;
        if (name.find("CatArrayBatchedCopy") != name.npos) cats += launches;
        if (multiplies(m_analysis.kernels[k]) == Multiplies::Yes) products += launches;
    }
    if (cats < kPerLayer || products < cats) return false;
    // When a cache grows, the appended part has a constant size and the other operand a new one
    // each time: "[1, 16], [1, 1]", then "[1, 17], [1, 1]". If the recording holds no sizes, there
    // were too many different ones to store, which also means growth.
    std::map<std::string, std::string> whole;  // by what follows the first operand
    for (const CallSite& site : m_analysis.profile->callSites) {
        if (!site.kernel || site.sizes.empty() ||
            m_analysis.profile->kernels[*site.kernel].name.find("CatArrayBatchedCopy") ==
                std::string::npos)
            continue;
        const auto first = site.sizes.find("], ");
        if (first == std::string::npos) continue;
        const std::string key =
            site.file + ":" + std::to_string(site.line) + site.sizes.substr(first);
        const auto [at, isNew] = whole.try_emplace(key, site.sizes);
        if (!isNew && at->second != site.sizes) return true;
    }
    return whole.empty();
}

bool ActionFinder::waitsInside() const {
    constexpr double kMoreThanAtItsEnd = 2;
    double waits = 0;
    for (const CallTime& call : m_account.calls)
        if (call.kind == CallKind::Wait || call.kind == CallKind::Transfer)
            waits += static_cast<double>(call.count);
    const auto counted = static_cast<double>(std::max<std::size_t>(m_program.window.counted, 1));
    return waits >= kMoreThanAtItsEnd * counted;
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

void ActionFinder::launches() {
    if (!m_account.causesKnown || m_account.mayBeOneLoad(TimeClass::IdleLaunch)) return;
    const Program::KernelCounts all = m_program.launches();
    const double perWindow = all.perWindow;
    const double idle = m_account.time[TimeClass::IdleLaunch].value;
    const KernelFunction* const changing = changesShapes();
    auto loop =
        m_frameworks.xla ? std::nullopt : pythonLoop(m_analysis, m_program, repeatsWithSites());
    if (!loop && !m_frameworks.xla && m_order.rounds)
        loop = sampledLoop(*m_analysis.profile, *m_order.rounds,
                           m_account.samples[TimeClass::IdleLaunch]);
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
    else if (m_frameworks.torch && growsByCat())
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
