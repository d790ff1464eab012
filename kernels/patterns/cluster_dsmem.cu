// SPDX-License-Identifier: Apache-2.0
//
// A cluster launch: blocks that read each other's shared memory.
//
// What this rung does: `cluster` neighbouring blocks form a cluster. Each puts 256 values into its
// shared memory; then every block sums element i of all blocks of its cluster, its own first, and
// writes the sums. Values move from block to block without global memory.
//
// The fault: none.
//
// Where it shows: global stores, shared stores and additions are exact. A load from another block's
// shared memory is a generic load. It is not known for certain which counters include these, so no
// answer is given for loads.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cmath>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"
#include "kernels/patterns/required_code.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kComputeCapability = 90;
constexpr int kThreads = 256, kWarps = kThreads / 32;
/// Supported by every GPU with clusters.
constexpr int kMaxCluster = 8;

__global__ void __launch_bounds__(kThreads)
    clusterSum(const float* __restrict__ in, float* __restrict__ out) {
#if __CUDA_ARCH__ >= 900
    __shared__ float tile[kThreads];
    const std::size_t thread = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned blocks = cluster.num_blocks(), rank = cluster.block_rank();
    tile[threadIdx.x] = in[thread];
    cluster.sync();
    float sum = 0.0F;
    for (unsigned i = 0; i < blocks; ++i)
        sum += *cluster.map_shared_rank(&tile[threadIdx.x], (rank + i) % blocks);
    out[thread] = sum;
    cluster.sync();  // a block must not end while others read its tile
#else
    __trap();  // requireCode() has refused this
#endif
}

void launchClusters(unsigned blocks, unsigned cluster, const float* in, float* out, Stream stream) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(kThreads);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    require(cudaLaunchKernelEx(&config, clusterSum, in, out), "launching patterns/cluster_dsmem");
}

Case clusterCase(std::int64_t blocks, std::int64_t cluster) {
    return {.shape = {{"blocks", blocks}, {"cluster", cluster}}, .dtype = DType::F32};
}
/// 32 blocks for each of 132 SMs.
std::vector<Case> cases() {
    std::vector<Case> list;
    for (const int cluster : {4, 2, 8}) list.push_back(clusterCase(132 * 32, cluster));
    return list;
}
std::vector<Case> verifyCases() {
    return {clusterCase(264, 4), clusterCase(6, 2), clusterCase(8, 8), clusterCase(1, 1)};
}
std::string refusal(const Case& c) {
    const std::string text =
        firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "blocks", 1, 1 << 20),
                refuseOutside(c, "cluster", 1, kMaxCluster));
    if (!text.empty()) return text;
    const std::int64_t cluster = c.shape.at("cluster");
    if ((cluster & (cluster - 1)) != 0) return "cluster must be a power of two: 1, 2, 4 or 8";
    return refuseUnlessMultiple(c, "blocks", cluster);
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    requireCode(clusterSum, kComputeCapability);
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    const auto cluster = static_cast<unsigned>(c.shape.at("cluster"));
    const std::size_t threads = std::size_t{blocks} * kThreads;
    return makeArrayInstance<float, float>({
        .input = RandomValues(seed, 1).floats(threads, 0.5F, 1.0F),
        .outputCount = threads,
        .launch = [=](const float* in, float* out,
                      Stream stream) { launchClusters(blocks, cluster, in, out, stream); },
        .reference =
            [=](const std::vector<float>& in) {
                std::vector<double> out(threads);
                for (std::size_t i = 0; i < threads; ++i) {
                    const std::size_t first = i / kThreads / cluster * cluster;
                    for (std::size_t block = first; block < first + cluster; ++block)
                        out[i] += in[block * kThreads + i % kThreads];
                }
                return out;
            },
        .tolerance = 1e-5,
        .minimumBytes = 8.0 * static_cast<double>(threads),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto blocks = static_cast<double>(c.shape.at("blocks"));
    const auto cluster = static_cast<double>(c.shape.at("cluster"));
    return {{counter::kGlobalStores, kWarps * blocks, 0, "8 · blocks"},
            {counter::kGlobalStoreBytes, 4 * kThreads * blocks, 0, "4 · 256 · blocks"},
            {counter::kGlobalStoreSectors, kThreads / 8 * blocks, 0, "32 · blocks"},
            {counter::kSharedStores, kWarps * blocks, 0, "8 · blocks"},
            {counter::kSharedStoreWavefronts, kWarps * blocks, 0, "8 · blocks, no conflict"},
            {counter::kFp32Add, kThreads * blocks * cluster, 0, "256 · blocks · cluster"},
            {counter::kLocalSectors, 0, 0, "none"}};
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_cluster_dsmem;
const Rung patterns_cluster_dsmem{
    .family = "patterns",
    .name = "cluster_dsmem",
    .order = 24,
    .summary = "clusters of blocks that read each other's shared memory",
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
