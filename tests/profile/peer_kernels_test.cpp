// SPDX-License-Identifier: Apache-2.0
#include "profile/names/peer_kernels.h"
#include "tests/support/catch.h"

using roofscope::waitsForPeers;

TEST_CASE("kernels of NCCL and NVSHMEM are known by their symbols") {
    for (const char* symbol :
         {"_Z40ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE",
          "ncclDevKernel_SendRecv", "ncclKernel_AllReduce_RING_LL_Sum_int8_t",
          "_Z30ncclKernel_SendRecv_RING_SIMPLE11ncclDevCommm8ncclWork",
          "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          "ncclAllReduceRingLLKernel_sum_f32", "ncclSymkDevKernel_AllReduce_AGxLL_R_sum_f32",
          "_ZL41ncclDevKernel_AllReduce_Sum_bf16_TREE_LL4096", "nvshmemi_barrier_all_kernel",
          "_Z38nvshmemi_proxy_quiet_kernel_on_streamv", "nvshmemx_barrier_on_stream_kernel"}) {
        INFO(symbol);
        CHECK(waitsForPeers(symbol));
    }
}

TEST_CASE("other kernels are not taken for them") {
    for (const char* symbol :
         {"", "_Z", "_ZN", "nccl", "ncclient_sort", "nvshmem", "_Z4nccl", "my_ncclDevKernel_like",
          "_Z12fill_for_ncclPfi", "_Z9saxpyKernfPfS_", "deep_ep::intranode::dispatch",
          "_ZN7deep_ep9intranode8dispatchEv", "barrier_kernel", "allreduce_two_shot",
          // The program's own template over an NCCL type.
          "_Z3addI14ncclDataType_tEvPT_", "_Z99999999999999999999nccl", "_Z3", "triton_red_fused",
          "_ZN2at6native18elementwise_kernelILi128ELi4EEEvi"}) {
        INFO(symbol);
        CHECK_FALSE(waitsForPeers(symbol));
    }
}
