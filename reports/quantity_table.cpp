// SPDX-License-Identifier: Apache-2.0
#include "reports/quantity_table.h"

#include <cmath>

namespace roofscope {

namespace {

class Table {
public:
    template <class Tag>
    void add(const char* key, const Derived<Quantity<Tag>>& derived) {
        put(key, derived.has() ? std::optional(derived->value) : std::nullopt, derived.missing);
    }
    void add(const char* key, const Derived<double>& derived) {
        put(key, derived.value, derived.missing);
    }
    void put(const char* key, std::optional<double> value, const std::string& missing) {
        if (value && !std::isfinite(*value)) value.reset();
        entries.push_back({.key = key, .value = value, .missing = value ? std::string() : missing});
    }
    std::vector<QuantityEntry> entries;
};

void addCoalescing(Table& table, const CoalescingScreen& screen,
                   const std::array<const char*, 6>& keys) {
    table.add(keys[0], screen.requested);
    table.add(keys[1], screen.sectors);
    table.add(keys[2], screen.requests);
    table.add(keys[3], screen.efficiency);
    table.add(keys[4], screen.sectorsPerRequest);
    table.add(keys[5], screen.certainExcess);
}

void addConflicts(Table& table, const ConflictScreen& screen,
                  const std::array<const char*, 7>& keys) {
    table.add(keys[0], screen.wavefronts);
    table.add(keys[1], screen.instructions);
    table.add(keys[2], screen.idealLow);
    table.add(keys[3], screen.idealHigh);
    table.add(keys[4], screen.excessCertain);
    table.add(keys[5], screen.excessPossible);
    table.add(keys[6], screen.degree);
}

void addTensor(Table& table, const Quantities& q, TensorType type, const char* operations,
               const char* rate) {
    for (const TensorWork& work : q.tensor) {
        if (work.type != type) continue;
        table.add(operations, work.operations);
        table.add(rate, work.rate);
        return;
    }
    for (const char* key : {operations, rate}) {
        table.put(key, std::nullopt, q.tensorMissing[type]);
        table.entries.back().notAsked = q.tensor.empty();
    }
}

}  // namespace

double toNs(double seconds) { return std::round(seconds * 1e12) / 1e3; }

std::vector<QuantityEntry> quantityTable(const Quantities& q) {
    Table t;
    t.add("dram_bytes", q.bytes[Level::Dram]);
    t.add("dram_read_bytes", q.dramRead);
    t.add("dram_write_bytes", q.dramWrite);
    t.add("l2_bytes", q.bytes[Level::L2]);
    t.add("l1_bytes", q.bytes[Level::L1]);
    t.add("shared_bytes", q.bytes[Level::Shared]);
    t.add("local_bytes", q.localBytes);
    t.add("dram_bytes_per_s", q.bandwidth[Level::Dram]);
    t.add("l2_bytes_per_s", q.bandwidth[Level::L2]);
    t.add("l1_bytes_per_s", q.bandwidth[Level::L1]);
    t.add("shared_bytes_per_s", q.bandwidth[Level::Shared]);
    t.add("dram_utilisation_ratio", q.utilisation[Level::Dram]);
    t.add("dram_attainable_ratio", q.dramAttainable);
    t.add("l2_utilisation_ratio", q.utilisation[Level::L2]);
    t.add("l1_utilisation_ratio", q.utilisation[Level::L1]);
    t.add("shared_utilisation_ratio", q.utilisation[Level::Shared]);
    t.add("fp64_flops", q.flops[Precision::Fp64]);
    t.add("fp32_flops", q.flops[Precision::Fp32]);
    t.add("fp16_flops_upper_bound", q.flops[Precision::Fp16]);
    t.add("fp64_flops_per_s", q.flopRate[Precision::Fp64]);
    t.add("fp32_flops_per_s", q.flopRate[Precision::Fp32]);
    t.add("fp16_flops_per_s_upper_bound", q.flopRate[Precision::Fp16]);
    t.add("fp64_utilisation_ratio", q.computeUtilisation[Precision::Fp64]);
    t.add("fp32_utilisation_ratio", q.computeUtilisation[Precision::Fp32]);
    t.add("fp16_utilisation_ratio", q.computeUtilisation[Precision::Fp16]);
    t.add("fp64_dram_flops_per_byte", q.intensity[Precision::Fp64][Level::Dram]);
    t.add("fp32_dram_flops_per_byte", q.intensity[Precision::Fp32][Level::Dram]);
    t.add("fp32_l2_flops_per_byte", q.intensity[Precision::Fp32][Level::L2]);
    t.add("fp32_l1_flops_per_byte", q.intensity[Precision::Fp32][Level::L1]);
    t.add("lsu_pipe_utilisation_ratio", q.sharedPipeUtilisation);
    t.add("tensor_pipe_utilisation_ratio", q.tensorUtilisation);
    addTensor(t, q, TensorType::Fp64, "tensor_fp64_ops", "tensor_fp64_ops_per_s");
    addTensor(t, q, TensorType::Tf32, "tensor_tf32_ops", "tensor_tf32_ops_per_s");
    addTensor(t, q, TensorType::Bf16, "tensor_bf16_ops", "tensor_bf16_ops_per_s");
    addTensor(t, q, TensorType::Fp16, "tensor_fp16_ops", "tensor_fp16_ops_per_s");
    addTensor(t, q, TensorType::Fp8, "tensor_fp8_ops", "tensor_fp8_ops_per_s");
    addTensor(t, q, TensorType::Int8, "tensor_int8_ops", "tensor_int8_ops_per_s");
    addTensor(t, q, TensorType::Fp4, "tensor_fp4_ops", "tensor_fp4_ops_per_s");
    t.add("issue_utilisation_ratio", q.issueUtilisation);
    addCoalescing(t, q.loads,
                  {"global_load_requested_bytes", "global_load_sectors", "global_load_requests",
                   "global_load_efficiency_ratio", "global_load_sectors_per_request",
                   "global_load_certain_excess_sectors"});
    addCoalescing(t, q.stores,
                  {"global_store_requested_bytes", "global_store_sectors", "global_store_requests",
                   "global_store_efficiency_ratio", "global_store_sectors_per_request",
                   "global_store_certain_excess_sectors"});
    t.add("global_narrow_certain_ratio", q.widths.globalNarrowCertain);
    addConflicts(t, q.shared,
                 {"shared_wavefronts", "shared_instructions", "shared_ideal_wavefronts_low",
                  "shared_ideal_wavefronts_high", "shared_excess_certain_ratio",
                  "shared_excess_possible_ratio", "shared_conflict_degree"});
    t.add("resident_blocks_per_sm", q.occupancy.residentBlocksPerSm);
    t.add("occupancy_theoretical_ratio", q.occupancy.theoretical);
    t.add("occupancy_achieved_ratio", q.occupancy.achieved);
    t.add("waves", q.occupancy.waves);
    t.add("wave_efficiency_ratio", q.occupancy.waveEfficiency);
    t.add("active_lanes_ratio", q.activeLanes);
    t.add("sm_imbalance_ratio", q.smImbalance);
    t.add("sm_clock_hz", q.smClock);
    t.add("dram_clock_hz", q.dramClock);
    t.add("stated_bytes", q.statedBytes);
    t.add("effective_bytes_per_s", q.effectiveBandwidth);
    t.add("effective_ratio", q.effectiveShare);
    t.put("counter_run_duration_ns",
          q.counterDuration.has() ? std::optional(toNs(q.counterDuration->value)) : std::nullopt,
          q.counterDuration.missing);
    return std::move(t.entries);
}

}  // namespace roofscope
