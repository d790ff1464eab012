// SPDX-License-Identifier: Apache-2.0
#include "analyzer/names/library_product.h"

#include <initializer_list>

namespace roofscope {
namespace {

bool has(std::string_view name, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts)
        if (name.find(part) != name.npos) return true;
    return false;
}

/// The number after "_align", the smallest of all operands.
std::optional<int> alignedIn(std::string_view name) {
    constexpr std::string_view kMark = "_align";
    std::optional<int> least;
    for (std::size_t at = 0; (at = name.find(kMark, at)) != name.npos;) {
        at += kMark.size();
        // "aligna4_alignc4": the operand's letter comes before the number.
        std::size_t digit = at;
        if (digit < name.size() && name[digit] >= 'a' && name[digit] <= 'd') ++digit;
        if (digit >= name.size() || name[digit] < '1' || name[digit] > '9') continue;
        int number = name[digit] - '0';
        if (digit + 1 < name.size() && name[digit + 1] >= '0' && name[digit + 1] <= '9')
            number = number * 10 + name[digit + 1] - '0';
        if (!least || number < *least) least = number;
    }
    return least;
}

}  // namespace

bool isAttention(std::string_view name) { return has(name, {"_sdpa_", "flash", "fmha"}); }

std::optional<LibraryProduct> libraryProduct(std::string_view name) {
    LibraryProduct product;
    if (isAttention(name)) return std::nullopt;
    if (has(name, {"splitKreduce_kernel"}))
        product.kind = LibraryProduct::Kind::PartialSums;
    else if (has(name, {"gemvx::kernel", "gemv2T_kernel", "gemv2N_kernel", "gemvNSP_kernel"}))
        product.kind = LibraryProduct::Kind::Vector;
    else if (has(name,
                 {"fprop", "dgrad", "wgrad", "implicit_gemm", "convolve", "winograd", "_scudnn_"}))
        product.kind = LibraryProduct::Kind::Convolution;
    else if (!has(name, {"cutlass_", "_xmma_gemm", "nvjet_", "gemmSN_", "sgemm_largek_", "ampere_",
                         "turing_", "volta_"}) ||
             !has(name, {"gemm", "nvjet_"}))
        return std::nullopt;
    product.tensorCores = has(name, {"tensorop", "1688", "16816", "h884", "nvjet_", "_wmma_"}) ||
                          (has(name, {"sm90_xmma_"}) && !has(name, {"ffma"}));
    // "volta_fp16_sgemm_fp16_64x32" already has fp16 inputs. gemmSN_ computes results that are only
    // a few columns wide: like a matrix-vector product it reads the matrix once, so its arithmetic
    // is not what takes time.
    product.plainFp32 =
        product.kind != LibraryProduct::Kind::PartialSums &&
        product.kind != LibraryProduct::Kind::Vector && !product.tensorCores &&
        has(name, {"simt_sgemm", "_sgemm_", "sgemm_largek_", "_ffma_", "_scudnn_",
                   "convolve_sgemm<float", "dgrad_engine<float", "wgrad_alg0_engine<float"}) &&
        !has(name, {"fp16_sgemm", "f64f64", "f16f16", "bf16bf16"});
    product.aligned = alignedIn(name);
    if (has(name, {"tf32", "s1688gemm_f32", "_s1688gemm_64", "_s1688gemm_128", "_s1688gemm_256"}))
        product.wanted = 4;
    else if (has(name, {"d884", "z884", "c1688"}))  // an element fills 8 bytes or more
        product.wanted = 1;
    else if (has(name, {"i16832", "i8816", "e4m3", "e5m2", "s8_"}))
        product.wanted = 16;
    return product;
}

}  // namespace roofscope
