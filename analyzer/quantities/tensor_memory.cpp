// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/tensor_memory.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "analyzer/counters/group_sums.h"

namespace roofscope {

namespace {

/// Mean of a sum of counters over the launches that have all of them.
template <class T = double>
Derived<T> mean(const GroupSums& sums, std::initializer_list<std::string_view> counters,
                double scale = 1) {
    const auto joint = sums.joint(counters);
    if (!joint.ok()) return Derived<T>::absent(joint.missing);
    std::string how;
    double total = 0;
    std::size_t i = 0;
    for (const std::string_view counter : counters) {
        how += (how.empty() ? "" : " + ") + std::string(counter);
        total += joint.mean(i++);
    }
    return Derived<T>::of(T{scale * total}, how);
}

}  // namespace

std::optional<TensorMemoryUse> tensorMemoryUse(const Profile& profile, const LaunchGroup& group) {
    const GroupSums sums(profile.counters, group.launches);
    const auto instructions =
        sums.joint({"sm__inst_executed_pipe_tc.sum", "sm__inst_executed_pipe_tc_scope_2cta.sum"});
    if (!instructions.ok()) return std::nullopt;
    constexpr double kPercent = 0.01;  // CUPTI's pct counters run from 0 to 100
    return TensorMemoryUse{
        .instructions = instructions.mean(0),
        .ofPairs = instructions.mean(1),
        .active = mean<Ratio>(
            sums, {"sm__mem_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"}, kPercent),
        .reads = mean(sums, {"sm__mem_tensor_reads.sum"}),
        .loads = mean(sums, {"sm__mem_tensor_reads_op_ldt.sum"}),
        .accumulators = mean(sums, {"sm__mem_tensor_reads_op_utcmma_matrix_c.sum"}),
        .writes = mean(sums, {"sm__mem_tensor_writes.sum"}),
        .stores = mean(sums, {"sm__mem_tensor_writes_op_stt.sum"}),
        .copies = mean(sums, {"sm__mem_tensor_writes_op_utccp.sum"}),
        .results = mean(sums, {"sm__mem_tensor_writes_op_utcmma.sum"}),
        .operandsA =
            mean(sums, {"l1tex__data_pipe_tc_wavefronts_mem_shared_op_utcmma_matrix_a.sum"}),
        .operandsB = mean(
            sums, {"l1tex__data_pipe_tc_wavefronts_mem_shared_op_utcmma_matrix_b_scope_1cta.sum",
                   "l1tex__data_pipe_tc_wavefronts_mem_shared_op_utcmma_matrix_b_scope_2cta.sum"})};
}

}  // namespace roofscope
