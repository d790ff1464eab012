// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/compilers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "profile/text/base_name.h"

namespace roofscope::program {
namespace {

struct Sign {
    std::string_view text;
    Compiler compiler;
};

/// Prefixes of library file names.
constexpr Sign kLibraries[] = {{"libcudnn_engines_runtime_compiled", Compiler::Cudnn},
                               {"libnvrtc", Compiler::Nvrtc},
                               {"libnvptxcompiler", Compiler::Nvrtc},
                               {"libnvidia-ptxjitcompiler", Compiler::Driver}};
/// Parts of paths of Python files that run only while something is compiled.
constexpr Sign kFiles[] = {{"torch/_dynamo/convert_frame.py", Compiler::Dynamo},
                           {"triton/compiler/", Compiler::Triton},
                           {"jax/_src/compiler.py", Compiler::Xla},
                           {"numba/core/compiler.py", Compiler::Numba},
                           {"numba/cuda/compiler.py", Compiler::Numba},
                           {"numba/cuda/core/compiler.py", Compiler::Numba},
                           {"cupy/cuda/compiler.py", Compiler::Cupy}};

/// JAX's stacks are deeper than the part of them that is kept, so the outer frames of compiling
/// count, too. Checks the function because the same file also runs compiled functions.
bool isOuterFrameOfXla(const CpuFrame& frame) {
    return frame.file.find("jax/_src/interpreters/pxla.py") != frame.file.npos &&
           (frame.function == "MeshComputation.compile" ||
            frame.function == "UnloadedMeshExecutable.from_hlo");
}

/// The same for Numba, whose dispatcher also starts kernels.
bool isOuterFrameOfNumba(const CpuFrame& frame) {
    return frame.file.find("numba/cuda/dispatcher.py") != frame.file.npos &&
           (frame.function == "CUDADispatcher._compile_for_args" ||
            frame.function == "CUDADispatcher.compile");
}

Compiler compilerOf(const CpuFrame& frame) {
    if (frame.module.empty()) {
        if (isOuterFrameOfXla(frame)) return Compiler::Xla;
        if (isOuterFrameOfNumba(frame)) return Compiler::Numba;
        for (const Sign& sign : kFiles)
            if (frame.file.find(sign.text) != frame.file.npos) return sign.compiler;
        return Compiler::None;
    }
    const std::string_view name = baseName(frame.module);
    for (const Sign& sign : kLibraries)
        if (name.starts_with(sign.text)) return sign.compiler;
    return Compiler::None;
}

}  // namespace

const char* nameOf(Compiler compiler) {
    switch (compiler) {
        case Compiler::None:
            break;
        case Compiler::Cudnn:
            return "cuDNN";
        case Compiler::Dynamo:
            return "torch.compile";
        case Compiler::Triton:
            return "Triton";
        case Compiler::Xla:
            return "XLA";
        case Compiler::Cupy:
            return "CuPy";
        case Compiler::Numba:
            return "Numba";
        case Compiler::Nvrtc:
            return "NVRTC";
        case Compiler::Driver:
            return "the driver (PTX)";
    }
    return "";
}

Compiler compilerOn(const CpuSamples& samples, std::uint32_t stack) {
    Compiler outermost = Compiler::None;
    for (const std::uint32_t frame : samples.stacks[stack])
        if (const Compiler c = compilerOf(samples.frames[frame]); c != Compiler::None)
            outermost = c;
    return outermost;
}

double CompilerSamples::share() const {
    const double part = samplesIn(compiling), all = part + samplesIn(other);
    return all > 0 ? part / all : 0;
}

CompilerSamples compilersIn(const Profile& profile, const SampleTally& tally) {
    CompilerSamples found;
    std::map<Compiler, double> counts;
    for (const auto& [stack, count] : tally) {
        const CpuSamples& of = *profile.processes[stack.process].cpuSamples;
        const Compiler compiler = compilerOn(of, stack.stack);
        (compiler == Compiler::None ? found.other : found.compiling)[stack] = count;
        if (compiler != Compiler::None) counts[compiler] += count;
    }
    if (!counts.empty())
        found.most = std::ranges::max_element(counts, {}, [](const auto& entry) {
                         return entry.second;
                     })->first;
    return found;
}

std::pair<double, double> spanOfLaunches(const Profile& profile) {
    double first = std::numeric_limits<double>::infinity(), last = -first;
    for (const Launch& launch : profile.launches) {
        if (!launch.start) continue;
        first = std::min(first, launch.start->value);
        last = std::max(last, launch.start->value);
    }
    return {first, last};
}

std::size_t quarterOf(double at, double first, double last) {
    const double part = last > first ? (at - first) / (last - first) : 0;
    return std::min<std::size_t>(3, static_cast<std::size_t>(part * 4));
}

namespace {

/// Whether a compiler is on each of the stacks, of which there are far fewer than samples.
std::vector<bool> stacksOfCompilers(const CpuSamples& samples) {
    std::vector<bool> compiles;
    for (std::uint32_t stack = 0; stack < samples.stacks.size(); ++stack)
        compiles.push_back(compilerOn(samples, stack) != Compiler::None);
    return compiles;
}

}  // namespace

std::array<double, 4> compilingByQuarter(const Profile& profile) {
    const auto [first, last] = spanOfLaunches(profile);
    double all = 0;
    std::array<double, 4> quarters{};
    for (const Process& process : profile.processes) {
        if (!process.cpuSamples) continue;
        const CpuSamples& of = *process.cpuSamples;
        const SampleWeights weights(of);
        const std::vector<bool> compiles = stacksOfCompilers(of);
        for (const CpuSample& sample : of.samples) {
            const double at = static_cast<double>(sample.time) / 1e9;
            if (at < first || at > last || !compiles[sample.stack]) continue;
            const double weight = weights.at(sample.time);
            all += weight;
            quarters[quarterOf(at, first, last)] += weight;
        }
    }
    if (all > 0)
        for (double& quarter : quarters) quarter /= all;
    return quarters;
}

std::vector<Nanoseconds> compiledUntilTheEnd(const Profile& profile) {
    std::vector<Nanoseconds> moments;
    if (compilingByQuarter(profile).back() < kCompilesAtEnd) return moments;
    for (const Process& process : profile.processes) {
        if (!process.cpuSamples) continue;
        const CpuSamples& of = *process.cpuSamples;
        const std::vector<bool> compiles = stacksOfCompilers(of);
        for (const CpuSample& sample : of.samples)
            if (compiles[sample.stack]) moments.push_back(sample.time);
    }
    std::ranges::sort(moments);
    return moments;
}

}  // namespace roofscope::program
