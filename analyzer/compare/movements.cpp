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
    const char* label;
    Unit unit;
    Value (*get)(const Profile&, const LaunchGroup&, const Quantities&);
    bool rate = false;
};

using P = const Profile&;
using G = const LaunchGroup&;
using Q = const Quantities&;

const std::vector<Entry>& entries() {
    static const std::vector<Entry> all{
        {"dram_read_bytes", "DRAM bytes read", Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.dramRead); }},
        {"dram_write_bytes", "DRAM bytes written", Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.dramWrite); }},
        {"l2_bytes", "L2 bytes", Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.bytes[Level::L2]); }},
        {"l1_bytes", "L1 bytes", Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.bytes[Level::L1]); }},
        {"shared_conflict_degree", "bank conflicts, at least", Unit::Ways,
         [](P, G, Q q) { return degree(q); }},
        {"shared_wavefronts", "shared-memory wavefronts", Unit::Count,
         [](P, G, Q q) { return valueOf(q.shared.wavefronts); }},
        {"shared_instructions", "shared-memory instructions", Unit::Count,
         [](P, G, Q q) { return valueOf(q.shared.instructions); }},
        {"global_load_requested_bytes", "bytes requested by global loads", Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.loads.requested); }},
        {"global_load_requests", "global load requests", Unit::Count,
         [](P, G, Q q) { return valueOf(q.loads.requests); }},
        {"global_load_sectors", "global load sectors", Unit::Count,
         [](P, G, Q q) { return valueOf(q.loads.sectors); }},
        {"global_load_sectors_per_request", "sectors per load request", Unit::Count,
         [](P, G, Q q) { return valueOf(q.loads.sectorsPerRequest); }},
        {"global_load_efficiency_ratio", "coalescing efficiency, loads", Unit::Share,
         [](P, G, Q q) { return valueOf(q.loads.efficiency); }},
        {"global_store_requested_bytes", "bytes requested by global stores", Unit::Bytes,
         [](P, G, Q q) { return valueOf(q.stores.requested); }},
        {"global_store_requests", "global store requests", Unit::Count,
         [](P, G, Q q) { return valueOf(q.stores.requests); }},
        {"global_store_sectors", "global store sectors", Unit::Count,
         [](P, G, Q q) { return valueOf(q.stores.sectors); }},
        {"global_store_sectors_per_request", "sectors per store request", Unit::Count,
         [](P, G, Q q) { return valueOf(q.stores.sectorsPerRequest); }},
        {"global_store_efficiency_ratio", "coalescing efficiency, stores", Unit::Share,
         [](P, G, Q q) { return valueOf(q.stores.efficiency); }},
        {"local_sectors", "local-memory sectors (spills)", Unit::Count,
         [](P, G, Q q) { return valueOf(q.localSectors); }},
        {"fp64_flops", "FP64 operations", Unit::Count,
         [](P, G, Q q) { return valueOf(q.flops[Precision::Fp64]); }},
        {"fp32_flops", "FP32 operations", Unit::Count,
         [](P, G, Q q) { return valueOf(q.flops[Precision::Fp32]); }},
        {"fp16_flops_upper_bound", "FP16 operations, at most", Unit::Count,
         [](P, G, Q q) { return fp16CanMatter(q) ? valueOf(q.flops[Precision::Fp16]) : Value{}; }},
        {"warp_instructions", "warp instructions", Unit::Count,
         [](P p, G g, Q) { return counterMean(p, g, counter::kWarpInstructions); }},
        {"active_lanes_ratio", "active lanes", Unit::Share,
         [](P, G, Q q) { return valueOf(q.activeLanes); }},
        {"resident_blocks_per_sm", "resident blocks per SM", Unit::Count,
         [](P, G, Q q) { return valueOf(q.occupancy.residentBlocksPerSm); }},
        {"occupancy_theoretical_ratio", "theoretical occupancy", Unit::Share,
         [](P, G, Q q) { return valueOf(q.occupancy.theoretical); }},
        {"occupancy_achieved_ratio", "achieved occupancy", Unit::Share,
         [](P, G, Q q) { return valueOf(q.occupancy.achieved); }},
        {"waves", "waves", Unit::Count, [](P, G, Q q) { return valueOf(q.occupancy.waves); }},
        {"wave_efficiency_ratio", "wave efficiency", Unit::Share,
         [](P, G, Q q) { return valueOf(q.occupancy.waveEfficiency); }},
        {"sm_imbalance_ratio", "idle difference between SMs", Unit::Share,
         [](P, G, Q q) { return valueOf(q.smImbalance); }, true},
        {"dram_utilisation_ratio", "DRAM", Unit::Share,
         [](P, G, Q q) { return valueOf(q.utilisation[Level::Dram]); }, true},
        {"l2_utilisation_ratio", "L2", Unit::Share,
         [](P, G, Q q) { return valueOf(q.utilisation[Level::L2]); }, true},
        {"lsu_pipe_utilisation_ratio", "LSU/shared pipe", Unit::Share,
         [](P, G, Q q) { return valueOf(q.sharedPipeUtilisation); }, true},
        {"fp64_utilisation_ratio", "FP64", Unit::Share,
         [](P, G, Q q) { return valueOf(q.computeUtilisation[Precision::Fp64]); }, true},
        {"fp32_utilisation_ratio", "FP32", Unit::Share,
         [](P, G, Q q) { return valueOf(q.computeUtilisation[Precision::Fp32]); }, true},
        {"tensor_pipe_utilisation_ratio", "tensor pipe", Unit::Share,
         [](P, G, Q q) { return valueOf(q.tensorUtilisation); }, true},
        {"issue_utilisation_ratio", "instruction issue", Unit::Share,
         [](P, G, Q q) { return valueOf(q.issueUtilisation); }, true},
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
        {"grid", "grid", Unit::Count, a.grid, b.grid},
        {"block", "block", Unit::Count, a.block, b.block},
        {"cluster", "cluster", Unit::Count, cluster(a), cluster(b)},
        {"registers_per_thread", "registers per thread", Unit::Count, known(f.registersPerThread),
         known(t.registersPerThread)},
        {"static_shared_bytes", "static shared memory per block", Unit::Bytes,
         known(f.staticSharedBytes), known(t.staticSharedBytes)},
        {"dynamic_shared_bytes", "dynamic shared memory per block", Unit::Bytes,
         a.dynamicSharedBytes, b.dynamicSharedBytes},
        {"local_bytes_per_thread", "local memory per thread", Unit::Bytes,
         known(f.localBytesPerThread), known(t.localBytesPerThread)},
        {"launches", "launches", Unit::Count, static_cast<std::uint64_t>(a.launches.size()),
         static_cast<std::uint64_t>(b.launches.size())},
    };
}

}  // namespace roofscope::compare
