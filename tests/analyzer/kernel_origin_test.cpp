// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/kernel_origin.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

/// Origin of a kernel in a program that also launches the kernels `beside`.
KernelOrigin origin(const char* symbol, std::vector<std::string> command = {"./app"},
                    std::vector<const char*> beside = {}) {
    Profile profile;
    profile.capture.command = std::move(command);
    profile.kernels.push_back({.name = symbol, .symbol = symbol});
    for (const char* other : beside) profile.kernels.push_back({.name = other, .symbol = other});
    return originOf(frameworksOf(profile), profile.kernels.front());
}

constexpr const char* kTorchFill = "_ZN2at6native29vectorized_elementwise_kernelILi4EEEvv";

}  // namespace

TEST_CASE("a library's kernel is known by what only its library is called") {
    CHECK(origin("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE") ==
          KernelOrigin::PyTorch);
    CHECK(origin("conv2d_c1_k1_nhwc_specialized", {"python3", "train.py"}) ==
          KernelOrigin::Library);
    CHECK(origin("dgrad2d_c1_k1_nhwc_specialized", {"python3", "train.py"}) ==
          KernelOrigin::Library);
    CHECK(origin("_ZN14at_cuda_detail3cub6detail4scan16DeviceScanKernel") == KernelOrigin::PyTorch);
    CHECK(origin("_Z39fmha_cutlassF_f32_aligned_64x64_rf_sm80N22PyTorchMemEffAttention") ==
          KernelOrigin::PyTorch);
    CHECK(origin("nvjet_sm90_tst_128x64_64x8_1x2_h_bz_NNT") == KernelOrigin::Library);
    CHECK(origin("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8") ==
          KernelOrigin::Library);
    CHECK(origin("_ZN7cutlass7Kernel2I45cutlass_80_simt_sgemm_128x256_8x4_nt_align1EEv") ==
          KernelOrigin::Library);
    CHECK(origin("_ZN3cub17CUB_200802_900_NS6detail6reduce18DeviceReduceKernel") ==
          KernelOrigin::Library);
}

TEST_CASE("kernels of libraries are known by their parameters, and XLA's by its program") {
    CHECK(origin("_Z16trsm_left_kernelIidLi256EEv16cublasTrsmParamsIT_T0_E") ==
          KernelOrigin::Library);
    CHECK(origin("_Z10dot_"
                 "kernelIdLi128ELi0E15cublasDotParamsI30cublasGemvTensorStridedBatchedIKdEEEv") ==
          KernelOrigin::Library);
    for (const char* name : {"_Z15axpy_kernel_valIffEv19cublasAxpyParamsValIT_S1_T0_E",
                             "_Z11copy_kernelIfEv16cublasCopyParamsIT_E",
                             "void copy_kernel<float>(cublasCopyParams<float>)",
                             "_ZN8cusparse17csrmm_alg1_kernelILb0ELb0ELb1EiiffffEEv",
                             "void cusparse::csrmm_alg1_kernel<false, true>(int)",
                             "_Z20gen_sequenced_PhiloxI24curandStatePhilox4_32_106float4iEvPT_"})
        CHECK(origin(name) == KernelOrigin::Library);
    for (const char* name :
         {"_Z4axpyP9MyCublasParams", "_Z9call_PRNGfPfP24curandStatePhilox4_32_10",
          "_Z11copy_kernelIfEv12cublasStatus"})
        CHECK(origin(name) == KernelOrigin::Own);
    CHECK(origin("_ZN6vision3ops51_GLOBAL__N__9a_13_nms_kernel_cu_15nms_kernel_implIfEEvi") ==
          KernelOrigin::PyTorch);
    CHECK(origin("_ZN44_GLOBAL__N__50_11_Indexing_cu_89_33indexing_backward_kernelIfEEv", {"./app"},
                 {kTorchFill}) == KernelOrigin::PyTorch);
    for (const char* name : {"fusion_474", "input_add_reduce_fusion", "copy_fusion_2"})
        CHECK(origin(name, {"python3", "t.py"}, {"loop_add_fusion"}) == KernelOrigin::Xla);
    CHECK(origin("fusion_474") == KernelOrigin::Own);
    CHECK(origin("diffusion_step", {"python3", "t.py"}, {"loop_add_fusion"}) != KernelOrigin::Xla);
    CHECK(origin("_Z10dot_kernelPfS_i") == KernelOrigin::Own);
}

