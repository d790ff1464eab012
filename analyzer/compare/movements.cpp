// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/compare/parts.h"
#include "analyzer/counter_names.h"
#include "analyzer/group_sums.h"
#include "analyzer/quantities.h"
#include "analyzer/resources.h"
#include "profile/chip.h"

namespace roofscope::compare {

namespace {

/// Enough repeats to know the scatter; all of a long training run would only take time.
constexpr std::size_t kMostRepeats = 64;

struct Value {
    std::optional<double> value;
    std::string missing;
};

Value valueOf(const Derived<double>& derived) { return {derived.value, derived.missing}; }
template <class Tag>
Value valueOf(const Derived<Quantity<Tag>>& derived) {
    return {derived.has() ? std::optional(derived->value) : std::nullopt, derived.missing};
}

/// Wavefronts over the highest ideal bound the conflicts from below; below 1 that says nothing.
Value degree(const Quantities& q) {
    Value value = valueOf(q.shared.degree);
    if (value.value) value.value = std::max(1.0, *value.value);
    return value;
}

/// A raw counter: mean per launch over the launches that have it.
Value counterMean(const Profile& profile, const LaunchGroup& group, std::string_view name) {
    const auto joint = GroupSums(profile.counters, group.launches).joint({name});
    if (!joint.ok()) return {std::nullopt, joint.missing};
    return {joint.mean(0), {}};
}

/// One comparable quantity of a kernel.
struct Entry {
    const char* key;
    Words label;
    Unit unit;
    Value (*get)(const Profile&, const LaunchGroup&, const Quantities&);
    bool rate = false;
    /// Of counters that are recorded on request: left out where neither kernel has any.
    bool onRequest = false;
};

using P = const Profile&;
using G = const LaunchGroup&;
using Q = const Quantities&;

template <TensorType type>
Value tensorOperations(P, G, Q q) {
    for (const TensorWork& work : q.tensor)
        if (work.type == type) return valueOf(work.operations);
    return {std::nullopt, q.tensorMissing[type]};
}

template <TensorType type>
Entry tensorEntry(const char* key) {
    const std::string name = toString(type);
    return {.key = key,
            .label = {name + " operations of tensor cores", name + " 张量核心运算"},
            .unit = Unit::Count,
            .get = &tensorOperations<type>,
            .onRequest = true};
}

const std::vector<Entry>& entries() {
    static const std::vector<Entry> all{
        {"dram_read_bytes",
         {"DRAM bytes read", "DRAM 读取字节"},
         Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.dramRead); }},
        {"dram_write_bytes",
         {"DRAM bytes written", "DRAM 写入字节"},
         Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.dramWrite); }},
        {"l2_bytes",
         {"L2 bytes", "L2 字节"},
         Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.bytes[Level::L2]); }},
        {"l1_bytes",
         {"L1 bytes", "L1 字节"},
         Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.bytes[Level::L1]); }},
        {"shared_conflict_degree",
         {"bank conflicts, at least", "存储体冲突，至少"},
         Unit::Ways,
         [](P, G, Q q) { return degree(q); }},
        {"shared_wavefronts",
         {"shared-memory wavefronts", "共享内存波前"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.shared.wavefronts); }},
        {"shared_instructions",
         {"shared-memory instructions", "共享内存指令"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.shared.instructions); }},
        {"global_load_requested_bytes",
         {"bytes requested by global loads", "全局加载请求的字节"},
         Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.loads.requested); }},
        {"global_load_requests",
         {"global load requests", "全局加载请求"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.loads.requests); }},
        {"global_load_sectors",
         {"global load sectors", "全局加载扇区"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.loads.sectors); }},
        {"global_load_sectors_per_request",
         {"sectors per load request", "每个加载请求的扇区"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.loads.sectorsPerRequest); }},
        {"global_load_efficiency_ratio",
         {"coalescing efficiency, loads", "合并访问效率，加载"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.loads.efficiency); }},
        {"global_store_requested_bytes",
         {"bytes requested by global stores", "全局存储请求的字节"},
         Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.stores.requested); }},
        {"global_store_requests",
         {"global store requests", "全局存储请求"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.stores.requests); }},
        {"global_store_sectors",
         {"global store sectors", "全局存储扇区"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.stores.sectors); }},
        {"global_store_sectors_per_request",
         {"sectors per store request", "每个存储请求的扇区"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.stores.sectorsPerRequest); }},
        {"global_store_efficiency_ratio",
         {"coalescing efficiency, stores", "合并访问效率，存储"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.stores.efficiency); }},
        {"local_sectors",
         {"local-memory sectors (spills)", "本地内存扇区（溢出）"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.localSectors); }},
        {"fp64_flops",
         {"FP64 operations", "FP64 运算"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.flops[Precision::Fp64]); }},
        {"fp32_flops",
         {"FP32 operations", "FP32 运算"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.flops[Precision::Fp32]); }},
        {"fp16_flops_upper_bound",
         {"FP16 operations, at most", "FP16 运算，至多"},
         Unit::Count,
         [](P, G, Q q) {
             const auto& half = q.flops[Precision::Fp16];
             return fp16CanMatter(q) || !half.has() ? valueOf(half) : Value{};
         }},
        tensorEntry<TensorType::Fp64>("tensor_fp64_ops"),
        tensorEntry<TensorType::Tf32>("tensor_tf32_ops"),
        tensorEntry<TensorType::Bf16>("tensor_bf16_ops"),
        tensorEntry<TensorType::Fp16>("tensor_fp16_ops"),
        tensorEntry<TensorType::Fp8>("tensor_fp8_ops"),
        tensorEntry<TensorType::Int8>("tensor_int8_ops"),
        tensorEntry<TensorType::Fp4>("tensor_fp4_ops"),
        {"warp_instructions",
         {"warp instructions", "线程束指令"},
         Unit::Count,
         [](P p, G g, Q) { return counterMean(p, g, counter::kWarpInstructions); }},
        {"active_lanes_ratio",
         {"active lanes", "活跃线程"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.activeLanes); }},
        {"resident_blocks_per_sm",
         {"resident blocks per SM", "每个 SM 驻留的线程块"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.occupancy.residentBlocksPerSm); }},
        {"occupancy_theoretical_ratio",
         {"theoretical occupancy", "理论占用率"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.occupancy.theoretical); }},
        {"occupancy_achieved_ratio",
         {"achieved occupancy", "实际占用率"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.occupancy.achieved); }},
        {"waves",
         {"waves", "波次数"},
         Unit::Count,
         [](P, G, Q q) { return valueOf(q.occupancy.waves); }},
        {"wave_efficiency_ratio",
         {"wave efficiency", "波次效率"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.occupancy.waveEfficiency); }},
        {"sm_imbalance_ratio",
         {"idle difference between SMs", "SM 之间的空闲差"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.smImbalance); },
         true},
        {"dram_utilisation_ratio",
         {"DRAM", "DRAM"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.utilisation[Level::Dram]); },
         true},
        {"l2_utilisation_ratio",
         {"L2", "L2"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.utilisation[Level::L2]); },
         true},
        {"lsu_pipe_utilisation_ratio",
         {"LSU/shared pipe", "LSU/共享内存流水线"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.sharedPipeUtilisation); },
         true},
        {"fp64_utilisation_ratio",
         {"FP64", "FP64"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.computeUtilisation[Precision::Fp64]); },
         true},
        {"fp32_utilisation_ratio",
         {"FP32", "FP32"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.computeUtilisation[Precision::Fp32]); },
         true},
        {"tensor_pipe_utilisation_ratio",
         {"tensor pipe", "张量流水线"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.tensorUtilisation); },
         true},
        {"issue_utilisation_ratio",
         {"instruction issue", "指令发射"},
         Unit::Share,
         [](P, G, Q q) { return valueOf(q.issueUtilisation); },
         true},
    };
    return all;
}

