// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/kernel_origin.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
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

/// Traces of PyTorch's profiler have no command line that would show Python.
bool isTraceOfPyTorch(const Capture& capture) {
    return capture.origin == "imported" && capture.strategy.find("PyTorch") != std::string::npos;
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

/// "void at::native::f<int>(int)" → "at::native::f<int>", because return type and parameters may
/// mention any namespace. Empty for a mangled or plain name.
std::string_view qualifiedName(std::string_view name) {
    constexpr std::string_view kAnonymous = "(anonymous namespace)";
    if (name.starts_with("_Z")) return {};
    std::size_t from = 0, at = 0, depth = 0;
    bool qualified = false;
    for (; at < name.size(); ++at) {
        const char c = name[at];
        if (depth == 0 && name.substr(at).starts_with(kAnonymous)) {
            at += kAnonymous.size() - 1;
        } else if (depth == 0 && c == '(') {
            qualified = true;
            break;
        } else if (c == '<' || c == '(') {
            ++depth;
            qualified = true;
        } else if ((c == '>' && at > 0 && name[at - 1] != '-') || c == ')') {
            if (depth > 0) --depth;
        } else if (depth == 0 && c == ' ') {
            from = at + 1;
        } else if (depth == 0 && c == ':') {
            qualified = true;
        }
    }
    return qualified ? name.substr(from, at - from) : std::string_view{};
}

// Mangled symbols, and qualified names for profiles that have no symbols.
constexpr std::string_view kPyTorch[] = {
    "_ZN2at6native",    "_ZN2at4cuda",      "_ZN14at_cuda_detail", "_ZN13pytorch_flash",
    "_Z39fmha_cutlass", "_Z40fmha_cutlass", "_ZN6vision3ops"};
constexpr std::string_view kPyTorchNames[] = {"at::native::",    "at::cuda::",   "at_cuda_detail::",
                                              "pytorch_flash::", "fmha_cutlass", "vision::ops::"};

bool isPyTorch(std::string_view symbol) {
    return beginsWithOneOf(symbol, kPyTorch) ||
           beginsWithOneOf(qualifiedName(symbol), kPyTorchNames);
}

/// "cublasAxpyParamsVal<float>": only cuBLAS's kernels have parameters of such a type.
bool hasCublasParameters(std::string_view symbol) {
    constexpr std::string_view kName = "cublas", kParams = "Params";
    constexpr std::size_t kLongest = 64;
    for (auto at = symbol.find(kName); at != symbol.npos; at = symbol.find(kName, at)) {
        at += kName.size();
        const std::string_view rest = symbol.substr(at, kLongest);
        const auto end = std::ranges::find_if_not(
            rest, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
        const auto params = rest.substr(0, std::size_t(end - rest.begin())).find(kParams);
        if (params != rest.npos && params > 0 && rest[0] >= 'A' && rest[0] <= 'Z') return true;
    }
    return false;
}

/// "trsv_ln_exec" of "_Z12trsv_ln_execIdLj32E…" and of "void trsv_ln_exec<double, 32u>(…)". Empty
/// if it is in a namespace.
std::string_view plainIdentifier(std::string_view symbol) {
    if (!symbol.starts_with("_Z")) {
        const std::string_view name = qualifiedName(symbol);
        const std::string_view base = name.substr(0, name.find('<'));
        return base.find(':') == base.npos ? base : std::string_view{};
    }
    symbol.remove_prefix(2);
    std::size_t length = 0, digits = 0;
    for (; digits < symbol.size() && symbol[digits] >= '0' && symbol[digits] <= '9' && digits < 4;
         ++digits)
        length = 10 * length + static_cast<std::size_t>(symbol[digits] - '0');
    return symbol.substr(digits, length);
}

/// cuSOLVER's kernels, and those of cuBLAS's triangular matrices, have no namespace: LAPACK's names
/// with endings that nobody else would choose.
bool isSolver(std::string_view symbol) {
    constexpr std::string_view kNames[] = {
        "trsv_ln_exec",           "trsv_lt_exec",     "trsv_lt_exec_up",  "dtrsv_init",
        "dtrsv_init_up",          "strsv_init",       "strsv_init_up",    "larfg_kernel_fast",
        "larfg_set_tau_zero",     "laswp_kernel2",    "ormqr_cta_kernel", "ormql_cta_kernel",
        "ormtr_gemv_c",           "ormtr_gemv_n",     "ormtr_gerc",       "lansy_M_stage1",
        "lansy_M_stage2",         "sytrd4_cta",       "sytrd4_gpu",       "geqr2_gmem_domino",
        "geqr2_smem_domino_fast", "getf4_domino_reg", "getrf_semiwarp",   "getri_semiwarp"};
    constexpr std::string_view kBegin[] = {
        "xxtrf4_",     "potrf_alg2_",   "potrfBatch_", "potrsBatch_",   "getrf_alg1_",
        "getrf2_set_", "getrf2_reset_", "getrf3_set_", "getrf3_reset_", "getrf_mp_",
        "getf2_cta_",  "larft_T_",      "laed2_dist_", "sytd2_lower_",  "sytd2_upper_"};
    // Of a template argument: "getrf_pivot<getrf_params_<…>>".
    constexpr std::string_view kParameters[] = {"getrf_params_", "getrf_wo_pivot_params_",
                                                "stedc_params_"};
    const std::string_view name = plainIdentifier(symbol);
    return std::ranges::find(kNames, name) != std::end(kNames) || beginsWithOneOf(name, kBegin) ||
           (!name.empty() && hasOneOf(symbol, kParameters));
}

bool isLibrary(std::string_view symbol) {
    constexpr std::string_view kLibraries[] = {"_ZN3cub",
                                               "_ZN6thrust",
                                               "_ZN8cublasLt",
                                               "_ZN6cublas",
                                               "_ZN8cusparse",
                                               "_ZN8cusolver",
                                               "_ZN8cutensor",
                                               "_ZN5cudnn",
                                               "_ZN8internal5gemvx",
                                               "_ZN11cask_plugin",
                                               "_ZN3DSE",
                                               "_ZN8internal24region_transform",
                                               "_Z16gemmSN_NN_kernel",
                                               "_Z16gemmSN_TN_kernel",
                                               "nvjet_",
                                               "cudnn",
                                               "cask_",
                                               "ampere_",
                                               "turing_",
                                               "volta_",
                                               "maxwell_"};
    constexpr std::string_view kLibraryNames[] = {"cub::",
                                                  "thrust::",
                                                  "cublasLt::",
                                                  "cublas::",
                                                  "cusparse::",
                                                  "cusolver::",
                                                  "cutensor::",
                                                  "cudnn::",
                                                  "cask_",
                                                  "internal::gemvx::",
                                                  "internal::region_transform_",
                                                  "DSE::",
                                                  "gemmSN_NN_kernel<",
                                                  "gemmSN_TN_kernel<"};
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
                                               "dgrad2d_",
                                               "conv2d_c1_k1_",
                                               "wgrad2d_",
                                               "cublasTrsmParam",
                                               "cublasGemvTensor",
                                               "gen_sequenced_Philox",
                                               "generate_seed_pseudo",
                                               "kernel_trsm_",
                                               "gemm_largek_lds",
                                               "curandOrdering",
                                               "ncclDevKernel",
                                               "ncclKernel_",
                                               "implicit_convolve_sgemm",
                                               "convolve_common_engine",
                                               "explicit_convolve_sgemm"};
    return beginsWithOneOf(symbol, kLibraries) || hasOneOf(symbol, kGenerated) ||
           beginsWithOneOf(qualifiedName(symbol), kLibraryNames) || hasCublasParameters(symbol) ||
           isSolver(symbol);
}

}  // namespace