TEST_CASE("what merely mentions a library is the program's own") {
    CHECK(origin("_Z11my_at_nativePf") == KernelOrigin::Own);
    CHECK(origin("_ZN4mine6kernelIN2at6native11FillFunctorIfEEEEvPf") == KernelOrigin::Own);
    // CUTLASS is also compiled into programs: such kernels carry the program's own names.
    CHECK(origin("_ZN7cutlass13device_kernelIN4mine4GemmEEEvNT_6ParamsE") == KernelOrigin::Own);
    CHECK(origin("saxpy") == KernelOrigin::Own);
}

TEST_CASE("a demangled name is judged by its qualified part") {
    for (const char* name :
         {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)",
          "std::enable_if<(!(false)), void>::type at::native::(anonymous namespace)::f<int>(int)",
          "at::native::count_kernel(int*)",
          "fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::Params)"})
        CHECK(origin(name) == KernelOrigin::PyTorch);
    constexpr const char* kUnnamed = "void (anonymous namespace)::softmax_warp_forward<float>(int)";
    CHECK(origin(kUnnamed, {"./app"}, {kTorchFill}) == KernelOrigin::PyTorch);
    CHECK(origin(kUnnamed) == KernelOrigin::Own);
    for (const char* name :
         {"void cub::CUB_200802_900_NS::DeviceReduceKernel<float>(at::native::Sum<int>)",
          "void thrust::cuda_cub::core::_kernel_agent<thrust::A<int>, int>(int)",
          "void cublasLt::splitKreduce_kernel<32, 16, int>(cublasLt::Params)",
          "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nt_align1>(int)",
          "void cudnn::ops::nchwToNhwcKernel<float>(int)",
          "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)"})
        CHECK(origin(name) == KernelOrigin::Library);
    for (const char* name :
         {"void mine::kernel<at::native::FillFunctor<float>>(at::native::FillFunctor<float>)",
          "at::native::Thing mine(int)", "void cutlass::device_kernel<mine::Gemm>(int)",
          "saxpy(float*)", "cubic::f(int)"})
        CHECK(origin(name, {"python3", "a.py"}, {kTorchFill}) == KernelOrigin::Own);
}

TEST_CASE("PyTorch without a command line is known by its operators, or its profiler") {
    Profile profile;
    profile.kernels.push_back({.name = "_softmax", .symbol = "_softmax"});
    CHECK_FALSE(frameworksOf(profile).torch);
    profile.callSites.push_back({.kernel = 0, .op = "aten::softmax"});
    CHECK(frameworksOf(profile).torch);
    CHECK_FALSE(frameworksOf(profile).python);  // or LibTorch
    // A line of a Python script launched it.
    profile.callSites.back().file = "/home/me/train.py";
    CHECK(frameworksOf(profile).python);
    CHECK(originOf(frameworksOf(profile), profile.kernels[0]) == KernelOrigin::Triton);

    profile.callSites.clear();
    profile.capture.origin = "imported";
    profile.capture.strategy = "imported from PyTorch's profiler";
    CHECK(frameworksOf(profile).torch);
    CHECK(originOf(frameworksOf(profile), profile.kernels[0]) == KernelOrigin::Triton);
}

