// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kernel_origin.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "profile/launchers.h"

namespace roofscope {

namespace {

bool beginsWithOneOf(std::string_view text, std::span<const std::string_view> list) {
    return std::ranges::any_of(list, [&](std::string_view part) { return text.starts_with(part); });
}

bool hasOneOf(std::string_view text, std::span<const std::string_view> list) {
    return std::ranges::any_of(list,
                               [&](std::string_view part) { return text.find(part) != text.npos; });
}

bool isPython(const Capture& capture) {
    if (capture.command.empty()) return false;
    const std::string_view program = programName(capture.command.front());
    return program.starts_with("python") || program == "torchrun" || program.ends_with(".py");
}

}  // namespace

KernelOrigin originOf(const Profile& profile, const Kernel& kernel) {
    // Mangled, because a return type or an argument may name any namespace.
    constexpr std::string_view kPyTorch[] = {"_ZN2at6native",       "_ZN2at4cuda",
                                             "_ZN14at_cuda_detail", "_ZN13pytorch_flash",
                                             "_Z39fmha_cutlass",    "_Z40fmha_cutlass"};
    constexpr std::string_view kLibraries[] = {
        "_ZN3cub", "_ZN6thrust", "_ZN8cublasLt", "_ZN6cublas", "_ZN5cudnn", "_ZN8internal5gemvx",
        "nvjet_",  "cudnn",      "cask_",        "ampere_",    "turing_",   "volta_",
        "maxwell_"};
    // Names that only generators of such libraries give.
    constexpr std::string_view kGenerated[] = {
        "_xmma_",        "cutlass_80_simt_", "cutlass_80_tensorop_",
        "cutlass_75_",   "cutlass_70_",      "splitKreduce_kernel",
        "gemv2T_kernel", "gemv2N_kernel",    "gemvNSP_kernel"};
    const std::string_view symbol = kernel.symbol.empty() ? kernel.name : kernel.symbol;
    if (beginsWithOneOf(symbol, kPyTorch)) return KernelOrigin::PyTorch;
    if (beginsWithOneOf(symbol, kLibraries) || hasOneOf(symbol, kGenerated))
        return KernelOrigin::Library;
    if (symbol.starts_with("triton_")) return KernelOrigin::Compiler;
    const bool mangled = symbol.starts_with("_Z") || symbol.find('(') != symbol.npos;
    if (!mangled && isPython(profile.capture)) return KernelOrigin::Triton;
    return KernelOrigin::Own;
}

}  // namespace roofscope
