// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/atomic_share.h"

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"

namespace roofscope::rules {

std::optional<double> atomicShareOfAccesses(const RuleInput& input) {
    const auto sums = jointSums(input, {counter::kGlobalInstructions, counter::kGlobalLoads,
                                        counter::kGlobalStores, counter::kAsyncCopies});
    if (sums.ok() && sums[0] > 0) return (sums[0] - sums[1] - sums[2] - sums[3]) / sums[0];
    const auto sectors = jointSums(
        input, {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", counter::kGlobalSectors});
    if (!sectors.ok() || !(sectors[2] > 0)) return std::nullopt;
    return (sectors[0] + sectors[1]) / sectors[2];
}

}  // namespace roofscope::rules
