// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace roofscope::test {

/// The fake driver's graph: a chain of kernels, graphs, and graphs that run as often as the GPU
/// decides.
struct FakeGraph {
    struct Node {
        enum class Kind { Kernel, Graph, Conditional };
        Node(const char* symbol) : symbol(symbol) {}                         // NOLINT(*-explicit-*)
        Node(FakeGraph graph, Kind kind = Kind::Graph, unsigned times = 1);  // NOLINT(*-explicit-*)
        Kind kind = Kind::Kernel;
        const char* symbol = "";
        std::shared_ptr<FakeGraph> inner;
        unsigned times = 1;    ///< how often a conditional node runs
        unsigned cluster = 0;  ///< blocks per cluster; 0: not set
        bool enabled = true;
        Node* before = nullptr;  ///< the previous node of its graph; null for the first
        [[nodiscard]] unsigned blocks() const { return std::string_view(symbol).size(); }
    };
    FakeGraph(std::vector<Node> chain);  // NOLINT(*-explicit-*)
    FakeGraph(const FakeGraph& other) : FakeGraph(other.nodes) {}
    FakeGraph& operator=(const FakeGraph&) = delete;
    std::vector<Node> nodes;
    /// Calls `kernel` for each kernel that a launch runs, with its blocks: the length of its
    /// symbol.
    void run(const std::function<void(unsigned)>& kernel) const;
};

inline FakeGraph::Node::Node(FakeGraph graph, Kind kind, unsigned times)
    : kind(kind), inner(std::make_shared<FakeGraph>(std::move(graph))), times(times) {}

inline FakeGraph::FakeGraph(std::vector<Node> chain) : nodes(std::move(chain)) {
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].before = i ? &nodes[i - 1] : nullptr;
}

inline void FakeGraph::run(const std::function<void(unsigned)>& kernel) const {
    for (const Node& node : nodes) {
        if (!node.enabled) continue;
        if (!node.inner) kernel(node.blocks());
        for (unsigned i = 0; node.inner && i < node.times; ++i) node.inner->run(kernel);
    }
}

}  // namespace roofscope::test
