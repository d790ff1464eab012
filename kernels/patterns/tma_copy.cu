// SPDX-License-Identifier: Apache-2.0
//
// A copy through the tensor memory accelerator (bulk asynchronous copies).
//
// What this rung does: one thread per block tells the accelerator to load pieces of 16 KiB into
// shared memory and to store them again; a barrier in shared memory tells when a piece has arrived.
// A block has six pieces in flight and takes every gridDim-th piece; two blocks share an SM. No
// thread touches the data.
//
// The fault: none. One active lane of 32 is right here: the others have nothing to do.
//
// Where it shows: the counters of global loads and stores are 0 although the DRAM is near its roof,
// because bulk copies bypass them.
#include <cuda_runtime.h>

#include <cmath>

#include "kernels/counters.h"
#include "kernels/dram_expectation.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"
#include "kernels/patterns/required_code.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kComputeCapability = 90;
constexpr int kThreads = 32, kBlocksPerSm = 2;
/// Bulk copies need sizes and addresses that are multiples of 16 bytes.
constexpr int kGranule = 16;
constexpr std::uint32_t kPieceBytes = 16384;
constexpr int kStages = 6;
/// How many of a block's stores may still be reading their stage when the next load is queued: that
/// load reuses the stage of the store this many pieces ago.
constexpr int kWritesInFlight = 2;
static_assert(kWritesInFlight < kStages);
constexpr std::size_t kSharedBytes = kStages * std::size_t{kPieceBytes};

#if __CUDA_ARCH__ >= 900
__device__ inline std::uint32_t sharedAddress(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}
/// A barrier that awaits the arrival of one thread and of bytes.
__device__ inline void initBarrier(std::uint64_t& barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&barrier)));
}
/// Makes this thread's writes to shared memory (the barriers) visible to the accelerator.
__device__ inline void publishBarriers() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Waits for the end of the phase with this parity.
__device__ inline void awaitPhase(std::uint64_t& barrier, std::uint32_t parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(sharedAddress(&barrier)),
        "r"(parity)
        : "memory");
}
/// Queues a copy into shared memory, whose bytes `barrier` awaits.
__device__ inline void load(void* shared, const void* global, std::uint32_t bytes,
                            std::uint64_t& barrier) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(&barrier)),
        "r"(bytes)
        : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(sharedAddress(shared)),
        "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(sharedAddress(&barrier))
        : "memory");
}
/// Queues a copy out of shared memory as a separate group.
__device__ inline void store(void* global, const void* shared, std::uint32_t bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(global)),
                 "r"(sharedAddress(shared)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until all stores but the last `Pending` have read their stage.
template <int Pending>
__device__ inline void awaitReads() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
#endif

__global__ void __launch_bounds__(kThreads)
    tmaCopy(const std::uint8_t* __restrict__ in, std::uint8_t* __restrict__ out,
            std::size_t bytes) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) std::uint8_t stages[];
    __shared__ std::uint64_t arrived[kStages];
    if (threadIdx.x != 0) return;
    for (std::uint64_t& barrier : arrived) initBarrier(barrier);
    publishBarriers();

    const std::size_t stride = std::size_t{gridDim.x} * kPieceBytes;
    const std::size_t first = std::size_t{blockIdx.x} * kPieceBytes;
    const auto pieceBytes = [=](std::size_t at) {
        return static_cast<std::uint32_t>(bytes - at < kPieceBytes ? bytes - at : kPieceBytes);
    };
    std::size_t loadAt = first;
    for (int stage = 0; stage < kStages && loadAt < bytes; ++stage, loadAt += stride)
        load(stages + stage * kPieceBytes, in + loadAt, pieceBytes(loadAt), arrived[stage]);

    int stage = 0, reloaded = 0, written = 0;
    std::uint32_t parity = 0;
    for (std::size_t at = first; at < bytes; at += stride) {
        awaitPhase(arrived[stage], parity);
        store(out + at, stages + stage * kPieceBytes, pieceBytes(at));
        if (++stage == kStages) {
            stage = 0;
            parity ^= 1;
        }
        if (++written > kWritesInFlight && loadAt < bytes) {
            awaitReads<kWritesInFlight>();
            load(stages + reloaded * kPieceBytes, in + loadAt, pieceBytes(loadAt),
                 arrived[reloaded]);
            loadAt += stride;
            reloaded = reloaded + 1 == kStages ? 0 : reloaded + 1;
        }
    }
    awaitReads<0>();  // shared memory must live until it has been read
