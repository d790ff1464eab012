// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/catalog.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyzer/counters/counter_names.h"
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

/// An upper bound that conversions and constants fill: where it says nothing of the kernel's own
/// arithmetic, there is none.
template <class T>
QuantityValue fp16(Of of, const PerPrecision<Derived<T>>& values) {
    const Derived<T>& half = values[Precision::Fp16];
    return fp16CanMatter(of.quantities) || !half.has() ? valueOf(half) : QuantityValue{};
}

/// Wavefronts over the highest ideal bound the conflicts from below; below 1 that says nothing.
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
            .label = {name + " operations of tensor cores", name + " 张量核心运算"},
            .get = [](Of of) { return tensor<type>(of, &TensorWork::operations); },
            .uses = {.compared = true},
            .group = CounterGroup::Tensor};
}

template <TensorType type>
QuantityEntry tensorRateEntry(const char* key) {
    const std::string name = toString(type);
    return {.key = key,
            .label = {name + " rate of tensor cores", name + " 张量核心速率"},
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
        {"duration_ns", {"duration", "耗时"}, Unit::Seconds,
         [](Of of) { return durationOf(of); }, Time, kGateOnly},
        {"dram_bytes", {"DRAM bytes", "DRAM 字节"}, Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.bytes[Level::Dram]); }, Banded, kListed},
        {"dram_read_bytes", {"DRAM bytes read", "DRAM 读取字节"}, Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.dramRead); }, Banded, kJudged},
        {"dram_write_bytes", {"DRAM bytes written", "DRAM 写入字节"}, Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.dramWrite); }, Banded, kJudged},
        {"l2_bytes", {"L2 bytes", "L2 字节"}, Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.bytes[Level::L2]); }, Banded, kCompared},
        {"l1_bytes", {"L1 bytes", "L1 字节"}, Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.bytes[Level::L1]); }, Exact, kCompared},
        {"shared_bytes", {"shared-memory bytes", "共享内存字节"}, Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.bytes[Level::Shared]); }, Exact, kListed},
        {"local_bytes", {"local-memory bytes", "本地内存字节"}, Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.localBytes); }, Exact, kListed},
        {"dram_bytes_per_s", {"DRAM bandwidth", "DRAM 带宽"}, Unit::BytesPerSecond,
         [](Of of) { return valueOf(of.quantities.bandwidth[Level::Dram]); }, Time, kListed},
        {"l2_bytes_per_s", {"L2 bandwidth", "L2 带宽"}, Unit::BytesPerSecond,
         [](Of of) { return valueOf(of.quantities.bandwidth[Level::L2]); }, Time, kListed},
        {"l1_bytes_per_s", {"L1 bandwidth", "L1 带宽"}, Unit::BytesPerSecond,
         [](Of of) { return valueOf(of.quantities.bandwidth[Level::L1]); }, Time, kListed},
        {"shared_bytes_per_s", {"shared-memory bandwidth", "共享内存带宽"}, Unit::BytesPerSecond,
         [](Of of) { return valueOf(of.quantities.bandwidth[Level::Shared]); }, Time, kListed},
        {"dram_utilisation_ratio", {"DRAM", "DRAM"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.utilisation[Level::Dram]); }, Time, kBusy},
        {"dram_attainable_ratio", {"attainable share of the DRAM roof", "DRAM 屋顶的可达比例"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.dramAttainable); }, Banded, kListed},
        {"l2_utilisation_ratio", {"L2", "L2"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.utilisation[Level::L2]); }, Time, kBusy},
        {"l1_utilisation_ratio", {"L1", "L1"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.utilisation[Level::L1]); }, Time, kListed},
        {"shared_utilisation_ratio", {"shared memory", "共享内存"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.utilisation[Level::Shared]); }, Time, kListed},
        {"fp64_flops", {"FP64 operations", "FP64 运算"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.flops[Precision::Fp64]); }, Exact, kJudged},
        {"fp32_flops", {"FP32 operations", "FP32 运算"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.flops[Precision::Fp32]); }, Exact, kJudged},
        {"fp16_flops_upper_bound", {"FP16 operations, at most", "FP16 运算，至多"}, Unit::Count,
         [](Of of) { return fp16(of, of.quantities.flops); }, Exact, kJudged},
        {"fp64_flops_per_s", {"FP64 rate", "FP64 速率"}, Unit::FlopsPerSecond,
         [](Of of) { return valueOf(of.quantities.flopRate[Precision::Fp64]); }, Time, kListed},
        {"fp32_flops_per_s", {"FP32 rate", "FP32 速率"}, Unit::FlopsPerSecond,
         [](Of of) { return valueOf(of.quantities.flopRate[Precision::Fp32]); }, Time, kListed},
        {"fp16_flops_per_s_upper_bound", {"FP16 rate, at most", "FP16 速率，至多"}, Unit::FlopsPerSecond,
         [](Of of) { return fp16(of, of.quantities.flopRate); }, Time, kListed},
        {"fp64_utilisation_ratio", {"FP64", "FP64"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.computeUtilisation[Precision::Fp64]); }, Time, kBusy},
        {"fp32_utilisation_ratio", {"FP32", "FP32"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.computeUtilisation[Precision::Fp32]); }, Time, kBusy},
        {"fp16_utilisation_ratio", {"FP16, at most", "FP16，至多"}, Unit::Share,
         [](Of of) { return fp16(of, of.quantities.computeUtilisation); }, Time, kListed},
        {"fp64_dram_flops_per_byte", {"FP64 operations per DRAM byte", "每 DRAM 字节的 FP64 运算"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.intensity[Precision::Fp64][Level::Dram]); }, Banded, kListed},
        {"fp32_dram_flops_per_byte", {"FP32 operations per DRAM byte", "每 DRAM 字节的 FP32 运算"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.intensity[Precision::Fp32][Level::Dram]); }, Banded, kListed},
        {"fp32_l2_flops_per_byte", {"FP32 operations per L2 byte", "每 L2 字节的 FP32 运算"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.intensity[Precision::Fp32][Level::L2]); }, Banded, kListed},
        {"fp32_l1_flops_per_byte", {"FP32 operations per L1 byte", "每 L1 字节的 FP32 运算"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.intensity[Precision::Fp32][Level::L1]); }, Banded, kListed},
        {"lsu_pipe_utilisation_ratio", {"LSU/shared pipe", "LSU/共享内存流水线"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.sharedPipeUtilisation); }, Time, kBusy},
        {"tensor_pipe_utilisation_ratio", {"tensor pipe", "张量流水线"}, Unit::Share,
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
        {"issue_utilisation_ratio", {"instruction issue", "指令发射"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.issueUtilisation); }, Time, kBusy},
        {"global_load_requested_bytes", {"bytes requested by global loads", "全局加载请求的字节"}, Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.loads.requested); }, Exact, kJudged},
        {"global_load_sectors", {"global load sectors", "全局加载扇区"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.loads.sectors); }, Exact, kJudged},
        {"global_load_requests", {"global load requests", "全局加载请求"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.loads.requests); }, Exact, kCompared},
        {"global_load_efficiency_ratio", {"coalescing efficiency, loads", "合并访问效率，加载"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.loads.efficiency); }, Exact, kCompared},
        {"global_load_sectors_per_request", {"sectors per load request", "每个加载请求的扇区"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.loads.sectorsPerRequest); }, Exact, kLimit},
        {"global_load_certain_excess_sectors", {"excess global load sectors, certain", "可以确定的多余全局加载扇区"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.loads.certainExcess); }, Exact, kListed},
        {"global_store_requested_bytes", {"bytes requested by global stores", "全局存储请求的字节"}, Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.stores.requested); }, Exact, kJudged},
        {"global_store_sectors", {"global store sectors", "全局存储扇区"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.stores.sectors); }, Exact, kJudged},
        {"global_store_requests", {"global store requests", "全局存储请求"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.stores.requests); }, Exact, kCompared},
        {"global_store_efficiency_ratio", {"coalescing efficiency, stores", "合并访问效率，存储"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.stores.efficiency); }, Exact, kCompared},
        {"global_store_sectors_per_request", {"sectors per store request", "每个存储请求的扇区"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.stores.sectorsPerRequest); }, Exact, kLimit},
        {"global_store_certain_excess_sectors", {"excess global store sectors, certain", "可以确定的多余全局存储扇区"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.stores.certainExcess); }, Exact, kListed},
        {"global_narrow_certain_ratio", {"global accesses of at most 4 bytes per thread", "每线程不超过 4 字节的全局访问"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.widths.globalNarrowCertain); }, Exact, kListed},
        {"shared_wavefronts", {"shared-memory wavefronts", "共享内存波前"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.shared.wavefronts); }, Exact, kJudged},
        {"shared_instructions", {"shared-memory instructions", "共享内存指令"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.shared.instructions); }, Exact, kCompared},
        {"shared_ideal_wavefronts_low", {"ideal shared-memory wavefronts, at least", "理想共享内存波前，至少"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.shared.idealLow); }, Exact, kListed},
        {"shared_ideal_wavefronts_high", {"ideal shared-memory wavefronts, at most", "理想共享内存波前，至多"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.shared.idealHigh); }, Exact, kListed},
        {"shared_excess_certain_ratio", {"excess shared-memory wavefronts, certain", "可以确定的多余共享内存波前"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.shared.excessCertain); }, Exact, kListed},
        {"shared_conflict_excess_ratio", {"excess shared-memory wavefronts", "多余的共享内存波前"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.shared.excessCertain); }, Exact, kLimitOnly},
        {"shared_excess_possible_ratio", {"excess shared-memory wavefronts, at most", "多余的共享内存波前，至多"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.shared.excessPossible); }, Exact, kListed},
        {"shared_conflict_degree", {"bank conflicts, at least", "存储体冲突，至少"}, Unit::Ways,
         degree, Exact, kLimit},
        {"local_sectors", {"local-memory sectors (spills)", "本地内存扇区（溢出）"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.localSectors); }, Exact, kNotListed},
        {"local_bytes_per_thread", {"local memory per thread", "每线程本地内存"}, Unit::Bytes,
         [](Of of) { return known(of.function.localBytesPerThread); }, Exact, kGateOnly},
        {"registers_per_thread", {"registers per thread", "每线程寄存器"}, Unit::Count,
         [](Of of) { return known(of.function.registersPerThread); }, Exact, kGateOnly},
        {"warp_instructions", {"warp instructions", "线程束指令"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.warpInstructions); }, Exact, kOnRequest},
        {"resident_blocks_per_sm", {"resident blocks per SM", "每个 SM 驻留的线程块"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.occupancy.residentBlocksPerSm); }, Exact, kCompared},
        {"occupancy_theoretical_ratio", {"theoretical occupancy", "理论占用率"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.occupancy.theoretical); }, Exact, kCompared},
        {"occupancy_achieved_ratio", {"achieved occupancy", "实际占用率"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.occupancy.achieved); }, Banded, kCompared},
        {"waves", {"waves", "波次数"}, Unit::Count,
         [](Of of) { return valueOf(of.quantities.occupancy.waves); }, Exact, kCompared},
        {"wave_efficiency_ratio", {"wave efficiency", "波次效率"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.occupancy.waveEfficiency); }, Exact, kCompared},
        {"active_lanes_ratio", {"active lanes", "活跃线程"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.activeLanes); }, Exact, kCompared},
        {"predicated_on_ratio", {"active lanes with a true predicate", "谓词为真的活跃线程"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.predicatedOn); }, Exact, kCompared},
        {"sm_imbalance_ratio", {"idle difference between SMs", "SM 之间的空闲差"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.smImbalance); }, Time, kCompared},
        {"sm_clock_hz", {"SM clock", "SM 频率"}, Unit::Hertz,
         [](Of of) { return valueOf(of.quantities.smClock); }, Time, kListed},
        {"dram_clock_hz", {"DRAM clock", "DRAM 频率"}, Unit::Hertz,
         [](Of of) { return valueOf(of.quantities.dramClock); }, Time, kListed},
        {"stated_bytes", {"declared bytes", "声明的字节"}, Unit::Bytes,
         [](Of of) { return valueOf(of.quantities.declaredBytes); }, Exact, kListed},
        {"effective_bytes_per_s", {"effective bandwidth", "有效带宽"}, Unit::BytesPerSecond,
         [](Of of) { return valueOf(of.quantities.effectiveBandwidth); }, Time, kListed},
        {"effective_ratio", {"effective share of the DRAM roof", "DRAM 屋顶的有效比例"}, Unit::Share,
         [](Of of) { return valueOf(of.quantities.effectiveShare); }, Time, kListed},
        {"counter_run_duration_ns", {"duration of the counter run", "计数运行的耗时"}, Unit::Seconds,
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

bool wasNotAsked(const QuantityEntry& entry, const Quantities& quantities) {
    return entry.group == CounterGroup::Tensor && quantities.tensor.empty();
}

}  // namespace roofscope
