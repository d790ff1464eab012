// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "analyzer/source/producers.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope {

/// Where the addresses of uncoalesced accesses come from, in sectors beyond the ideal, for the
/// launch of the source pass. Together they are all of these sectors.
struct AddressKinds {
    double computed = 0;  ///< from thread and block indices, counters and arguments
    double placed = 0;    ///< of loads: from a position that was rounded to an integer, and no load
    double indexed = 0;   ///< from a value that each lane loaded: "x[index[i]]"
    /// From a place that each lane loaded and goes on from in a loop: a row that it walks along.
    double walked = 0;
    /// Of loads: from a comparison with what the same load, or another of its kind, loaded before:
    /// a binary search, a tree.
    double searched = 0;
};

/// Whether an address of the access of `row` follows from what each lane loaded. A value that is
/// the same for all lanes is a pointer or an offset.
[[nodiscard]] bool followsFromLanes(const Dataflow::Address& address, std::size_t row,
                                    const SourceAnalysis& source);

/// For the instructions of these kinds. All zero without machine code.
[[nodiscard]] AddressKinds addressKinds(const Profile& profile, const SourceAnalysis& source,
                                        std::span<const SassKind> kinds);

}  // namespace roofscope
