// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/catalog.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/language/sentence.h"
#include "analyzer/roofline/resources.h"

namespace roofscope {

namespace {

using Of = const QuantityOf&;

QuantityValue finite(std::optional<double> value, SharedText missing, SharedText how) {
    if (value && !std::isfinite(*value)) value.reset();
    return {value, value ? SharedText() : missing, how};
}

QuantityValue valueOf(const Derived<double>& derived) {
    return finite(derived.value, derived.missing, derived.how);
}
template <class Tag>
QuantityValue valueOf(const Derived<Quantity<Tag>>& derived) {
    return finite(derived.has() ? std::optional(derived->value) : std::nullopt, derived.missing,
                  derived.how);
}
template <class T>
QuantityValue known(const std::optional<T>& value) {
    if (!value) return {std::nullopt, "attributes of the function", {}};
    return {static_cast<double>(*value), {}, {}};
}

QuantityValue durationOf(Of of) {
    const DurationStats& duration = of.quantities.duration;
    if (duration.count == 0) return {std::nullopt, counter::kDuration, {}};
    return {duration.median.value, {}, {}};
}

/// An upper bound that includes conversions and constants. No value where it says nothing about the
/// kernel's own arithmetic.
template <class T>
QuantityValue fp16(Of of, const PerPrecision<Derived<T>>& values) {
    const Derived<T>& half = values[Precision::Fp16];
    return fp16CanMatter(of.quantities) || !half.has() ? valueOf(half) : QuantityValue{};
}

/// Wavefronts / highest ideal is a lower bound of the conflicts; below 1 it says nothing.
QuantityValue degree(Of of) {
    QuantityValue value = valueOf(of.quantities.shared.degree);
    if (value.value) value.value = std::max(1.0, *value.value);
    return value;
}

template <TensorType type>
QuantityValue tensor(Of of, auto part) {
    for (const TensorWork& work : of.quantities.tensor)
        if (work.type == type) return valueOf(work.*part);
    return {std::nullopt, of.quantities.tensorMissing[type], {}};
}

template <TensorType type>
QuantityEntry tensorEntry(const char* key) {
    const std::string name = toString(type);
    return {.key = key,
            .label = wordsOf("{} operations of tensor cores", name),
            .get = [](Of of) { return tensor<type>(of, &TensorWork::operations); },
            .uses = {.compared = true},
            .group = CounterGroup::Tensor};
}

template <TensorType type>
QuantityEntry tensorRateEntry(const char* key) {
    const std::string name = toString(type);
    return {.key = key,
            .label = wordsOf("{} rate of tensor cores", name),
            .unit = Unit::FlopsPerSecond,
            .get = [](Of of) { return tensor<type>(of, &TensorWork::rate); },
            .stability = Stability::Time,
            .group = CounterGroup::Tensor};
}

using enum Stability;
constexpr QuantityUses kListed{}, kCompared{.compared = true},
    kBusy{.compared = true, .busy = true}, kJudged{.compared = true, .gate = GateUse::Judged},
    kLimit{.compared = true, .gate = GateUse::Limit},
    kNotListed{.listed = false, .compared = true, .gate = GateUse::Judged},
    kOnRequest{.listed = false, .compared = true, .gate = GateUse::OnRequest},
    kGateOnly{.listed = false, .gate = GateUse::Judged},
    kLimitOnly{.listed = false, .gate = GateUse::Limit};

}  // namespace

std::span<const QuantityEntry> catalog() {
    // clang-format off
    static const std::vector<QuantityEntry> kAll{
        {"duration_ns", Words("duration"), Unit::Seconds,
         [](Of of) { return durationOf(of); }, Time, kGateOnly},
        {"dram_bytes", Words("DRAM bytes"), Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.bytes[Level::Dram]); }, Banded, kListed},
        {"dram_read_bytes", Words("DRAM bytes read"), Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.dramRead); }, Banded, kJudged},
        {"dram_write_bytes", Words("DRAM bytes written"), Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.dramWrite); }, Banded, kJudged},
        {"l2_bytes", Words("L2 bytes"), Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.bytes[Level::L2]); }, Banded, kCompared},
        {"l1_bytes", Words("L1 bytes"), Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.bytes[Level::L1]); }, Exact, kCompared},
        {"shared_bytes", Words("shared-memory bytes"), Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.bytes[Level::Shared]); }, Exact, kListed},
        {"local_bytes", Words("local-memory bytes"), Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.localBytes); }, Exact, kListed},
        {"dram_bytes_per_s", Words("DRAM bandwidth"), Unit::BytesPerSecond,
         [](Of of) { return valueOf(of.quantities.bandwidth[Level::Dram]); }, Time, kListed},
        {"l2_bytes_per_s", Words("L2 bandwidth"), Unit::BytesPerSecond,
         [](Of of) { return valueOf(of.quantities.bandwidth[Level::L2]); }, Time, kListed},
        {"l1_bytes_per_s", Words("L1 bandwidth"), Unit::BytesPerSecond,
         [](Of of) { return valueOf(of.quantities.bandwidth[Level::L1]); }, Time, kListed},
        {"shared_bytes_per_s", Words("shared-memory bandwidth"), Unit::BytesPerSecond,
         [](Of of) { return valueOf(of.quantities.bandwidth[Level::Shared]); }, Time, kListed},
        {"dram_utilisation_ratio", Words::lasting("DRAM"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.utilisation[Level::Dram]); }, Time, kBusy},
        {"dram_attainable_ratio", Words("attainable share of the DRAM roof"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.dramAttainable); }, Banded, kListed},
        {"l2_utilisation_ratio", Words::lasting("L2"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.utilisation[Level::L2]); }, Time, kBusy},
        {"l1_utilisation_ratio", Words::lasting("L1"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.utilisation[Level::L1]); }, Time, kListed},
        {"shared_utilisation_ratio", Words("shared memory"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.utilisation[Level::Shared]); }, Time, kListed},
        {"fp64_flops", Words("FP64 operations"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.flops[Precision::Fp64]); }, Exact, kJudged},
        {"fp32_flops", Words("FP32 operations"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.flops[Precision::Fp32]); }, Exact, kJudged},
        {"fp16_flops_upper_bound", Words("FP16 operations, at most"), Unit::Count,
         [](Of of) { return fp16(of, of.quantities.flops); }, Exact, kJudged},
        {"fp64_flops_per_s", Words("FP64 rate"), Unit::FlopsPerSecond,
         [](Of of) { return valueOf(of.quantities.flopRate[Precision::Fp64]); }, Time, kListed},
        {"fp32_flops_per_s", Words("FP32 rate"), Unit::FlopsPerSecond,
         [](Of of) { return valueOf(of.quantities.flopRate[Precision::Fp32]); }, Time, kListed},
        {"fp16_flops_per_s_upper_bound", Words("FP16 rate, at most"), Unit::FlopsPerSecond,
         [](Of of) { return fp16(of, of.quantities.flopRate); }, Time, kListed},
        {"fp64_utilisation_ratio", Words::lasting("FP64"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.computeUtilisation[Precision::Fp64]); }, Time, kBusy},
        {"fp32_utilisation_ratio", Words::lasting("FP32"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.computeUtilisation[Precision::Fp32]); }, Time, kBusy},
        {"fp16_utilisation_ratio", Words("FP16, at most"), Unit::Share,
         [](Of of) { return fp16(of, of.quantities.computeUtilisation); }, Time, kListed},
        {"fp64_dram_flops_per_byte", Words("FP64 operations per DRAM byte"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.intensity[Precision::Fp64][Level::Dram]); }, Banded, kListed},
        {"fp32_dram_flops_per_byte", Words("FP32 operations per DRAM byte"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.intensity[Precision::Fp32][Level::Dram]); }, Banded, kListed},
        {"fp32_l2_flops_per_byte", Words("FP32 operations per L2 byte"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.intensity[Precision::Fp32][Level::L2]); }, Banded, kListed},
        {"fp32_l1_flops_per_byte", Words("FP32 operations per L1 byte"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.intensity[Precision::Fp32][Level::L1]); }, Banded, kListed},
        {"lsu_pipe_utilisation_ratio", Words("LSU/shared pipe"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.sharedPipeUtilisation); }, Time, kBusy},
        {"tensor_pipe_utilisation_ratio", Words("tensor pipe"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.tensorUtilisation); }, Time, kBusy},
        tensorEntry<TensorType::Fp64>("tensor_fp64_ops"),
        tensorRateEntry<TensorType::Fp64>("tensor_fp64_ops_per_s"),
        tensorEntry<TensorType::Tf32>("tensor_tf32_ops"),
        tensorRateEntry<TensorType::Tf32>("tensor_tf32_ops_per_s"),
        tensorEntry<TensorType::Bf16>("tensor_bf16_ops"),
        tensorRateEntry<TensorType::Bf16>("tensor_bf16_ops_per_s"),
        tensorEntry<TensorType::Fp16>("tensor_fp16_ops"),
        tensorRateEntry<TensorType::Fp16>("tensor_fp16_ops_per_s"),
        tensorEntry<TensorType::Fp8>("tensor_fp8_ops"),
        tensorRateEntry<TensorType::Fp8>("tensor_fp8_ops_per_s"),
        tensorEntry<TensorType::Int8>("tensor_int8_ops"),
        tensorRateEntry<TensorType::Int8>("tensor_int8_ops_per_s"),
        tensorEntry<TensorType::Fp4>("tensor_fp4_ops"),
        tensorRateEntry<TensorType::Fp4>("tensor_fp4_ops_per_s"),
        {"issue_utilisation_ratio", Words("instruction issue"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.issueUtilisation); }, Time, kBusy},
        {"global_load_requested_bytes", Words("bytes requested by global loads"), Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.loads.requested); }, Exact, kJudged},
        {"global_load_sectors", Words("global load sectors"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.loads.sectors); }, Exact, kJudged},
        {"global_load_requests", Words("global load requests"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.loads.requests); }, Exact, kCompared},
        {"global_load_efficiency_ratio", Words("coalescing efficiency, loads"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.loads.efficiency); }, Exact, kCompared},
        {"global_load_sectors_per_request", Words("sectors per load request"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.loads.sectorsPerRequest); }, Exact, kLimit},
        {"global_load_certain_excess_sectors", Words("excess global load sectors, certain"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.loads.certainExcess); }, Exact, kListed},
        {"global_store_requested_bytes", Words("bytes requested by global stores"), Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.stores.requested); }, Exact, kJudged},
        {"global_store_sectors", Words("global store sectors"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.stores.sectors); }, Exact, kJudged},
        {"global_store_requests", Words("global store requests"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.stores.requests); }, Exact, kCompared},
        {"global_store_efficiency_ratio", Words("coalescing efficiency, stores"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.stores.efficiency); }, Exact, kCompared},
        {"global_store_sectors_per_request", Words("sectors per store request"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.stores.sectorsPerRequest); }, Exact, kLimit},
        {"global_store_certain_excess_sectors", Words("excess global store sectors, certain"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.stores.certainExcess); }, Exact, kListed},
        {"global_narrow_certain_ratio", Words("global accesses of at most 4 bytes per thread"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.widths.globalNarrowCertain); }, Exact, kListed},
        {"shared_wavefronts", Words("shared-memory wavefronts"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.shared.wavefronts); }, Exact, kJudged},
        {"shared_instructions", Words("shared-memory instructions"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.shared.instructions); }, Exact, kCompared},
        {"shared_ideal_wavefronts_low", Words("ideal shared-memory wavefronts, at least"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.shared.idealLow); }, Exact, kListed},
        {"shared_ideal_wavefronts_high", Words("ideal shared-memory wavefronts, at most"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.shared.idealHigh); }, Exact, kListed},
        {"shared_excess_certain_ratio", Words("excess shared-memory wavefronts, certain"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.shared.excessCertain); }, Exact, kListed},
        {"shared_conflict_excess_ratio", Words("excess shared-memory wavefronts"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.shared.excessCertain); }, Exact, kLimitOnly},
        {"shared_excess_possible_ratio", Words("excess shared-memory wavefronts, at most"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.shared.excessPossible); }, Exact, kListed},
        {"shared_conflict_degree", Words("bank conflicts, at least"), Unit::Ways,
         degree, Exact, kLimit},
        {"local_sectors", Words("local-memory sectors (spills)"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.localSectors); }, Exact, kNotListed},
        {"local_bytes_per_thread", Words("local memory per thread"), Unit::Bytes,
         [](Of of) { return known(of.function.localBytesPerThread); }, Exact, kGateOnly},
        {"registers_per_thread", Words("registers per thread"), Unit::Count,
         [](Of of) { return known(of.function.registersPerThread); }, Exact, kGateOnly},
        {"warp_instructions", Words("warp instructions"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.warpInstructions); }, Exact, kOnRequest},
        {"resident_blocks_per_sm", Words("resident blocks per SM"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.occupancy.residentBlocksPerSm); }, Exact, kCompared},
        {"occupancy_theoretical_ratio", Words("theoretical occupancy"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.occupancy.theoretical); }, Exact, kCompared},
        {"occupancy_achieved_ratio", Words("achieved occupancy"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.occupancy.achieved); }, Banded, kCompared},
        {"waves", Words("waves"), Unit::Count,
         [](Of of) { return valueOf(of.quantities.occupancy.waves); }, Exact, kCompared},
        {"wave_efficiency_ratio", Words("wave efficiency"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.occupancy.waveEfficiency); }, Exact, kCompared},
        {"active_lanes_ratio", Words("active lanes"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.activeLanes); }, Exact, kCompared},
        {"predicated_on_ratio", Words("active lanes with a true predicate"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.predicatedOn); }, Exact, kCompared},
        {"sm_imbalance_ratio", Words("idle difference between SMs"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.smImbalance); }, Time, kCompared},
        {"sm_clock_hz", Words("SM clock"), Unit::Hertz,
         [](Of of) { return valueOf(of.quantities.smClock); }, Time, kListed},
        {"dram_clock_hz", Words("DRAM clock"), Unit::Hertz,
         [](Of of) { return valueOf(of.quantities.dramClock); }, Time, kListed},
        {"declared_bytes", Words("declared bytes"), Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.declaredBytes); }, Exact, kListed},
        {"effective_bytes_per_s", Words("effective bandwidth"), Unit::BytesPerSecond,
         [](Of of) { return valueOf(of.quantities.effectiveBandwidth); }, Time, kListed},
        {"effective_ratio", Words("effective share of the DRAM roof"), Unit::Share,
         [](Of of) { return valueOf(of.quantities.effectiveShare); }, Time, kListed},
        {"counter_run_duration_ns", Words("duration of the counter run"), Unit::Seconds,
         [](Of of) { return valueOf(of.quantities.counterDuration); }, Time, kListed},
    };
    // clang-format on
    return kAll;
}

const QuantityEntry* findQuantity(std::string_view key) {
    const auto all = catalog();
    const auto found = std::ranges::find(all, key, &QuantityEntry::key);
    return found == all.end() ? nullptr : &*found;
}

bool wasNotRequested(const QuantityEntry& entry, const Quantities& quantities) {
    return entry.group == CounterGroup::Tensor &&
           (quantities.tensor.empty() || quantities.tensor.front().byBusyCycles);
}

}  // namespace roofscope
