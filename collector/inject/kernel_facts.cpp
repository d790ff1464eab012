// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/kernel_facts.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace roofscope::inject {
namespace {

std::optional<std::uint32_t> attribute(const DriverApi& driver, CUfunction function,
                                       CUfunction_attribute which) {
    int value = 0;
    if (driver.cuFuncGetAttribute(&value, which, function) != CUDA_SUCCESS || value < 0) return {};
    return static_cast<std::uint32_t>(value);
}

using Dependencies = std::unordered_map<CUgraphNode, std::vector<CUgraphNode>>;

/// Whether `node` runs after `earlier`, through whatever lies between.
bool runsAfter(CUgraphNode node, CUgraphNode earlier, const Dependencies& dependencies) {
    std::vector<CUgraphNode> open{node};
    std::unordered_set<CUgraphNode> seen;
    while (!open.empty()) {
        const CUgraphNode next = open.back();
        open.pop_back();
        const auto it = dependencies.find(next);
        if (it == dependencies.end()) continue;
        for (const CUgraphNode before : it->second) {
            if (before == earlier) return true;
            if (seen.insert(before).second) open.push_back(before);
        }
    }
    return false;
}

/// Every kernel waits for the one before it: only then is their order known.
bool isChain(const std::vector<CUgraphNode>& kernels, const Dependencies& dependencies) {
    for (std::size_t i = 1; i < kernels.size(); ++i)
        if (!runsAfter(kernels[i], kernels[i - 1], dependencies)) return false;
    return true;
}

/// Equal kernels may run in any order: their labels are the same.
bool allEqual(const std::vector<LaunchRequest>& kernels) {
    return std::all_of(kernels.begin(), kernels.end(), [&](const LaunchRequest& k) {
        const LaunchRequest& first = kernels.front();
        return k.function == first.function && k.grid == first.grid && k.block == first.block &&
               k.dynamicSharedBytes == first.dynamicSharedBytes;
    });
}

LaunchRequest fromNode(const CUDA_KERNEL_NODE_PARAMS& params) {
    LaunchRequest request;
    request.function = params.func ? params.func : reinterpret_cast<CUfunction>(params.kern);
    request.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
    request.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
    request.dynamicSharedBytes = params.sharedMemBytes;
    return request;
}

}  // namespace

std::string demangle(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? std::string(text.get()) : symbol;
}

CUfunction realFunction(const DriverApi& driver, CUfunction function) {
    int value = 0;
    if (driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function) == CUDA_SUCCESS)
        return function;
    CUfunction resolved = nullptr;
    if (driver.cuKernelGetFunction(&resolved, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS)
        return resolved;
    return function;
}

Kernel kernelFacts(const DriverApi& driver, const LaunchRequest& request) {
    Kernel kernel;
    const CUfunction function = realFunction(driver, request.function);
    kernel.symbol = request.symbol;
    if (const char* name = nullptr;
        kernel.symbol.empty() && driver.cuFuncGetName(&name, function) == CUDA_SUCCESS && name)
        kernel.symbol = name;
    if (kernel.symbol.empty()) kernel.symbol = "(unnamed kernel)";
    kernel.name = demangle(kernel.symbol);
    kernel.registersPerThread = attribute(driver, function, CU_FUNC_ATTRIBUTE_NUM_REGS);
    kernel.staticSharedBytes = attribute(driver, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    kernel.localBytesPerThread = attribute(driver, function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    kernel.maxThreadsPerBlock =
        attribute(driver, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    kernel.ptxVersion = attribute(driver, function, CU_FUNC_ATTRIBUTE_PTX_VERSION);
    kernel.binaryVersion = attribute(driver, function, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    return kernel;
}

std::optional<std::uint32_t> residentBlocks(const DriverApi& driver, const LaunchRequest& request) {
    int blocks = 0;
    const CUfunction function = realFunction(driver, request.function);
    if (driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, static_cast<int>(request.block.total()),
            request.dynamicSharedBytes) != CUDA_SUCCESS ||
        blocks <= 0)
        return {};
    return static_cast<std::uint32_t>(blocks);
}

std::optional<Dim3> compiledCluster(const DriverApi& driver, CUfunction function) {
    const CUfunction real = realFunction(driver, function);
    const auto x = attribute(driver, real, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
    const auto y = attribute(driver, real, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
    const auto z = attribute(driver, real, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
    if (!x || !y || !z || *x == 0 || *y == 0 || *z == 0) return {};
    return Dim3{*x, *y, *z};
}

void GraphKernels::change(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& params) {
    const auto it = std::find(nodes.begin(), nodes.end(), node);
    if (it == nodes.end()) {
        exact = false;
        return;
    }
    kernels[static_cast<std::size_t>(it - nodes.begin())] = fromNode(params);
}

GraphKernels graphKernels(const DriverApi& driver, CUgraph graph) {
    GraphKernels result;
    std::size_t count = 0;
    if (driver.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS || count == 0) return result;
    std::vector<CUgraphNode> nodes(count);
    if (driver.cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return result;
    nodes.resize(count);

    // Depth of each node = longest path from a root; a chain has one node per depth.
    Dependencies dependencies;
    for (const CUgraphNode node : nodes) {
        std::size_t n = 0;
        if (driver.cuGraphNodeGetDependencies(node, nullptr, nullptr, &n) != CUDA_SUCCESS) n = 0;
        std::vector<CUgraphNode> list(n);
        std::vector<CUgraphEdgeData> edges(n);
        if (n &&
            driver.cuGraphNodeGetDependencies(node, list.data(), edges.data(), &n) != CUDA_SUCCESS)
            result.exact = false;
        dependencies[node] = std::move(list);
    }
    std::unordered_map<CUgraphNode, std::size_t> depth;
    for (std::size_t round = 0, changed = 1; changed && round <= nodes.size(); ++round) {
        changed = 0;
        for (const CUgraphNode node : nodes)
            for (const CUgraphNode before : dependencies[node])
                if (depth[node] < depth[before] + 1) depth[node] = depth[before] + 1, changed = 1;
    }
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](CUgraphNode a, CUgraphNode b) { return depth[a] < depth[b]; });

    for (const CUgraphNode node : nodes) {
        CUgraphNodeType type{};
        if (driver.cuGraphNodeGetType(node, &type) != CUDA_SUCCESS) continue;
        if (type == CU_GRAPH_NODE_TYPE_GRAPH || type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
            result.exact = false;
        if (type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
        CUDA_KERNEL_NODE_PARAMS params{};
        if (driver.cuGraphKernelNodeGetParams(node, &params) != CUDA_SUCCESS) {
            result.exact = false;
            continue;
        }
        result.kernels.push_back(fromNode(params));
        result.nodes.push_back(node);
    }
    if (!isChain(result.nodes, dependencies) && !allEqual(result.kernels)) result.exact = false;
    return result;
}

}  // namespace roofscope::inject
