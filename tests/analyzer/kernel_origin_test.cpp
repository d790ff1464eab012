// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kernel_origin.h"

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

KernelOrigin origin(const char* symbol, std::vector<std::string> command = {"./app"}) {
    Profile profile;
    profile.capture.command = std::move(command);
    return originOf(profile, Kernel{.name = symbol, .symbol = symbol});
}

}  // namespace

TEST_CASE("a library's kernel is known by what only its library is called") {
    CHECK(origin("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE") ==
          KernelOrigin::PyTorch);
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

TEST_CASE("what merely mentions a library is the program's own") {
    CHECK(origin("_Z11my_at_nativePf") == KernelOrigin::Own);
    CHECK(origin("_ZN4mine6kernelIN2at6native11FillFunctorIfEEEEvPf") == KernelOrigin::Own);
    // CUTLASS is used in source, too: such kernels have names of their own.
    CHECK(origin("_ZN7cutlass13device_kernelIN4mine4GemmEEEvNT_6ParamsE") == KernelOrigin::Own);
    CHECK(origin("saxpy") == KernelOrigin::Own);
}

TEST_CASE("Triton's kernels are known by plain names in Python, Inductor's by theirs") {
    CHECK(origin("_softmax", {"/usr/bin/python3.12", "train.py"}) == KernelOrigin::Triton);
    CHECK(origin("_softmax", {"torchrun", "train.py"}) == KernelOrigin::Triton);
    CHECK(origin("_softmax", {"./serve"}) == KernelOrigin::Own);
    CHECK(origin("_Z7softmaxPf", {"python3", "train.py"}) == KernelOrigin::Own);
    CHECK(origin("triton_poi_fused_gelu_0", {"python3", "train.py"}) == KernelOrigin::Compiler);
}
