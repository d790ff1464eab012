// SPDX-License-Identifier: Apache-2.0
// Which pipe a library's product runs in, by names of real recordings.
#include "analyzer/names/multiplied_type.h"

#include <string>

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

std::string typeIn(std::string_view name) {
    const auto found = multipliedType(name);
    return !found ? "?" : std::string(toString(found->type)) + (found->maybeBf16 ? " or bf16" : "");
}

}  // namespace

TEST_CASE("names of products say what they multiply") {
    CHECK(typeIn("nvjet_tst_144x128_64x6_2x1_v_bz_bias_TNN") == "BF16 tensor");
    CHECK(typeIn("nvjet_sm90_tst_192x192_64x3_2x1_v_bz_coopB_bias_NNN") == "BF16 tensor");
    CHECK(typeIn("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT") == "FP16 tensor");
    CHECK(
        typeIn("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1") ==
        "BF16 tensor");
    CHECK(typeIn("sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128") ==
          "TF32 tensor");
    CHECK(typeIn("cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align1") == "BF16 tensor");
    CHECK(typeIn("cutlass_80_tensorop_s1688gemm_128x256_32x3_nt_align4") == "TF32 tensor");
    CHECK(typeIn("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn") == "FP16 tensor");
    CHECK(typeIn("volta_h884gemm_128x64_ldg8_nn") == "FP16 tensor");
    CHECK(typeIn("sm90_xmma_gemm_f64f64_f64f64_f64_tn_n_tilesize64x64x16_stage4_warpsize2x2x1_"
                 "tensor16x8x8_execute_kernel") == "FP64 tensor");
    CHECK(typeIn("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_"
                 "ffma_aligna4_alignc4_execute_kernel") == "FP32");
    CHECK(typeIn("cutlass_80_simt_sgemm_128x64_8x5_nt_align1") == "FP32");
    CHECK(typeIn("volta_sgemm_64x32_sliced1x4_tn") == "FP32");
    // bf16 vectors, but multiply-adds in FP32.
    CHECK(typeIn("internal::gemvx::kernel<int, int, __nv_bfloat16, __nv_bfloat16, float>") ==
          "FP32");
    CHECK(typeIn("void gemmk1_kernel<int, double, 256, 5, false>") == "FP64");
}

TEST_CASE("names of attention say what they multiply, where they do") {
    CHECK(typeIn("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, "
                 "false, false, cutlass::bfloat16_t>>") == "BF16 tensor");
    CHECK(typeIn("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64") ==
          "FP16 tensor or bf16");
    CHECK(typeIn("fmha_cutlassF_f32_aligned_64x64_rf_sm80") == "?");
    // Queries are fp8, everything else is not.
    CHECK(typeIn("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128") == "?");
}

TEST_CASE("a name that does not say it is not guessed") {
    CHECK(typeIn("nvjet_sm90_sss_128x128_32x4_1x2_h_bz_NNT") == "?");
    CHECK(typeIn("my_matmul_kernel") == "?");
    // fp16 inputs without tensor cores.
    CHECK(typeIn("volta_fp16_sgemm_fp16_64x32_sliced1x4_nn") == "?");
}
