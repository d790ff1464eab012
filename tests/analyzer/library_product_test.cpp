// SPDX-License-Identifier: Apache-2.0
// What the names of cuBLAS, cuDNN and CUTLASS kernels say; all names were seen on an H200.
#include "analyzer/names/library_product.h"

#include "analyzer/diagnosis/library_edit.h"
#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("a product's name says its alignment and what it is computed with") {
    const auto fallback = libraryProduct(
        "void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1>("
        "cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1::Params)");
    REQUIRE(fallback);
    CHECK(fallback->tensorCores);
    CHECK(fallback->aligned == 1);
    CHECK(fallback->wanted == 8);

    const auto tf32 = libraryProduct("cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4");
    REQUIRE(tf32);
    CHECK(tf32->aligned == 4);
    CHECK(tf32->wanted == 4);

    const auto fp64 = libraryProduct("cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1");
    REQUIRE(fp64);
    CHECK(fp64->wanted == 1);

    const auto plain = libraryProduct(
        "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_aligna4_"
        "alignc4_execute_kernel__5x_cublas");
    REQUIRE(plain);
    CHECK_FALSE(plain->tensorCores);
    CHECK(plain->plainFp32);
    CHECK(plain->aligned == 4);

    const auto simt = libraryProduct("cutlass_80_simt_sgemm_64x64_8x5_tn_align1");
    REQUIRE(simt);
    CHECK(simt->plainFp32);
    const auto largeK = libraryProduct("void sgemm_largek_lds64<true, false, 5, 5, 4, 4, 4, 34>");
    REQUIRE(largeK);
    CHECK(largeK->kind == LibraryProduct::Kind::Matrices);
    CHECK(largeK->plainFp32);
    const auto newest = libraryProduct("nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_TNN");
    REQUIRE(newest);
    CHECK(newest->tensorCores);
    CHECK_FALSE(newest->aligned);
}

TEST_CASE("vectors, partial sums and convolutions are told apart from products of matrices") {
    using Kind = LibraryProduct::Kind;
    const auto kind = [](const char* name) {
        const auto product = libraryProduct(name);
        REQUIRE(product);
        return product->kind;
    };
    CHECK(kind("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float>") ==
          Kind::Vector);
    CHECK(kind("void gemv2T_kernel_val<int, int, float, float>") == Kind::Vector);
    CHECK(kind("void cublasLt::splitKreduce_kernel<32, 16, int, float>") == Kind::PartialSums);
    CHECK(kind("sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x128x64") ==
          Kind::Convolution);
    CHECK(kind("sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x128x32") == Kind::Matrices);
    for (const char* none : {"softmax_rows", "void cub::DeviceRadixSortKernel", "my_align1_gemm",
                             "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16"})
        CHECK_FALSE(libraryProduct(none));
}

TEST_CASE("a product is plain FP32 only with fp32 matrices and no tensor cores") {
    const auto plain = [](const char* name) {
        const auto product = libraryProduct(name);
        REQUIRE(product);
        return product->plainFp32;
    };
    CHECK(plain("ampere_sgemm_32x128_tn"));
    CHECK(
        plain("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_"
              "aligna4_alignc4_execute_split_k_kernel__5x_cublas"));
    // cuDNN on a V100.
    CHECK(plain("volta_scudnn_128x128_stridedB_splitK_small_nn_v1"));
    CHECK(plain("volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1"));
    CHECK(plain("void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1, false>"));
    CHECK(plain("void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>"));
    CHECK(plain("void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>"));
    CHECK_FALSE(plain("void implicit_convolve_sgemm<__half, float, 1024, 6, 7, 3, 3, 5>"));
    CHECK_FALSE(plain("void cudnn::detail::dgrad_engine<__half, 512, 6, 5, 3, 3, 3, false>"));
    CHECK_FALSE(plain("turing_fp16_sgemm_fp16_64x64_nn"));
    CHECK_FALSE(plain("sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x128x32"));
    CHECK_FALSE(plain("sm90_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize128x64x16_tensor16x8x8"));
    CHECK_FALSE(plain("void gemmSN_NN_kernel<float, 256, 4, 2, 8, 4, 4, true>"));
    CHECK_FALSE(plain("void gemv2T_kernel_val<int, int, float, float>"));
    CHECK_FALSE(plain("void cublasLt::splitKreduce_kernel<32, 16, int, float>"));
}