bool runsPython(const Profile& profile) {
    // A script or another program may start Python ("bash run.sh", "uv run train").
    if (std::ranges::any_of(profile.callSites,
                            [](const CallSite& site) { return site.file.ends_with(".py"); }))
        return true;
    if (profile.capture.command.empty()) return false;
    const std::string_view program = programName(profile.capture.command.front());
    return program.starts_with("python") || program == "torchrun" || program.ends_with(".py");
}

Frameworks frameworksOf(const Profile& profile) {
    const bool trace = isTraceOfPyTorch(profile.capture);
    Frameworks found{.python = trace || runsPython(profile), .torch = trace};
    found.torch |= std::ranges::any_of(
        profile.callSites, [](const CallSite& site) { return site.op.starts_with("aten::"); });
    for (const Kernel& kernel : profile.kernels) {
        const std::string_view symbol = symbolOf(kernel);
        found.torch |= isPyTorch(symbol);
        found.xla |= isXla(symbol);
        found.cupy |= isCuPy(symbol);
    }
    return found;
}

bool isLinearAlgebra(const Kernel& kernel) { return isSolver(symbolOf(kernel)); }

bool isTransform(const Kernel& kernel) {
    // Whole words, mangled and not: a program may have a "twiddle_table" of its own.
    constexpr std::string_view kTypes[] = {"9twiddle_t", "(twiddle_t)", "19real_complex_args_t",
                                           "(real_complex_args_t<"};
    return hasOneOf(symbolOf(kernel), kTypes);
}

