// SPDX-License-Identifier: Apache-2.0
/// Library kernels that are slow because of what they compute: another algorithm is the edit.
#include <algorithm>
#include <array>
#include <string_view>

#include "analyzer/model/kernel_origin.h"
#include "analyzer/program/account/kernels_per_window.h"
#include "analyzer/program/actions/action_finder.h"

namespace roofscope::program {
namespace {

/// Kernels of cuSPARSE that solve with a sparse triangular matrix, by a part of their names.
constexpr std::array<std::string_view, 5> kTriangularSolves{"spsv_", "spsm_", "csrsv2_solve",
                                                            "csrsm2_solve", "csrsv_solve"};

bool isTriangularSolve(const KernelAnalysis& kernel) {
    return kernel.origin == KernelOrigin::Library &&
           std::ranges::any_of(kTriangularSolves, [&](std::string_view part) {
               return kernel.fullName.find(part) != std::string::npos;
           });
}

/// cuFFT computes lengths with large prime factors as a convolution of more than twice the length.
bool isBluestein(const Profile& profile, const KernelAnalysis& kernel) {
    return kernel.fullName.find("bluestein") != std::string::npos &&
           isTransform(profile.kernels[kernel.group.kernel]);
}

/// Whether the verdict is known and no resource limits the kernel: then its rows wait for each
/// other.
bool isIdle(const KernelAnalysis& kernel) {
    return kernel.verdict.cls != VerdictClass::Unknown && !kernel.verdict.limiter;
}

}  // namespace

void ActionFinder::triangularSolves() {
    constexpr double kLeast = 0.2;  // of the window
    // Another preconditioner needs more iterations, with kernels of a few microseconds each.
    constexpr double kSaves = 0.5;
    const KernelsPerWindow found = kernelsThat(
        m_analysis, m_program,
        [](const KernelAnalysis& kernel) { return isTriangularSolve(kernel) && isIdle(kernel); });
    if (found.time < m_program.window.seconds * kLeast) return;
    add({.rule = "triangular-solve",
         .alwaysExplained = true,
         .kernels = found.kernels,
         .bound = found.time * kSaves,
         .estimate = true,
         .sites = launchSites(found.kernels),
         .title = Words("Sparse triangular solves, row after row"),
         .sentence = Words("{launches} {launches?launch solves:launches solve} with a sparse "
                           "triangular matrix and {launches?takes:take} {time}: a row waits for "
                           "those that it needs, so the GPU is nearly empty in each step."),
         .edit = Words("Use a preconditioner without triangular solves (Jacobi, block Jacobi, a "
                       "polynomial, multigrid): more iterations, but far shorter ones. Or reorder "
                       "the matrix by colours, so that more rows are independent, or solve for "
                       "several right-hand sides at once."),
         .args = {number("launches", found.launches, Unit::Count),
                  number("time", found.time.value, Unit::Seconds)}});
}

void ActionFinder::transformLengths() {
    constexpr double kLeast = 0.1;  // of the window
    // Two transforms of more than twice the length, and three products.
    constexpr double kSaves = 0.75;
    const KernelsPerWindow found = kernelsThat(
        m_analysis, m_program,
        [this](const KernelAnalysis& kernel) { return isBluestein(*m_analysis.profile, kernel); });
    if (found.time < m_program.window.seconds * kLeast) return;
    const bool python = m_frameworks.torch || m_frameworks.cupy || m_frameworks.xla;
    addInPlace(
        {.rule = "fft-length",
         .alwaysExplained = true,
         .kernels = found.kernels,
         .bound = found.time * kSaves,
         .estimate = true,
         .sites = launchSites(found.kernels),
         .title = Words("FFTs of a length with a large prime factor"),
         .sentence = Words("cuFFT computes these transforms by Bluestein's algorithm (the "
                           "kernels' names say so), as convolutions of more than twice the "
                           "length: {time} in {launches} {launches?launch:launches}."),
         .edit = python ? Words("Choose a length whose prime factors are 2, 3, 5 and 7 "
                                "(scipy.fft.next_fast_len(n, real=True)): pad with zeros, which "
                                "changes no convolution or correlation that has room for them, or "
                                "cut the data to such a length.")
                        : Words("Choose a length whose prime factors are 2, 3, 5 and 7: pad with "
                                "zeros, which changes no convolution or correlation that has room "
                                "for them, or cut the data to such a length."),
         .args = {number("launches", found.launches, Unit::Count),
                  number("time", found.time.value, Unit::Seconds)}});
}

}  // namespace roofscope::program