TEST_CASE("what a caller is told fits the kernel that it got") {
    const auto edit = [](KernelOrigin origin, const char* name, bool tooLittleWork) {
        return libraryEdit(origin, name, tooLittleWork).value().in(Language::En);
    };
    const auto has = [](const std::string& text, const char* part) {
        INFO(text);
        CHECK(text.find(part) != text.npos);
    };
    const char* simt = "cutlass_80_simt_sgemm_64x64_8x5_tn_align1";
    has(edit(KernelOrigin::Library, simt, true), "larger batch");
    has(edit(KernelOrigin::Library, simt, false), "TF32");
    has(edit(KernelOrigin::Library, "void gemv2T_kernel_val<int>", false), "vector");
    has(edit(KernelOrigin::PyTorch, "at::native::CatArrayBatchedCopy<float>", true), "static");
    has(edit(KernelOrigin::PyTorch,
             "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
             "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)",
             false),
        "contiguous()");
    has(edit(KernelOrigin::CuPy, "cupy_sqrt__float64_float64", true), "cupy.fuse");
    has(edit(KernelOrigin::CuPy, "cupy_sum", false), "cupy.fuse");
    has(edit(KernelOrigin::CuPy, "cupy_sum", true), "in two steps");
    has(edit(KernelOrigin::Xla, "loop_multiply_fusion", false), "XLA");
    has(edit(KernelOrigin::Library, "void cub::DeviceScanKernel", true), "CUB");
    // A convolution that has the layout and the type that it would be told to use.
    const char* convolution =
        "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize256x32x32_stage4_"
        "warpsize4x1x1_g1_tensor16x8x16_execute_kernel__5x_cudnn";
    CHECK_FALSE(libraryEdit(KernelOrigin::Library, convolution, false));
    has(edit(KernelOrigin::Library, convolution, true), "larger batch");
    has(edit(KernelOrigin::Library,
             "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x64x32",
             false),
        "bf16");
    // How a transform's passes access memory follows from its axes.
    CHECK_FALSE(libraryEdit(KernelOrigin::Library, "void regular_fft<256u, EPT<16u>>", false));
    has(edit(KernelOrigin::Library, "void regular_fft<256u, EPT<16u>>", true), "batched form");
    // The algorithm determines how it accesses memory.
    CHECK_FALSE(libraryEdit(KernelOrigin::Library, "void cub::DeviceRadixSortKernel", false));
    CHECK_FALSE(libraryEdit(KernelOrigin::Library, "void thrust::cuda_cub::merge<int>", false));
    CHECK(edit(KernelOrigin::Own, "mine", true).empty());
    // Its grid follows the width of the features, however many rows there are.
    has(edit(KernelOrigin::PyTorch,
             "void at::native::GammaBetaBackwardCUDAKernelTemplate<float, float, 64>", true),
        "divides the rows");
}

TEST_CASE("an algorithm that passes over structs is told to take arrays") {
    const auto told = [](const char* name, KernelOrigin origin = KernelOrigin::Library) {
        return editOfStridedInput(origin, name).has_value();
    };
    CHECK(told("void cub::detail::reduce::DeviceReduceKernel<policy, thrust::device_ptr<event>>"));
    CHECK(told("void thrust::cuda_cub::transform_kernel<event*>"));
    CHECK_FALSE(told("void cub::DeviceRadixSortOnesweepKernel<int>"));
    CHECK_FALSE(told("void cub::DeviceHistogramKernel<cub::TransformInputIterator<int>>"));
    CHECK_FALSE(told("void cub::DeviceReduceKernel<thrust::permutation_iterator<int*, int*>>"));
    CHECK_FALSE(told("void cub::transform_kernel<thrust::counting_iterator<int>>"));
    CHECK_FALSE(told("void myReduce<event*>", KernelOrigin::Own));
    CHECK_FALSE(told("void regular_fft<256u, EPT<16u>>"));
}

TEST_CASE("cuDNN's engines for gradients are convolutions") {
    for (const char* name : {"wgrad_alg0_engine<float, 128, 5, 5, 3, 3, 3, false, 512>",
                             "cutlass_tensorop_s1688dgrad_optimized_tf32_256x64_16x4_nhwc"}) {
        const auto product = libraryProduct(name);
        REQUIRE(product);
        CHECK(product->kind == LibraryProduct::Kind::Convolution);
    }
}
