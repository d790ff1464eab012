// SPDX-License-Identifier: Apache-2.0
#include "analyzer/names/multiplied_type.h"

#include <initializer_list>

namespace roofscope {
namespace {

bool says(std::string_view name, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts)
        if (name.find(part) != name.npos) return true;
    return false;
}

/// cuBLAS's names: the letters of the operands' types, "nvjet_tst_…", "nvjet_sm90_hsh_…". Letters
/// whose meaning is not certain are left out.
std::optional<MultipliedType> typeOfNvjet(std::string_view name) {
    constexpr std::string_view kMark = "nvjet_";
    std::string_view rest = name.substr(name.find(kMark) + kMark.size());
    if (rest.starts_with("sm")) {
        const auto end = rest.find('_');
        if (end == rest.npos) return std::nullopt;
        rest.remove_prefix(end + 1);
    }
    const std::string_view letters = rest.substr(0, rest.find('_'));
    if (letters == "tst" || letters == "tss") return MultipliedType{TensorType::Bf16};
    if (letters == "hsh" || letters == "hss" || letters == "hhh")
        return MultipliedType{TensorType::Fp16};
    if (letters.starts_with("qq")) return MultipliedType{TensorType::Fp8};
    return std::nullopt;
}

std::optional<MultipliedType> typeOfAttention(std::string_view name) {
    if (says(name, {"bfloat16_t", "_bf16_", "__nv_bfloat16"}))
        return MultipliedType{TensorType::Bf16};
    if (says(name, {"half_t", "fmha_cutlassF_f16", "fmha_cutlassB_f16", "__half"}))
        return MultipliedType{TensorType::Fp16};
    if (says(name, {"_sdpa_"}) && says(name, {"mma_f16"}))
        return MultipliedType{.type = TensorType::Fp16, .maybeBf16 = true};
    return std::nullopt;
}

}  // namespace

std::optional<MultipliedType> multipliedType(std::string_view name) {
    // Kernels of quantised attention name several types.
    if (says(name, {"e4m3", "E4m3", "e5m2", "E5m2"}))
        return says(name, {"_sdpa_", "flash", "fmha"})
                   ? std::nullopt
                   : std::optional(MultipliedType{TensorType::Fp8});
    if (says(name, {"_sdpa_", "flash", "fmha"})) return typeOfAttention(name);
    if (says(name, {"nvjet_"})) return typeOfNvjet(name);
    // A matrix times a vector or a few columns: multiply-adds without tensor cores, in FP32 also
    // for bf16.
    if (says(name, {"gemv", "gemmSN_", "gemmk1_kernel", "dot_kernel"}))
        return MultipliedType{says(name, {"double", "cuDoubleComplex"}) ? Precision::Fp64
                                                                        : Precision::Fp32};
    if (says(name, {"i16832", "i8816", "_s8_", "i8i8"})) return MultipliedType{TensorType::Int8};
    if (says(name, {"d884gemm", "d16816gemm", "d1684gemm", "d1688gemm"}) ||
        (says(name, {"f64f64"}) && says(name, {"_tensor"})))
        return MultipliedType{TensorType::Fp64};
    if (says(name, {"bf16"})) return MultipliedType{TensorType::Bf16};
    if (says(name, {"tf32", "s1688gemm_f32", "_s1688gemm_64", "_s1688gemm_128", "_s1688gemm_256"}))
        return MultipliedType{TensorType::Tf32};
    if (says(name, {"fp16_sgemm", "simt_hgemm", "_hgemm_", "hcudnn"}) &&
        !says(name, {"884", "1688", "16816"}))
        return std::nullopt;  // fp16 without tensor cores, in FP16 or FP32
    if (says(name, {"f16f16", "tensorop_f16", "tensorop_h", "h884", "h1688", "h16816", "fp16_s884",
                    "fp16_s1688", "fp16_s16816"}))
        return MultipliedType{TensorType::Fp16};
    if (says(name, {"simt_dgemm", "_dgemm_"})) return MultipliedType{Precision::Fp64};
    if (says(name, {"simt_sgemm", "_sgemm_", "sgemm_largek_", "_ffma_", "_scudnn_",
                    "convolve_sgemm<float", "dgrad_engine<float", "wgrad_alg0_engine<float"}))
        return MultipliedType{Precision::Fp32};
    return std::nullopt;
}

}  // namespace roofscope
