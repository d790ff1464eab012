// SPDX-License-Identifier: Apache-2.0
/// GPU idle time in launch calls and between them.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/program/account/functions.h"
#include "analyzer/program/account/kernels_per_window.h"
#include "analyzer/program/actions/action_finder.h"
#include "analyzer/program/actions/growing_cache.h"
#include "analyzer/program/actions/launch_pattern.h"
#include "analyzer/program/actions/python_loops.h"

namespace roofscope::program {
namespace {

/// So many calls in each repeat come from a loop.
constexpr double kCallsOfLoop = 16;

Words loopAtOnce() {
    return Words(
        "Do the rounds of the loop at {loop} all at once, if they do not need each other's "
        "results (samples, pairs, boxes): operators over a whole batch, masks in place of "
        "selected parts, no .item() or condition inside. The loop launches a few small kernels "
        "{rounds} times or more. Otherwise compile it or capture it in a CUDA graph.");
}

/// The function of a CUDA library that does many of these calls at once:
/// "cublasSgemmStridedBatched" for "cublasSgemm_v2". Empty if there is none.
std::string batchedForm(std::string_view call) {
    if (call.starts_with("cufftExec")) return "a plan of cufftPlanMany";
    if (call.starts_with("cublasGemmEx")) return "cublasGemmStridedBatchedEx";
    const std::string_view base = call.substr(0, call.find('_'));
    // cuBLAS names the type by one letter: cublasSgemm.
    constexpr std::size_t kPrefix = std::string_view("cublasS").size();
    if (!base.starts_with("cublas") || base.size() <= kPrefix) return {};
    const std::string_view function = base.substr(kPrefix);
    if (function == "gemm" || function == "gemv") return std::string(base) + "StridedBatched";
    if (function == "trsm") return std::string(base) + "Batched";
    return {};
}

/// The fused kernel of nn.GRUCell or nn.LSTMCell, which runs once in each call.
bool isRecurrentCell(const KernelAnalysis& kernel) {
    return kernel.origin == KernelOrigin::PyTorch &&
           (kernel.fullName.find("::gru_cell_forward<") != std::string::npos ||
            kernel.fullName.find("::lstm_cell_forward<") != std::string::npos);
}

/// How often a window calls PyTorch's recurrent cells, if often: a loop over time steps.
std::optional<double> recurrentCells(const Analysis& analysis, const Program& program) {
    constexpr double kLeastSteps = 16;
    const double calls = kernelsThat(analysis, program, isRecurrentCell).launches;
    return calls >= kLeastSteps ? std::optional(calls) : std::nullopt;
}

}  // namespace

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

ActionFinder::LaunchPattern ActionFinder::launchPattern() const {
    const Program::KernelCounts all = m_program.launches();
    LaunchPattern pattern{.perWindow = all.perWindow,
                          .idle = m_account.time[TimeClass::IdleLaunch].value};
    // Sums of shares: half of the launches may come out as slightly less than 0.5.
    pattern.graphs = all.fromGraphs > 0.45 * all.perWindow;
    pattern.changing = changesShapes();
    pattern.cells = recurrentCells(m_analysis, m_program);
    if (!m_frameworks.xla) {
        pattern.loop = pythonLoop(m_analysis, m_program, repeatsWithSites());
        const auto& samples = m_account.samples[TimeClass::IdleLaunch];
        if (!pattern.loop && m_order.rounds)
            pattern.loop = sampledLoop(*m_analysis.profile, *m_order.rounds, samples);
        // Time steps have the same shapes in each round.
        if (!pattern.loop && m_order.innerRounds && pattern.changing && !goesBackward()) {
            pattern.loop = sampledLoop(*m_analysis.profile, *m_order.innerRounds, samples);
            pattern.ofItems = pattern.loop.has_value();
        }
    }
    pattern.own = !m_frameworks.torch && !m_frameworks.xla && !m_frameworks.cupy && !pattern.loop;
    constexpr std::size_t kFewCalls = 4;
    // A round that waits needs the one before.
    if (pattern.own && m_order.rounds && m_order.rounds->length <= kFewCalls &&
        m_order.rounds->rounds >= kManyRounds && waitsPerRepeat() < m_order.rounds->rounds / 2)
        pattern.rows = m_order.rounds;
    constexpr Ratio kMuch{0.5};
    if (!pattern.own || pattern.perWindow < kCallsOfLoop) return pattern;
    for (const HostFunction& function : functionsIn(TimeClass::IdleLaunch)) {
        const std::string batched = batchedForm(function.callee);
        if (batched.empty() || function.share < kMuch) continue;
        pattern.call = function.callee;
        pattern.batched = batched;
        break;
    }
    if (!pattern.graphs && (!pattern.batched.empty() || pattern.rows)) findMerged(pattern);
    return pattern;
}

void ActionFinder::findMerged(LaunchPattern& pattern) const {
    const Profile& profile = *m_analysis.profile;
    for (std::uint32_t k = 0; k < m_analysis.kernels.size(); ++k) {
        const auto& rows = m_analysis.kernels[k].group.launches;
        const Program::KernelCounts& counts = m_program.kernels[k];
        if (rows.empty() || counts.perWindow < kCallsOfLoop) continue;
        const Launch& launch = profile.launches[rows.front()];
        // Where each launch fills the GPU, one of many takes as long as they do.
        if (launch.device >= profile.devices.size() ||
            launch.grid.total() >= profile.devices[launch.device].smCount)
            continue;
        pattern.merged.push_back(k);
        pattern.mergedLaunches += counts.perWindow;
        pattern.mergedTime += counts.time * (1 - 1 / counts.perWindow);
    }
    // Kernels that run side by side take less than their sum.
    pattern.mergedTime = std::min(pattern.mergedTime, m_account.time[TimeClass::Kernels]);
}

Words ActionFinder::editOfTorchLaunches(const LaunchPattern& pattern) const {
    if (growsByCat(m_analysis, m_program))
        return Words(
            "Use a cache of fixed size (transformers: generate(cache_implementation="
            "\"static\")), so that every step has the same shapes, and "
            "torch.compile(mode=\"reduce-overhead\"); or decode a larger batch.");
    // Rounds whose shapes differ (boxes that are left) are all the more to be done at once.
    if (pattern.ofItems) return loopAtOnce();
    if (pattern.changing)
        return Words(
            "Pad shapes to a fixed size, or do the same work in fewer, larger operators (one table "
            "in place of many, all samples at once): shapes change from repeat to repeat "
            "({changing} has {shapes}), and such a step cannot be captured. Then use "
            "torch.compile(mode=\"reduce-overhead\").");
    if (pattern.cells)
        return Words(
            "Replace the loop over a recurrent cell, which is called {cells} times, by the whole "
            "layer (nn.GRU, nn.LSTM), with cuDNN enabled: it does all time steps in a few "
            "launches, and multiplies all inputs at once. If each input needs the last output, "
            "capture the step with torch.cuda.graph.");
    if (pattern.loop) return loopAtOnce();
    if (waitsInside())
        return Words(
            "Remove the waits within the step first (.item(), .cpu(), nonzero(), conditions on "
            "tensors): a step that waits cannot be captured. Then use "
            "torch.compile(mode=\"reduce-overhead\"); or give each launch more work (a larger "
            "batch, or several small operators in one).");
    return Words(
        "Use torch.compile(mode=\"reduce-overhead\"), or capture the step with "
        "torch.cuda.graph; or give each launch more work (a larger batch).");
}

bool ActionFinder::hasOwnEdit(const LaunchPattern& pattern) const {
    return pattern.perWindow < kLeastOfGraph || pattern.graphs || pattern.changing ||
           pattern.cells || pattern.loop || pattern.rows || !pattern.batched.empty() ||
           m_frameworks.xla || (m_frameworks.torch && growsByCat(m_analysis, m_program)) ||
           (pattern.own && onOneBlock());
}

Words ActionFinder::editOfLaunches(const LaunchPattern& pattern) const {
    // A graph of so few kernels takes as long to launch, but not as long as this.
    constexpr double kLongForFew = 30e-6;
    if (pattern.perWindow < kLeastOfGraph && (busy() < kGraphLaunch || pattern.idle < kLongForFew))
        return Words(
            "Give each launch more work (a larger batch, or several launches in one): a CUDA graph "
            "of so few kernels takes as long to launch, unless it holds several repeats.");
    if (pattern.graphs && m_frameworks.xla)
        return Words(
            "XLA launches graphs already: unroll the loop (jax.lax.scan(..., unroll=8)), put "
            "more of it into one jit, or give each step more work (a larger batch).");
    if (pattern.graphs)
        return Words(
            "Most kernels come from CUDA graphs already: fuse them or give each more work "
            "(a larger batch).");
    if (m_frameworks.torch) return editOfTorchLaunches(pattern);
    if (pattern.loop) return loopAtOnce();
    if (m_frameworks.xla)
        return Words(
            "Put more of the loop into one jit (jax.lax.scan or fori_loop over the steps), or "
            "give each step more work (a larger batch).");
    if (!pattern.batched.empty())
        return Words(
            "Make one call of many: {batched} does all calls of {call} in a loop at once, if they "
            "do not need each other's results. Kernels of your own between them take the loop's "
            "index as blockIdx.y. Otherwise capture the launches in a CUDA graph.");
    if (pattern.rows)
        return Words(
            "Make one launch of many: loops launch the same {few?kernel:few kernels} {rounds} "
            "times. If the rounds do not need each other's results (rows, layers, particles), let "
            "one grid do all of them (the loop's index becomes blockIdx.y), with a kernel of your "
            "own in place of a library's. Otherwise capture them in a CUDA graph.");
    if (pattern.own && onOneBlock())
        return Words(
            "Make one kernel of the repeat: each of its kernels has one block, so a barrier can "
            "stand between the parts, and a loop in the kernel can do many repeats before the CPU "
            "reads a result. Otherwise capture the launches in a CUDA graph.");
    if (waitsInside())
        return Words(
            "Fuse kernels, or give each launch more work. Read results less often: a CUDA graph of "
            "the launches that repeat cannot contain the wait for a result.");
    return Words(
        "Capture the launches that repeat in a CUDA graph, fuse kernels, or give each "
        "launch more work.");
}

std::vector<Arg> ActionFinder::argsOfLaunches(const LaunchPattern& pattern) const {
    std::vector<Arg> args{number("idle", pattern.idle, Unit::Seconds),
                          number("launches", pattern.perWindow, Unit::Count)};
    if (pattern.changing) {
        args.push_back(words("changing", Words::same(nameOf(m_analysis, *pattern.changing))));
        args.push_back(
            number("shapes", static_cast<double>(pattern.changing->kernels.size()), Unit::Count));
    }
    if (pattern.rows) {
        args.push_back(number("few", static_cast<double>(pattern.rows->length), Unit::Count));
        args.push_back(number("rounds", pattern.rows->rounds, Unit::Count));
    }
    if (!pattern.batched.empty()) {
        args.push_back(words("call", Words::same(pattern.call)));
        args.push_back(words("batched", Words::same(pattern.batched)));
    }
    if (pattern.merges()) args.push_back(number("merged", pattern.mergedTime.value, Unit::Seconds));
    if (pattern.cells) args.push_back(number("cells", *pattern.cells, Unit::Count));
    if (pattern.loop) {
        args.push_back(words("loop", Words::same(pattern.loop->place)));
        args.push_back(number("rounds", pattern.loop->rounds, Unit::Count));
    }
    return args;
}

std::optional<Seconds> ActionFinder::waitsForLaunches() const {
    if (!m_account.causesKnown || m_account.mayBeOneLoad(TimeClass::IdleLaunch))
        return std::nullopt;
    // So long before each launch, the CPU issues something else: copies, allocations.
    constexpr Seconds kMostPerLaunch{1e-3};
    const Seconds idle = m_account.time[TimeClass::IdleLaunch];
    if (idle > kMostPerLaunch * m_program.launches().perWindow) return std::nullopt;
    return idle;
}

void ActionFinder::launches(std::optional<Seconds> most) {
    if (!waitsForLaunches()) return;
    const LaunchPattern pattern = launchPattern();
    const double left =
        pattern.perWindow - pattern.mergedLaunches + static_cast<double>(pattern.merged.size());
    const Seconds waits{std::max(0.0, pattern.idle - left * kGraphGap.value)};
    Action action{
        .rule = "launch-bound-program",
        .timeClass = TimeClass::IdleLaunch,
        .bound = std::min(waits + pattern.mergedTime, most.value_or(m_program.window.seconds)),
        .ofKernels = pattern.mergedTime,
        .hostFunctions = functionsIn(TimeClass::IdleLaunch),
        .sampledTime = pattern.merges() ? Seconds{pattern.idle} : Seconds{},
        .title = Words(inContext("action of a program", "The GPU waits for launches")),
        .sentence = pattern.merges()
                        ? Words("The GPU does nothing for {idle} while the CPU issues {launches} "
                                "launches, and runs one small kernel after the other for "
                                "{merged}.")
                    : pattern.perWindow < 1.5
                        ? Words("The GPU does nothing for {idle} while the CPU issues the "
                                "next launch.")
                        : Words("The GPU does nothing for {idle} while the CPU issues "
                                "{launches} {launches?launch:launches}."),
        .edit = editOfLaunches(pattern),
        .args = argsOfLaunches(pattern)};
    if (!add(std::move(action)) || !pattern.merges()) return;
    // The same edit gives these kernels their blocks.
    std::erase_if(m_actions, [&](const Action& other) {
        return other.rule == action_rule::kGridTooSmall &&
               std::ranges::all_of(other.kernels, [&](std::uint32_t k) {
                   return std::ranges::find(pattern.merged, k) != pattern.merged.end();
               });
    });
}

}  // namespace roofscope::program
