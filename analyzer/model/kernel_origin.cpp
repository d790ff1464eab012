// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/kernel_origin.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "profile/names/launchers.h"
#include "profile/names/numba_name.h"

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

/// "loop_multiply_fusion", "gemm_fusion_dot_general_5", "wrapped_add".
bool isXla(std::string_view symbol) {
    constexpr std::string_view kKinds[] = {"loop_",       "input_",         "gemm_fusion",
                                           "triton_gemm", "triton_softmax", "transpose_fusion",
                                           "wrapped_"};
    if (symbol.starts_with("_ZN15stream_executor") || symbol.starts_with("wrapped_")) return true;
    return beginsWithOneOf(symbol, kKinds) && symbol.find("fusion") != symbol.npos;
}

bool isCuPy(std::string_view symbol) { return symbol.starts_with("cupy_"); }

/// Checks the symbol too, because not every name can be demangled.
bool isNumba(std::string_view symbol, std::string_view name) {
    return symbol.starts_with("_ZN6cudapy") || symbol.starts_with("_ZN8__main__") ||
           numbaName(name);
}

std::string_view symbolOf(const Kernel& kernel) {
    return kernel.symbol.empty() ? kernel.name : kernel.symbol;
}

// Mangled symbols, because a demangled name may mention any namespace in a return type or argument.
constexpr std::string_view kPyTorch[] = {"_ZN2at6native",       "_ZN2at4cuda",
                                         "_ZN14at_cuda_detail", "_ZN13pytorch_flash",
                                         "_Z39fmha_cutlass",    "_Z40fmha_cutlass"};

}  // namespace

Frameworks frameworksOf(const Profile& profile) {
    Frameworks found{.python = isPython(profile.capture)};
    for (const Kernel& kernel : profile.kernels) {
        const std::string_view symbol = symbolOf(kernel);
        found.torch |= beginsWithOneOf(symbol, kPyTorch);
        found.xla |= isXla(symbol);
        found.cupy |= isCuPy(symbol);
    }
    return found;
}

KernelOrigin originOf(const Frameworks& frameworks, const Kernel& kernel) {
    constexpr std::string_view kLibraries[] = {"_ZN3cub",
                                               "_ZN6thrust",
                                               "_ZN8cublasLt",
                                               "_ZN6cublas",
                                               "_ZN5cudnn",
                                               "_ZN8internal5gemvx",
                                               "_ZN11cask_plugin",
                                               "_Z16gemmSN_NN_kernel",
                                               "_Z16gemmSN_TN_kernel",
                                               "nvjet_",
                                               "cudnn",
                                               "cask_",
                                               "ampere_",
                                               "turing_",
                                               "volta_",
                                               "maxwell_"};
    // Parts of names that only the code generators of such libraries produce.
    constexpr std::string_view kGenerated[] = {"_xmma_",
                                               "cutlass_80_simt_",
                                               "cutlass_80_tensorop_",
                                               "cutlass_80_wmma_",
                                               "cutlass_75_",
                                               "cutlass_70_",
                                               "cutlass__5x_",
                                               "__5x_cudnn",
                                               "__5x_cublas",
                                               "cutlass_tensorop",
                                               "splitKreduce_kernel",
                                               "gemv2T_kernel",
                                               "gemv2N_kernel",
                                               "gemvNSP_kernel",
                                               "wgrad_alg",
                                               "dgrad_alg",
                                               "dgrad_engine",
                                               "wgrad_engine",
                                               "dgrad2d_alg",
                                               "wgrad2d_",
                                               "cublasTransposeParams",
                                               "gemm_largek_lds",
                                               "ncclDevKernel",
                                               "implicit_convolve_sgemm",
                                               "convolve_common_engine",
                                               "explicit_convolve_sgemm"};
    // PyTorch files whose kernels are in an anonymous namespace outside of at::native.
    constexpr std::string_view kTorchFiles[] = {"_RangeFactories_cu_", "_SoftMax_cu_"};
    const std::string_view symbol = symbolOf(kernel);
    if (beginsWithOneOf(symbol, kPyTorch)) return KernelOrigin::PyTorch;
    if (frameworks.torch && symbol.find("_GLOBAL__N__") != symbol.npos &&
        hasOneOf(symbol, kTorchFiles))
        return KernelOrigin::PyTorch;
    if (beginsWithOneOf(symbol, kLibraries) || hasOneOf(symbol, kGenerated))
        return KernelOrigin::Library;
    if (isCuPy(symbol)) return KernelOrigin::CuPy;
    if (frameworks.xla && isXla(symbol)) return KernelOrigin::Xla;
    if (symbol.starts_with("triton_")) return KernelOrigin::Compiler;
    if (frameworks.python && isNumba(symbol, kernel.name)) return KernelOrigin::Numba;
    const bool mangled = symbol.starts_with("_Z") || symbol.find('(') != symbol.npos;
    if (!mangled && frameworks.python && frameworks.torch && !frameworks.cupy && !frameworks.xla)
        return KernelOrigin::Triton;
    return KernelOrigin::Own;
}

}  // namespace roofscope