/// Quantities of single launches, evenly spread over the group.
struct Repeats {
    std::vector<LaunchGroup> groups;
    std::vector<Quantities> quantities;
};

Repeats repeatsOf(const Side& side) {
    Repeats repeats;
    const LaunchGroup& group = side.kernel.group;
    const Device& device = side.device();
    const auto chip = chipTable(device.chip, device.computeMajor, device.computeMinor);
    const std::size_t all = group.launches.size(), count = std::min(all, kMostRepeats);
    for (std::size_t i = 0; i < count; ++i) {
        LaunchGroup one = group;
        one.launches = {group.launches[i * all / count]};
        repeats.quantities.push_back(
            deriveQuantities(side.profile(), one, chip.ok() ? &*chip : nullptr));
        repeats.groups.push_back(std::move(one));
    }
    return repeats;
}

std::vector<double> valuesOf(const Entry& entry, const Profile& profile, const Repeats& repeats) {
    std::vector<double> values;
    for (std::size_t i = 0; i < repeats.groups.size(); ++i) {
        const Value value = entry.get(profile, repeats.groups[i], repeats.quantities[i]);
        if (value.value) values.push_back(*value.value);
    }
    return values;
}

Basis basisOf(const Band& a, const Band& b) {
    if (a.agrees && b.agrees) return Basis::Exact;
    return std::min(a.repeats, b.repeats) >= kLeastRepeats ? Basis::Banded : Basis::Unrepeated;
}

