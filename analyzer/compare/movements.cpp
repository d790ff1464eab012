// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/catalog.h"
#include "analyzer/compare/parts.h"
#include "analyzer/quantities.h"
#include "profile/chip.h"

namespace roofscope::compare {

namespace {

/// Enough repeats to know the scatter; all of a long training run would only take time.
constexpr std::size_t kMostRepeats = 64;

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

std::vector<double> valuesOf(const QuantityEntry& entry, const Kernel& function,
                             const Repeats& repeats) {
    std::vector<double> values;
    for (std::size_t i = 0; i < repeats.groups.size(); ++i)
        if (const auto value =
                entry.get({function, repeats.groups[i], repeats.quantities[i]}).value)
            values.push_back(*value);
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
    const auto valueOf = [](const QuantityEntry& entry, const Side& side) {
        return entry.get({side.function(), side.kernel.group, side.kernel.quantities});
    };
    for (const QuantityEntry& entry : catalog()) {
        if (!entry.uses.compared) continue;
        const QuantityValue a = valueOf(entry, from), b = valueOf(entry, to);
        // Where neither kernel has any, nobody asked.
        if (entry.group != CounterGroup::Default && a.value.value_or(0) <= 0 &&
            b.value.value_or(0) <= 0)
            continue;
        Movement m{.key = std::string(entry.key),
                   .label = entry.label,
                   .unit = entry.unit,
                   .from = a.value,
                   .to = b.value,
                   .fromBand = bandOf(valuesOf(entry, from.function(), before)),
                   .toBand = bandOf(valuesOf(entry, to.function(), after)),
                   .rate = entry.stability == Stability::Time};
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
        {"registers_per_thread", findQuantity("registers_per_thread")->label, Unit::Count,
         known(f.registersPerThread), known(t.registersPerThread)},
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
        {"local_bytes_per_thread", findQuantity("local_bytes_per_thread")->label, Unit::Bytes,
         known(f.localBytesPerThread), known(t.localBytesPerThread)},
        {"launches",
         {"launches", "启动次数"},
         Unit::Count,
         static_cast<std::uint64_t>(a.launches.size()),
         static_cast<std::uint64_t>(b.launches.size())},
    };
}

}  // namespace roofscope::compare
