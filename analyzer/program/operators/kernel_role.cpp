// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/operators/kernel_role.h"

#include <algorithm>
#include <initializer_list>

#include "analyzer/names/library_product.h"
#include "analyzer/roofline/roofline.h"

namespace roofscope::program {
namespace {

bool nameHas(std::string_view name, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts,
                               [&](std::string_view part) { return name.find(part) != name.npos; });
}

}  // namespace

KernelRole roleIn(OperatorKind kind, std::string_view name) {
    if (nameHas(name, {"splitKreduce_kernel", "at::native::", "cublasLt::epilogue", "scal_kernel",
                       "reduce_1Block_kernel", "memset", "Memset"}))
        return KernelRole::Helper;
    if (kind == OperatorKind::Matrices)
        return nameHas(name, {"gemm", "gemv", "nvjet_", "dot_kernel"}) ? KernelRole::Product
                                                                       : KernelRole::Unclear;
    if (kind != OperatorKind::Attention) return KernelRole::Unclear;
    if (nameHas(name,
                {"combine", "dot_do_o", "convert_dq", "convert_dkv", "preprocess", "postprocess"}))
        return KernelRole::Helper;
    return nameHas(name, {"flash_fwd", "flash_bwd", "fmha_cutlass", "flash_fprop", "flash_bprop"})
               ? KernelRole::Product
               : KernelRole::Unclear;
}

Multiplies multiplies(const KernelAnalysis& kernel) {
    const std::string_view name = kernel.fullName;
    if (const auto product = libraryProduct(name))
        return product->kind == LibraryProduct::Kind::PartialSums ? Multiplies::No
                                                                  : Multiplies::Yes;
    if (usesTensorCores(kernel.quantities)) return Multiplies::Yes;
    for (const OperatorKind kind : {OperatorKind::Matrices, OperatorKind::Attention}) {
        const KernelRole role = roleIn(kind, name);
        if (role == KernelRole::Product) return Multiplies::Yes;
        if (role == KernelRole::Helper) return Multiplies::No;
    }
    if (nameHas(name, {"nccl", "nvshmem", "triton_poi_", "triton_red_", "triton_per_", "cub::"}))
        return Multiplies::No;
    // Without tensor cores, a product keeps the FP32 or FP64 pipe busy.
    constexpr double kBusyPipe = 0.3;
    const Quantities& q = kernel.quantities;
    const auto isIdle = [](const Derived<Ratio>& share) {
        return share.has() && share->value < kBusyPipe;
    };
    return q.tensorInstructions.has() && isIdle(q.pipeUtilisation[Precision::Fp32]) &&
                   isIdle(q.pipeUtilisation[Precision::Fp64])
               ? Multiplies::No
               : Multiplies::Unknown;
}

}  // namespace roofscope::program
