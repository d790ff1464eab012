// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "analyzer/model/analysis.h"
#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// Matrix-vector products of a library with one matrix, one after another, whose vectors do not
/// depend on the results before them. A product with many vectors reads the matrix once.
struct SameMatrix {
    /// How many products with each matrix were seen: by index into Analysis::kernels.
    std::map<std::uint32_t, std::size_t> vectors;
    /// Of some of these launches the buffers are not known, so that the matrices may differ.
    bool assumed = false;
};

/// Where the buffers of launches are known, the matrix must be the same and unchanged, and the
/// vector another one: copied from the host since the last product, or in an allocation that no
/// launch filled from a result. Where they are not known, launches of one shape must each directly
/// follow a copy from the host.
///
/// Not where a copy on the GPU comes between, and not where as many bytes come back to the host
/// as are then sent: the CPU may make the next vector from the result. Empty without any, without
/// recorded copies, and for several processes on one GPU.
[[nodiscard]] SameMatrix sameMatrixProducts(const Analysis& analysis, const LaneActivity& lane,
                                            const FoundWindow& window);

}  // namespace roofscope::program