KernelOrigin originOf(const Frameworks& frameworks, const Kernel& kernel) {
    // PyTorch files whose kernels are in an anonymous namespace outside of at::native, and the
    // demangled names of these kernels.
    constexpr std::string_view kTorchFiles[] = {"_RangeFactories_cu_", "_SoftMax_cu_",
                                                "_Indexing_cu_"};
    constexpr std::string_view kTorchUnnamed[] = {
        "(anonymous namespace)::elementwise_kernel_with_index",
        "(anonymous namespace)::softmax_warp_", "(anonymous namespace)::indexing_backward_kernel"};
    const std::string_view symbol = symbolOf(kernel);
    if (isPyTorch(symbol)) return KernelOrigin::PyTorch;
    if (frameworks.torch && symbol.find("_GLOBAL__N__") != symbol.npos &&
        hasOneOf(symbol, kTorchFiles))
        return KernelOrigin::PyTorch;
    if (frameworks.torch && beginsWithOneOf(qualifiedName(symbol), kTorchUnnamed))
        return KernelOrigin::PyTorch;
    if (isTransform(kernel) || isLibrary(symbol)) return KernelOrigin::Library;
    if (isCuPy(symbol)) return KernelOrigin::CuPy;
    const bool plain = !symbol.starts_with("_Z") && qualifiedName(symbol).empty();
    // "fusion_474", "input_add_reduce_fusion"
    if (frameworks.xla && (isXla(symbol) || (plain && (symbol.starts_with("fusion") ||
                                                       symbol.find("_fusion") != symbol.npos))))
        return KernelOrigin::Xla;
    if (symbol.starts_with("triton_")) return KernelOrigin::Compiler;
    if (frameworks.python && isNumba(symbol, kernel.name)) return KernelOrigin::Numba;
    if (plain && frameworks.python && frameworks.torch && !frameworks.cupy && !frameworks.xla)
        return KernelOrigin::Triton;
    return KernelOrigin::Own;
}

std::vector<bool> launchedByPyTorch(const Profile& profile) {
    std::vector<bool> byOperator(profile.kernels.size()), otherwise(byOperator);
    for (const CallSite& site : profile.callSites)
        if (site.kernel)
            (site.op.starts_with("aten::") ? byOperator : otherwise)[*site.kernel] = true;
    for (std::size_t k = 0; k < byOperator.size(); ++k)
        if (otherwise[k]) byOperator[k] = false;
    return byOperator;
}

}  // namespace roofscope
