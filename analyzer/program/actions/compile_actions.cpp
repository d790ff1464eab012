// SPDX-License-Identifier: Apache-2.0
/// Code that is compiled again and again while the GPU waits.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analyzer/names/xla_module.h"
#include "analyzer/program/account/compilers.h"
#include "analyzer/program/actions/action_finder.h"

namespace roofscope::program {
namespace {

Words editFor(Compiler compiler, bool torch) {
    if (compiler == Compiler::Cudnn && torch)
        return Words(
            "cuDNN builds attention anew for each new length. Keep lengths equal (pad them; "
            "transformers: generate(cache_implementation=\"static\")), or use another attention: "
            "torch.backends.cuda.enable_cudnn_sdp(False).");
    if (compiler == Compiler::Dynamo)
        return Words(
            "A shape or a Python value changes from repeat to repeat; TORCH_LOGS=recompiles says "
            "which. Pad shapes to a few sizes, use torch.compile(dynamic=True), or make the value "
            "a tensor.");
    if (compiler == Compiler::Xla)
        return Words(
            "A shape or a static argument changes from repeat to repeat; "
            "jax.config.update(\"jax_log_compiles\", True) says which function. Pad shapes to a "
            "few sizes, pass values as arrays, and call jax.jit outside of the loop.");
    if (compiler == Compiler::Triton)
        return Words(
            "A constexpr argument, a type or a divisibility by 16 changes from repeat to repeat. "
            "Pass the value as an ordinary argument (do_not_specialize), or pad to a few sizes.");
    return Words(
        "Something that the code depends on changes from repeat to repeat: a constant in its "
        "source, a type, a shape. Compile once, before the loop, and keep the kernel.");
}

/// Whether a function that JAX compiled has kernels of several shapes, so that it was compiled for
/// each of them. Within one compiled function, each kernel has one shape and a name of its own.
bool compiledForShapes(const Profile& profile) {
    constexpr std::size_t kLeastShapes = 3, kLeastLaunches = 16;
    struct Shapes {
        std::set<std::pair<std::uint64_t, std::uint64_t>> shapes;  // blocks, threads
        std::size_t launches = 0;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Shapes> kernels;  // by range and kernel
    std::map<std::uint32_t, bool> isFunction;                           // by range
    for (const Launch& launch : profile.launches) {
        if (!launch.range) continue;
        const auto [at, isNew] = isFunction.try_emplace(*launch.range, false);
        // While it tunes, XLA tries modules with names of its own.
        if (isNew) at->second = xlaModule(profile.ranges[*launch.range]).starts_with("jit");
        if (!at->second) continue;
        Shapes& of = kernels[{*launch.range, launch.kernel}];
        of.shapes.emplace(launch.grid.total(), launch.block.total());
        if (++of.launches >= kLeastLaunches && of.shapes.size() >= kLeastShapes) return true;
    }
    return false;
}

/// Whether code is still compiled when the program has long begun: a program that compiles only at
/// its beginning has no such samples in its last quarter. With few repeats, each kernel may be
/// compiled once, when it is first used; only cuDNN's engines then show that lengths change, and
/// XLA's functions that were compiled for several shapes, if all later quarters have some.
bool compilesAgain(const Profile& profile, const Window& window, Compiler compiler) {
    constexpr std::size_t kLeastRepeats = 4;
    constexpr double kLeastAtEnd = 0.1, kLeastInEach = 0.05;
    if (window.kind == WindowKind::Run) return false;
    const auto quarters = compilingByQuarter(profile);
    if (window.kind == WindowKind::Whole || window.counted < kLeastRepeats)
        return (compiler == Compiler::Cudnn ||
                (compiler == Compiler::Xla && compiledForShapes(profile))) &&
               std::all_of(quarters.begin() + 1, quarters.end(),
                           [](double share) { return share >= kLeastInEach; });
    return quarters.back() >= kLeastAtEnd;
}

}  // namespace

void ActionFinder::compiling() {
    constexpr TimeClass kClasses[] = {TimeClass::IdleHost, TimeClass::IdleLaunch,
                                      TimeClass::IdleLoad};
    const Window& window = m_program.window;
    const Profile& profile = *m_analysis.profile;
    if (!m_account.causesKnown) return;
    Seconds time;
    SampleTally samples;
    for (const TimeClass cls : kClasses) {
        const CompilerSamples found = compilersIn(profile, m_account.samples[cls]);
        time += m_account.time[cls] * found.share();
        for (const auto& [stack, count] : found.compiling) samples[stack] += count;
    }
    const Compiler compiler = compilersIn(profile, samples).most;
    if (samplesIn(samples) < kLeastSamples || !compilesAgain(profile, window, compiler)) return;
    const std::size_t before = m_actions.size();
    add({.rule = "code-compiled-in-loop",
         .timeClass = TimeClass::IdleHost,
         .bound = time,
         .hostFunctions =
             hostFunctions(profile, samples, time * static_cast<double>(window.counted)),
         .title = Words("Code is compiled again and again"),
         .sentence = Words("The GPU is idle for {idle} while {compiler} compiles code, in the "
                           "beginning and still at the end."),
         .edit = editFor(compiler, m_frameworks.torch),
         .args = {number("idle", time.value, Unit::Seconds),
                  words("compiler", Words::same(nameOf(compiler)))}});
    m_compiling = m_actions.size() > before;
}

}  // namespace roofscope::program