#else
    __trap();  // requireCode() has refused this
#endif
}

/// 256 MiB, five times the L2 of an H200, so that DRAM traffic is known.
std::vector<Case> cases() {
    return {{.shape = {{"bytes", std::int64_t{1} << 28}}, .dtype = DType::U8}};
}
/// The last case is more than twice the stages of all blocks on 132 SMs, so that each stage is
/// reused.
std::vector<Case> verifyCases() {
    std::vector<Case> list;
    for (const std::int64_t granules : {1, 1024, 1025, 99'991, 3'500'001})
        list.push_back({.shape = {{"bytes", granules * kGranule}}, .dtype = DType::U8});
    return list;
}
std::string refusal(const Case& c) {
    return firstOf(refuseOtherTypes(c, DType::U8),
                   refuseOutside(c, "bytes", 1, std::int64_t{1} << 34),
                   refuseUnlessMultiple(c, "bytes", kGranule));
}

/// Two blocks per SM of the current GPU, or fewer if there is less to copy.
unsigned blocksFor(std::size_t bytes) {
    int device = 0, sms = 0;
    require(cudaGetDevice(&device), "querying the current GPU");
    require(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device),
            "counting the SMs");
    const std::size_t pieces = (bytes + kPieceBytes - 1) / kPieceBytes;
    return static_cast<unsigned>(std::min(pieces, kBlocksPerSm * static_cast<std::size_t>(sms)));
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    requireCode(tmaCopy, kComputeCapability);
    const auto bytes = static_cast<std::size_t>(c.shape.at("bytes"));
    const unsigned blocks = blocksFor(bytes);
    require(cudaFuncSetAttribute(tmaCopy, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(kSharedBytes)),
            "reserving 96 KiB of shared memory per block");
    require(cudaFuncSetAttribute(tmaCopy, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 cudaSharedmemCarveoutMaxShared),
            "maximising the shared-memory carve-out");
    return makeArrayInstance<std::uint8_t, std::uint8_t>({
        .input = RandomValues(seed, 1).bytes(bytes),
        .outputCount = bytes,
        .launch =
            [=](const std::uint8_t* in, std::uint8_t* out, Stream stream) {
                tmaCopy<<<blocks, kThreads, kSharedBytes, stream>>>(in, out, bytes);
                requireLaunched("patterns/tma_copy");
            },
        .reference =
            [](const std::vector<std::uint8_t>& in) {
                return std::vector<double>(in.begin(), in.end());
            },
        .minimumBytes = 2.0 * static_cast<double>(bytes),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto bytes = static_cast<double>(c.shape.at("bytes"));
    std::vector<Expectation> list;
    for (const char* name :
         {counter::kGlobalLoads, counter::kGlobalStores, counter::kGlobalLoadBytes,
          counter::kGlobalStoreBytes, counter::kGlobalLoadSectors, counter::kGlobalStoreSectors})
        list.push_back({name, 0, 0, "none: this counter does not include bulk copies"});
    list.push_back({counter::kLocalBytes, 0, 0, "none"});
    expectDram(list, bytes, bytes, "bytes", "bytes");
    return list;
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_tma_copy;
const Rung patterns_tma_copy{
    .family = "patterns",
    .name = "tma_copy",
    .order = 25,
    .summary = "copy through the tensor memory accelerator: near the DRAM roof",
    .fault = "",
    .minComputeCapability = patterns::kComputeCapability,
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
