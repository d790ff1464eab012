// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/program/account/host_samples.h"

/// Compilers that run in the program, by the stacks of samples.
namespace roofscope::program {

/// Who compiles code for the GPU.
enum class Compiler { None, Cudnn, Dynamo, Triton, Xla, Cupy, Numba, Nvrtc, Driver };
/// As its users call it: "torch.compile". Empty for None.
[[nodiscard]] const char* nameOf(Compiler compiler);

/// The outermost compiler on a stack: cuDNN where cuDNN calls NVRTC.
[[nodiscard]] Compiler compilerOn(const CpuSamples& samples, std::uint32_t stack);

/// The samples in which a compiler is on the stack, and those in which none is.
struct CompilerSamples {
    SampleTally compiling, other;
    Compiler most = Compiler::None;  ///< the one with most samples
    /// The share of `compiling` in all of these samples.
    [[nodiscard]] double share() const;
};
[[nodiscard]] CompilerSamples compilersIn(const Profile& profile, const SampleTally& tally);

/// When the first and the last launch began, in seconds; infinite and −infinite without any.
[[nodiscard]] std::pair<double, double> spanOfLaunches(const Profile& profile);

/// In which quarter of the time from `first` to `last` a moment lies: 0 to 3.
[[nodiscard]] std::size_t quarterOf(double at, double first, double last);

/// When a compiler was seen, ascending, if code is compiled until the end: at least a tenth of
/// these samples are in the last quarter. Else empty, because then the program compiled only at its
/// beginning.
[[nodiscard]] std::vector<Nanoseconds> compiledUntilTheEnd(const Profile& profile);
/// Code counts as compiled until the end if at least this share of the compiler's samples is in the
/// last quarter.
inline constexpr double kCompilesAtEnd = 0.1;

/// When code is compiled: the share of the compiler's samples in each quarter of the time between
/// the first and the last launch. All 0 if there are none.
[[nodiscard]] std::array<double, 4> compilingByQuarter(const Profile& profile);

}  // namespace roofscope::program