TEST_CASE("kernels of cuFFT, cuRAND and cuDNN's transforms are libraries', others are not") {
    for (const char* name :
         {"_Z18regular_fft_factorILj3E3EPTIJLj3EEELj256ELj0EL9padding_t6EL9twiddle_t0E",
          "void vector_fft<2100u, EPT<25u>, 1u, 0u, (padding_t)14, (twiddle_t)0>(Arguments)",
          "_Z18postprocess_kernelIfjL20loadstore_modifier_t2EEv19real_complex_args_tIT0_E",
          "_ZN3DSE10vector_fftILi0ELi1ELi128EEEvPT7_",
          "_Z20generate_seed_pseudoI10rng_configI17curandStateXORWOWL14curandOrdering101EEEvy"})
        CHECK(origin(name) == KernelOrigin::Library);
    for (const char* name : {"_Z17twiddle_transposePf", "load_twiddle_terms(float*)",
                             "_Z16my_twiddle_tablePf", "my_fft(float2*)"})
        CHECK(origin(name) == KernelOrigin::Own);
}

TEST_CASE("cuSOLVER's kernels have LAPACK's names, and are a library's") {
    for (const char* name :
         {"_Z19xxtrf4_set_info_keriPi", "_Z13dtrsv_init_upPii", "_Z10dtrsv_initPi",
          "_Z6kernelI22getrf_wo_pivot_params_IdLi0ELi256ELi1ELi64EEEviiPviS2_",
          "_Z12trsv_ln_execIdLj32ELj32ELj4ELb0EEviPKT_lPS0_lPi",
          "void trsv_lt_exec<double, 32u, 32u, 4u, false, false>(int, double const*, long)",
          "_Z11getrf_pivotI13getrf_params_IfLi4EEEviPf"})
        CHECK(origin(name) == KernelOrigin::Library);
    for (const char* name : {"_Z6kernelI6paramsEvT_", "_Z12potrf_kernelPdi", "_Z9trsv_minePd",
                             "_Z17trsv_lower_kernelPd", "_Z12laswp_kernelPd", "_Z11getrf_pivotPd",
                             "_ZN4mine12trsv_ln_execEPd", "_Z", "_Z99", "trsv"})
        CHECK(origin(name) == KernelOrigin::Own);
}

TEST_CASE("Triton's kernels are known by plain names beside PyTorch's, Inductor's by theirs") {
    const std::vector<const char*> torch{kTorchFill};
    CHECK(origin("_softmax", {"/usr/bin/python3.12", "train.py"}, torch) == KernelOrigin::Triton);
    CHECK(origin("_softmax", {"torchrun", "train.py"}, torch) == KernelOrigin::Triton);
    CHECK(origin("_softmax", {"./serve"}, torch) == KernelOrigin::Own);
    CHECK(origin("_Z7softmaxPf", {"python3", "train.py"}, torch) == KernelOrigin::Own);
    CHECK(origin("triton_poi_fused_gelu_0", {"python3", "train.py"}) == KernelOrigin::Compiler);
}

TEST_CASE("a plain name that may be anyone's is nobody's") {
    const std::vector<std::string> python{"python3", "mix.py"};
    CHECK(origin("scaleStrided", python) == KernelOrigin::Own);
    CHECK(origin("scaleStrided", python, {"cupy_sqrt__float32_float32"}) == KernelOrigin::Own);
    CHECK(origin("scaleStrided", python, {kTorchFill, "cupy_sqrt__float32_float32"}) ==
          KernelOrigin::Own);
    CHECK(origin("cupy_sqrt__float32_float32", python) == KernelOrigin::CuPy);
}

