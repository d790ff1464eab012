// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/graph_kernels.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace roofscope::inject {
namespace {

using Nodes = std::vector<CUgraphNode>;
using Dependencies = std::unordered_map<CUgraphNode, Nodes>;

/// Limit for nested graphs, so that a bug in the driver cannot overflow the stack.
constexpr int kDeepest = 32;

/// The nodes of a graph and of its child graphs, as if they were one graph.
struct Flat {
    Nodes nodes;
    Dependencies dependencies;
    bool complete = true;  ///< everything could be read

    void read(const DriverApi& driver, CUgraph graph, const Nodes& before, int depth = 0);
    void sort();
};

Nodes nodesOf(const DriverApi& driver, CUgraph graph, bool& complete) {
    std::size_t count = 0;
    if (driver.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS) complete = false, count = 0;
    Nodes nodes(count);
    if (count && driver.cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS)
        complete = false, count = 0;
    nodes.resize(count);
    return nodes;
}

Nodes dependenciesOf(const DriverApi& driver, CUgraphNode node, bool& complete) {
    std::size_t count = 0;
    if (driver.cuGraphNodeGetDependencies(node, nullptr, nullptr, &count) != CUDA_SUCCESS)
        complete = false, count = 0;
    Nodes list(count);
    std::vector<CUgraphEdgeData> edges(count);
    if (count &&
        driver.cuGraphNodeGetDependencies(node, list.data(), edges.data(), &count) != CUDA_SUCCESS)
        complete = false;
    return list;
}

/// Adds a graph whose first nodes run after those of `before`. A node that is itself a graph comes
/// after all the nodes of that graph, which are added as well.
void Flat::read(const DriverApi& driver, CUgraph graph, const Nodes& before, int depth) {
    for (const CUgraphNode node : nodesOf(driver, graph, complete)) {
        Nodes earlier = dependenciesOf(driver, node, complete);
        if (earlier.empty()) earlier = before;
        CUgraphNodeType type{};
        CUgraph child = nullptr;
        if (driver.cuGraphNodeGetType(node, &type) != CUDA_SUCCESS) complete = false;
        if (type == CU_GRAPH_NODE_TYPE_CONDITIONAL) complete = false;
        if (type == CU_GRAPH_NODE_TYPE_GRAPH) {
            const std::size_t first = nodes.size();
            if (depth < kDeepest &&
                driver.cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS)
                read(driver, child, earlier, depth + 1);
            else
                complete = false;
            earlier.insert(earlier.end(), nodes.begin() + static_cast<std::ptrdiff_t>(first),
                           nodes.end());
        }
        nodes.push_back(node);
        dependencies[node] = std::move(earlier);
    }
}

/// Sorts by depth, the longest path from a first node: a chain has one node per depth.
void Flat::sort() {
    std::unordered_map<CUgraphNode, std::size_t> depth;
    for (std::size_t round = 0, changed = 1; changed && round <= nodes.size(); ++round) {
        changed = 0;
        for (const CUgraphNode node : nodes)
            for (const CUgraphNode before : dependencies[node])
                if (depth[node] < depth[before] + 1) depth[node] = depth[before] + 1, changed = 1;
    }
    std::ranges::stable_sort(nodes, {}, [&](CUgraphNode node) { return depth[node]; });
}

/// Whether `node` runs after `earlier`, directly or through other nodes.
bool runsAfter(CUgraphNode node, CUgraphNode earlier, const Dependencies& dependencies) {
    Nodes open{node};
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

/// Whether two kernels are equal. The order of equal kernels does not matter: nothing tells them
/// apart.
bool equal(const LaunchRequest& a, const LaunchRequest& b) {
    return a.function == b.function && a.grid == b.grid && a.block == b.block &&
           a.cluster == b.cluster && a.dynamicSharedBytes == b.dynamicSharedBytes;
}

/// The cluster shape that was set for a node; absent if it has none of its own.
std::optional<Dim3> clusterOf(const DriverApi& driver, CUgraphNode node) {
    CUlaunchAttributeValue value{};
    if (driver.cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value) !=
            CUDA_SUCCESS ||
        value.clusterDim.x == 0)
        return std::nullopt;
    return Dim3{value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
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

GraphKernels::GraphKernels(const DriverApi& driver, CUgraph graph) {
    Flat flat;
    flat.read(driver, graph, {});
    flat.sort();
    m_complete = flat.complete;
    for (const CUgraphNode node : flat.nodes) {
        CUgraphNodeType type{};
        if (driver.cuGraphNodeGetType(node, &type) != CUDA_SUCCESS ||
            type != CU_GRAPH_NODE_TYPE_KERNEL)
            continue;
        CUDA_KERNEL_NODE_PARAMS params{};
        if (driver.cuGraphKernelNodeGetParams(node, &params) != CUDA_SUCCESS) {
            m_complete = false;
            continue;
        }
        m_kernels.push_back({.node = node, .request = fromNode(params)});
        m_kernels.back().request.cluster = clusterOf(driver, node);
    }
    bool chain = true, allEqual = true;
    for (std::size_t i = 1; i < m_kernels.size() && (chain || allEqual); ++i) {
        // The order is known only if every kernel waits for the one before it.
        chain = chain && runsAfter(m_kernels[i].node, m_kernels[i - 1].node, flat.dependencies);
        allEqual = allEqual && equal(m_kernels[i].request, m_kernels[0].request);
    }
    m_ordered = chain || allEqual;
}

std::vector<LaunchRequest> GraphKernels::launched() const {
    std::vector<LaunchRequest> list;
    for (const Node& kernel : m_kernels)
        if (kernel.enabled) list.push_back(kernel.request);
    return list;
}

void GraphKernels::update(GraphKernels updated) {
    // CUDA does not document what an update does to disabled nodes.
    if (!std::ranges::all_of(m_kernels, &Node::enabled)) updated.m_complete = false;
    if (updated.m_kernels.size() == m_kernels.size())
        for (std::size_t i = 0; i < m_kernels.size(); ++i)
            updated.m_kernels[i].node = m_kernels[i].node;
    *this = std::move(updated);
}

void GraphKernels::change(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& params) {
    const auto it = std::ranges::find(m_kernels, node, &Node::node);
    if (it == m_kernels.end()) return markUnknownChange();
    // New parameters leave a node's attributes as they are.
    const auto cluster = it->request.cluster;
    it->request = fromNode(params);
    it->request.cluster = cluster;
}

void GraphKernels::enable(CUgraphNode node, bool enabled) {
    const auto it = std::ranges::find(m_kernels, node, &Node::node);
    if (it != m_kernels.end()) it->enabled = enabled;
}

}  // namespace roofscope::inject
