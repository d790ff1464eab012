// SPDX-License-Identifier: Apache-2.0
/// Code that is compiled again and again while the GPU waits.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "analyzer/model/kernel_origin.h"
#include "analyzer/names/xla_module.h"
#include "analyzer/program/account/compilers.h"
#include "analyzer/program/actions/action_finder.h"

namespace roofscope::program {
namespace {

/// Whether cuDNN computes attention, by a kernel's name.
bool usesCudnnAttention(const Profile& profile) {
    return std::ranges::any_of(profile.kernels, [](const Kernel& kernel) {
        return kernel.name.find("sdpa") != std::string::npos;
    });
}

Words editFor(Compiler compiler, bool torch, bool trains, bool attention) {
    if (compiler == Compiler::Cudnn && torch && !attention)
        return Words(
            "Sizes change: cuDNN looks for kernels anew for each new input size, and with "
            "torch.backends.cudnn.benchmark = True it compiles and tries many. Set that to False, "
            "or pad inputs to one of a few sizes (with samples of like length in one batch).");
    if (compiler == Compiler::Cudnn && torch && trains)
        return Words(
            "Put samples of like length into one batch, padded to one of a few lengths (multiples "
            "of 128): cuDNN builds attention anew for each new length, and less padding is "
            "computed. Or use another attention: torch.backends.cuda.enable_cudnn_sdp(False).");
    if (compiler == Compiler::Cudnn && torch)
        return Words(
            "Keep lengths equal (pad them; transformers: "
            "generate(cache_implementation=\"static\")), or use another attention "
            "(torch.backends.cuda.enable_cudnn_sdp(False)): cuDNN builds it anew for each new "
            "length.");
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
    if (compiler == Compiler::Numba)
        return Words(
            "The kernel is defined anew, or gets other types: Numba compiles values of closures "
            "and globals in as constants. Define it once, outside of the loop, and pass what "
            "changes as arguments of the same types (cache=True also keeps it between runs).");
    return Words(
        "Something that the code depends on changes from repeat to repeat: a constant in its "
        "source, a type, a shape. Compile once, before the loop, and keep the kernel.");
}

/// Whether a function that JAX compiled gets kernels of new shapes again and again: in the last and
/// in another one of the later quarters of the program. Within one compiled function, each kernel
/// of XLA has one shape and a name of its own. Functions of one operation ("jit_add") are left out:
/// eager code calls them for different arrays.
bool compiledForShapes(const Profile& profile) {
    constexpr std::size_t kLeastKernels = 3, kLeastShapes = 3, kLeastLaunches = 16;
    struct Shapes {
        std::map<std::pair<std::uint64_t, std::uint64_t>, double> since;  // blocks, threads
        std::size_t launches = 0;
    };
    std::map<std::uint32_t, std::map<std::uint32_t, Shapes>> functions;  // by range, kernel
    std::map<std::uint32_t, bool> isFunction;                            // by range
    std::map<std::uint32_t, bool> isXla;                                 // by kernel
    const Frameworks frameworks = frameworksOf(profile);
    double first = std::numeric_limits<double>::infinity(), last = -first;
    for (const Launch& launch : profile.launches) {
        if (!launch.range || !launch.start) continue;
        const double start = launch.start->value;
        first = std::min(first, start);
        last = std::max(last, start);
        const auto [range, newRange] = isFunction.try_emplace(*launch.range, false);
        // While it tunes, XLA tries modules with names of its own.
        if (newRange) range->second = xlaModule(profile.ranges[*launch.range]).starts_with("jit");
        const auto [kernel, newKernel] = isXla.try_emplace(launch.kernel, false);
        if (newKernel)
            kernel->second =
                originOf(frameworks, profile.kernels[launch.kernel]) == KernelOrigin::Xla;
        if (!range->second || !kernel->second) continue;
        Shapes& of = functions[*launch.range][launch.kernel];
        const auto [at, isNew] =
            of.since.try_emplace({launch.grid.total(), launch.block.total()}, start);
        at->second = std::min(at->second, start);
        ++of.launches;
    }
    for (const auto& [range, kernels] : functions) {
        if (kernels.size() < kLeastKernels) continue;
        std::array<bool, 4> begins{};  // by quarter: whether a new shape came
        for (const auto& [kernel, of] : kernels) {
            if (of.since.size() < kLeastShapes || of.launches < kLeastLaunches) continue;
            for (const auto& [shape, since] : of.since)
                begins[quarterOf(since, first, last)] = true;
        }
        if (begins[3] && (begins[1] || begins[2])) return true;
    }
    return false;
}

/// The function that Numba compiled, without its number: "f" of "f[abi:v3][abi:cw51…](…)".
std::string_view numbaFunction(std::string_view name) { return name.substr(0, name.find("[abi:")); }

/// Whether kernels of one name come again and again, each compiled anew: four or more, the first
/// launches of which are spread over the later quarters of the program.
bool compiledAnew(const Profile& profile) {
    constexpr std::size_t kLeastKernels = 4;
    std::map<std::uint32_t, double> since;  // by kernel
    for (const Launch& launch : profile.launches) {
        if (!launch.start) continue;
        const auto [at, isNew] = since.try_emplace(launch.kernel, launch.start->value);
        at->second = std::min(at->second, launch.start->value);
    }
    const auto [first, last] = spanOfLaunches(profile);
    std::map<std::string_view, std::array<std::size_t, 4>> names;  // kernels by quarter
    for (const auto& [kernel, start] : since)
        if (profile.kernels[kernel].name.find("[abi:") != std::string::npos)
            ++names[numbaFunction(profile.kernels[kernel].name)][quarterOf(start, first, last)];
    return std::ranges::any_of(names, [](const auto& entry) {
        const auto& begins = entry.second;
        return begins[0] + begins[1] + begins[2] + begins[3] >= kLeastKernels && begins[1] > 0 &&
               begins[2] > 0 && begins[3] > 0;
    });
}

/// Whether code is still compiled long after the program began. A program that compiles only at its
/// beginning has no such samples in its last quarter. With few repeats, each kernel may be compiled
/// when it is first used. Then only three signs show that code is compiled for something that
/// changes: cuDNN's engines, XLA functions that were compiled for several shapes, and kernels of
/// Numba that come anew, if all later quarters have samples.
bool compilesAgain(const Profile& profile, const Window& window, Compiler compiler) {
    constexpr std::size_t kLeastRepeats = 4;
    constexpr double kLeastInEach = 0.05;
    if (window.kind == WindowKind::Run) return false;
    const auto quarters = compilingByQuarter(profile);
    if (window.kind == WindowKind::Whole || window.counted < kLeastRepeats)
        return (compiler == Compiler::Cudnn ||
                (compiler == Compiler::Xla && compiledForShapes(profile)) ||
                (compiler == Compiler::Numba && compiledAnew(profile))) &&
               std::all_of(quarters.begin() + 1, quarters.end(),
                           [](double share) { return share >= kLeastInEach; });
    return quarters.back() >= kCompilesAtEnd;
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
    m_compiling = add(
        {.rule = "code-compiled-in-loop",
         .timeClass = TimeClass::IdleHost,
         .bound = time,
         .hostFunctions =
             hostFunctions(profile, samples, time * static_cast<double>(window.counted)),
         .title = Words("Code is compiled again and again"),
         .sentence = Words("The GPU is idle for {idle} while {compiler} compiles code, in the "
                           "beginning and still at the end."),
         .edit = editFor(compiler, m_frameworks.torch, goesBackward(), usesCudnnAttention(profile)),
         .args = {number("idle", time.value, Unit::Seconds),
                  words("compiler", Words::same(nameOf(compiler)))}});
}

}  // namespace roofscope::program