TEST_CASE("what XLA and Numba compile is known by its name") {
    const std::vector<std::string> python{"python3", "train.py"};
    CHECK(origin("loop_multiply_fusion", python) == KernelOrigin::Xla);
    CHECK(origin("gemm_fusion_dot_general_5", python) == KernelOrigin::Xla);
    CHECK(origin("wrapped_tanh", python) == KernelOrigin::Xla);
    CHECK(origin("confusion", python, {kTorchFill}) == KernelOrigin::Triton);
    CHECK(origin("_ZN8__main__2mmB2v1B94cw51cXTLSUwv1sCUt9Tw1VEw0NRRQPKzLTg4gaGKFsG2oMQGEYakJSQB1E",
                 python) == KernelOrigin::Numba);
    CHECK(origin("pkg::mm[abi:v12][abi:cw51cXTLSUwv1sCUt9Tw1VEw0](int)", python) ==
          KernelOrigin::Numba);
    CHECK_FALSE(isForeign(KernelOrigin::Numba));
    CHECK(isForeign(KernelOrigin::Xla));
}

TEST_CASE("cuDNN's older engines and its CUTLASS kernels are a library's") {
    for (const char* symbol :
         {"_Z17wgrad_alg0_engineIfLi128ELi5ELi5ELi3ELi3ELi3ELb0ELi512EEviiiPKT_iPS0_",
          "_Z12dgrad_engineIfLi512ELi6ELi5ELi3ELi3ELi3ELb1EEviiiPKT_iS2_iPS0_",
          "_Z23implicit_convolve_sgemmIffLi128ELi5EEviiiPKT_iPT0_",
          "_ZN17cutlass__5x_cudnn6KernelI66cutlass_tensorop_s1688dgrad_optimized_tf32_256x64EEv"})
        CHECK(origin(symbol) == KernelOrigin::Library);
    CHECK(origin("_Z18sgemm_largek_lds64ILb1ELb0ELi5EEvPfPKfS2_iiiiiiS2_S2_ffiiPiS3_") ==
          KernelOrigin::Library);
    CHECK(origin("_Z31ncclDevKernel_Broadcast_RING_LL24ncclDevKernelArgsStorageILm4096EE") ==
          KernelOrigin::Library);
    CHECK(origin("_Z11wgrad_fusedPf") == KernelOrigin::Own);
    constexpr const char* kSoftmax =
        "_ZN43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_9f978f6320softmax_warp_forwardIfffEEvPT0_";
    CHECK(origin(kSoftmax, {"python3", "a.py"}, {kTorchFill}) == KernelOrigin::PyTorch);
    CHECK(origin(kSoftmax, {"./app"}) == KernelOrigin::Own);
}

TEST_CASE("a kernel that only PyTorch's own operators launch is a library's, whatever its name") {
    const auto launched = [](const char* symbol, std::vector<std::string> operators) {
        test::SyntheticProfile p(test::testDevice());
        p.launch(p.kernel(symbol, 32), {2}, {128}).durationUs(50);
        p.profile().kernels.front().symbol = symbol;
        for (std::string& op : operators)
            p.profile().callSites.push_back(
                {.kernel = 0, .file = "/app/mri.py", .line = 72, .op = std::move(op), .count = 1});
        return analyze(std::make_shared<const Profile>(p.build())).kernels.front().origin;
    };
    constexpr const char* kSvd = "_Z20gesvdbj_batch_32x16I6float2fEvl";
    CHECK(launched(kSvd, {"aten::_linalg_svd"}) == KernelOrigin::Library);
    CHECK(launched(kSvd, {"aten::_linalg_svd", "aten::linalg_qr"}) == KernelOrigin::Library);
    // A line of the program launches it, too; an operator that the program registered; not known.
    CHECK(launched(kSvd, {"aten::_linalg_svd", ""}) == KernelOrigin::Own);
    CHECK(launched(kSvd, {"mylib::svd"}) == KernelOrigin::Own);
    CHECK(launched(kSvd, {}) == KernelOrigin::Own);
    // A name that tells more keeps its meaning.
    CHECK(launched(kTorchFill, {"aten::fill_"}) == KernelOrigin::PyTorch);
    CHECK(launched("triton_poi_fused_gelu_0", {"aten::gelu"}) == KernelOrigin::Compiler);
}