Direction directionOf(const Movement& m) {
    if (!m.from || !m.to) return Direction::Unknown;
    if (*m.from == *m.to) return Direction::Same;
    const bool real =
        m.basis == Basis::Exact || (relativeChange(*m.from, *m.to) >= kLeastCounterChange &&
                                    (m.basis == Basis::Unrepeated || apart(m.fromBand, m.toBand)));
    if (!real) return Direction::Same;
    return *m.to < *m.from ? Direction::Lower : Direction::Higher;
}

template <class T>
LaunchProperty::Value known(const std::optional<T>& value) {
    if (!value) return std::monostate{};
    return static_cast<std::uint64_t>(*value);
}

}  // namespace

std::vector<Movement> movements(const Side& from, const Side& to) {
    const Repeats before = repeatsOf(from), after = repeatsOf(to);
    std::vector<Movement> all;
    for (const Entry& entry : entries()) {
        Value a = entry.get(from.profile(), from.kernel.group, from.kernel.quantities);
        Value b = entry.get(to.profile(), to.kernel.group, to.kernel.quantities);
        for (Value* value : {&a, &b})
            if (value->value && !std::isfinite(*value->value)) value->value.reset();
        if (entry.onRequest && a.value.value_or(0) <= 0 && b.value.value_or(0) <= 0) continue;
        Movement m{.key = entry.key,
                   .label = entry.label,
                   .unit = entry.unit,
                   .from = a.value,
                   .to = b.value,
                   .fromBand = bandOf(valuesOf(entry, from.profile(), before)),
                   .toBand = bandOf(valuesOf(entry, to.profile(), after)),
                   .rate = entry.rate};
        m.basis = basisOf(m.fromBand, m.toBand);
        m.direction = directionOf(m);
        m.missing = a.value ? b.missing : a.missing;
        if (m.from && m.to) m.missing.clear();
        all.push_back(std::move(m));
    }
    return all;
}

std::vector<LaunchProperty> launchProperties(const Side& from, const Side& to) {
    const LaunchGroup &a = from.kernel.group, &b = to.kernel.group;
    const Kernel &f = from.function(), &t = to.function();
    const auto cluster = [](const LaunchGroup& group) { return group.cluster.value_or(Dim3{}); };
    return {
        {"grid", {"grid", "网格"}, Unit::Count, a.grid, b.grid},
        {"block", {"block", "线程块"}, Unit::Count, a.block, b.block},
        {"cluster", {"cluster", "线程块簇"}, Unit::Count, cluster(a), cluster(b)},
        {"registers_per_thread",
         {"registers per thread", "每线程寄存器"},
         Unit::Count,
         known(f.registersPerThread),
         known(t.registersPerThread)},
        {"static_shared_bytes",
         {"static shared memory per block", "每个线程块的静态共享内存"},
         Unit::Bytes,
         known(f.staticSharedBytes),
         known(t.staticSharedBytes)},
        {"dynamic_shared_bytes",
         {"dynamic shared memory per block", "每个线程块的动态共享内存"},
         Unit::Bytes,
         a.dynamicSharedBytes,
         b.dynamicSharedBytes},
        {"local_bytes_per_thread",
         {"local memory per thread", "每线程本地内存"},
         Unit::Bytes,
         known(f.localBytesPerThread),
         known(t.localBytesPerThread)},
        {"launches",
         {"launches", "启动次数"},
         Unit::Count,
         static_cast<std::uint64_t>(a.launches.size()),
         static_cast<std::uint64_t>(b.launches.size())},
    };
}

}  // namespace roofscope::compare
