// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace roofscope::test {

/// What the stand-in for the driver takes for a graph: a chain of kernels, by their symbols.
struct FakeGraph {
    static constexpr std::size_t kMost = 8;
    /// In the place of a symbol: a node that is a graph itself.
    static constexpr const char* kNested = "(nested graph)";
    std::size_t count = 0;
    const char* beforeFirst = nullptr;  ///< tells the first node: the others follow a kernel
    const char* kernels[kMost] = {};
};

}  // namespace roofscope::test
