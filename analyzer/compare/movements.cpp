// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/compare/parts.h"
#include "analyzer/counters/counter_names.h"
#include "analyzer/quantities/catalog.h"
#include "analyzer/quantities/quantities.h"

namespace roofscope::compare {

namespace {

Basis basisOf(const Band& a, const Band& b) {
    if (a.agrees && b.agrees) return Basis::Exact;
    return std::min(a.repeats, b.repeats) >= kLeastRepeats ? Basis::Banded : Basis::Unrepeated;
}

/// Ratios of the same counts, summed in another launch order, differ in their last digits. Counts
/// are below 2^46, so counts that really differ do so by more than this.
constexpr double kRounding = 1e-14;

Direction directionOf(const Movement& m) {
    if (!m.from || !m.to) return Direction::Unknown;
    const double change = relativeChange(*m.from, *m.to);
    if (change < kRounding) return Direction::Same;
    const bool real =
        m.basis == Basis::Exact || (change >= kLeastCounterChange &&
                                    (m.basis == Basis::Unrepeated || apart(m.fromBand, m.toBand)));
    if (!real) return Direction::Same;
    return *m.to < *m.from ? Direction::Lower : Direction::Higher;
}

template <class T>
LaunchProperty::Value propertyValue(const std::optional<T>& value) {
    if (!value) return std::monostate{};
    return static_cast<std::uint64_t>(*value);
}

constexpr std::size_t kMostRepeats = 64;

/// At most kMostRepeats launches, evenly spread. Only launches with counters if there are any,
/// because the others have nothing to compare.
std::vector<std::uint32_t> spread(const CounterTable& counters,
                                  const std::vector<std::uint32_t>& launches) {
    std::vector<std::uint32_t> from;
    const std::vector<double> counted = counters.column(counter::kDuration).at(launches);
    for (std::size_t i = 0; i < launches.size(); ++i)
        if (std::isfinite(counted[i])) from.push_back(launches[i]);
    if (from.empty()) from = launches;
    const std::size_t count = std::min(from.size(), kMostRepeats);
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(from[i * from.size() / count]);
    return chosen;
}

/// The quantities that are compared, in the order of the catalog.
const std::vector<const QuantityEntry*>& comparedEntries() {
    static const std::vector<const QuantityEntry*> kEntries = [] {
        std::vector<const QuantityEntry*> entries;
        for (const QuantityEntry& entry : catalog())
            if (entry.uses.compared) entries.push_back(&entry);
        return entries;
    }();
    return kEntries;
}

/// Index of an entry in comparedEntries().
std::size_t placeOf(const QuantityEntry& entry) {
    static const std::vector<std::size_t> kPlaces = [] {
        std::vector<std::size_t> places(catalog().size());
        for (std::size_t i = 0; i < comparedEntries().size(); ++i)
            places[static_cast<std::size_t>(comparedEntries()[i] - catalog().data())] = i;
        return places;
    }();
    return kPlaces[static_cast<std::size_t>(&entry - catalog().data())];
}

}  // namespace

Repeats::Repeats(const Side& side) : m_side(side) {
    const LaunchGroup& group = side.kernel.group;
    // With one launch, the kernel's own quantities are already those of the launch.
    if (group.launches.size() < 2) return;
    m_values.resize(comparedEntries().size());
    LaunchGroup one = group;
    for (const std::uint32_t launch : group.launches.size() > kMostRepeats
                                          ? spread(side.profile().counters, group.launches)
                                          : group.launches) {
        one.launches.assign(1, launch);
        const Quantities quantities =
            deriveQuantities(side.profile(), one, side.formulas.of(group.device));
        const QuantityOf of{side.function(), group, quantities};
        for (std::size_t e = 0; e < m_values.size(); ++e)
            m_values[e].push_back(comparedEntries()[e]->get(of).value.value_or(
                std::numeric_limits<double>::quiet_NaN()));
    }
}

QuantityValue Repeats::value(const QuantityEntry& entry) const {
    return entry.get({m_side.function(), m_side.kernel.group, m_side.kernel.quantities});
}

Band Repeats::band(const QuantityEntry& entry) const {
    if (m_side.kernel.group.launches.empty()) return {};
    if (m_values.empty()) {
        double only = value(entry).value.value_or(std::numeric_limits<double>::quiet_NaN());
        return bandOf({&only, 1});
    }
    if (!entry.uses.compared) return {};
    std::vector<double> own = m_values[placeOf(entry)];
    return bandOf(own);
}

namespace {

/// Whether a quantity belongs to a counter group that is only recorded on request, and neither
/// kernel has any of it.
bool isUnrequested(const QuantityEntry& entry, const QuantityValue& a, const QuantityValue& b) {
    return entry.group != CounterGroup::Default && a.value.value_or(0) <= 0 &&
           b.value.value_or(0) <= 0;
}

Movement movementOf(const QuantityEntry& entry, const Repeats& before, const Repeats& after) {
    const QuantityValue a = before.value(entry), b = after.value(entry);
    Movement m{.key = entry.key,
               .label = entry.label,
               .unit = entry.unit,
               .from = a.value,
               .to = b.value,
               .fromBand = before.band(entry),
               .toBand = after.band(entry),
               .rate = entry.stability == Stability::Time,
               .busy = entry.uses.busy};
    m.basis = basisOf(m.fromBand, m.toBand);
    m.direction = directionOf(m);
    m.missing = a.value ? b.missing : a.missing;
    if (m.from && m.to) m.missing = {};
    return m;
}

}  // namespace

std::vector<Movement> movements(const Side& from, const Side& to) {
    const Repeats before(from), after(to);
    std::vector<Movement> all;
    all.reserve(comparedEntries().size());
    for (const QuantityEntry* const entry : comparedEntries())
        if (!isUnrequested(*entry, before.value(*entry), after.value(*entry)))
            all.push_back(movementOf(*entry, before, after));
    return all;
}

std::vector<LaunchProperty> launchProperties(const Side& from, const Side& to) {
    const LaunchGroup &a = from.kernel.group, &b = to.kernel.group;
    const Kernel &f = from.function(), &t = to.function();
    static const Words& kRegisters = findQuantity("registers_per_thread")->label;
    static const Words& kLocal = findQuantity("local_bytes_per_thread")->label;
    const auto cluster = [](const LaunchGroup& group) { return group.cluster.value_or(Dim3{}); };
    return {
        {"grid", Words("grid"), Unit::Count, a.grid, b.grid},
        {"block", Words("block"), Unit::Count, a.block, b.block},
        {"cluster", Words("cluster"), Unit::Count, cluster(a), cluster(b)},
        {"registers_per_thread", kRegisters, Unit::Count, propertyValue(f.registersPerThread),
         propertyValue(t.registersPerThread)},
        {"static_shared_bytes", Words("static shared memory per block"), Unit::Bytes,
         propertyValue(f.staticSharedBytes), propertyValue(t.staticSharedBytes)},
        {"dynamic_shared_bytes", Words("dynamic shared memory per block"), Unit::Bytes,
         a.dynamicSharedBytes, b.dynamicSharedBytes},
        {"local_bytes_per_thread", kLocal, Unit::Bytes, propertyValue(f.localBytesPerThread),
         propertyValue(t.localBytesPerThread)},
        {"launches", Words("launches"), Unit::Count, static_cast<std::uint64_t>(a.launches.size()),
         static_cast<std::uint64_t>(b.launches.size())},
    };
}

}  // namespace roofscope::compare
