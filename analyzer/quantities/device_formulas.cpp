// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/device_formulas.h"

#include <fmt/format.h>

#include "analyzer/counters/counter_names.h"
#include "analyzer/quantities/coalescing.h"

namespace roofscope {

namespace {

RoofFormula formula(ChipSum sum, const PeakRate& peak) {
    return {.sum = sum,
            .peak = peak,
            .how = sum.how,
            .rate = fmt::format("({}) / duration", sum.how),
            .share = fmt::format("({}) / ({} × {} × {})", sum.how, peak.counter, peak.clock,
                                 counter::kDuration)};
}

IntensityFormula intensityOf(const ChipSum& operations, const ChipSum& bytes) {
    IntensityFormula intensity{.counters = operations.counters,
                               .how = fmt::format("({}) / ({})", operations.how, bytes.how)};
    intensity.counters.insert(intensity.counters.end(), bytes.counters.begin(),
                              bytes.counters.end());
    return intensity;
}

ChipSum levelSum(const ChipTable* chip, Level level, Convention convention) {
    const bool ncu = convention == Convention::Ncu;
    switch (level) {
        case Level::Dram:
            return chipSum(chip, {"dram_bytes_read", "dram_bytes_write"});
        case Level::L2:
            return ncu ? chipSum(chip, {"l2_bytes_ncu"})
                       : chipSum(chip, {"l2_bytes_read", "l2_bytes_write"});
        case Level::L1:
            return chipSum(chip, {ncu ? "l1_bytes_ncu" : "l1_bytes"});
        case Level::Shared:
            return chipSum(chip, {"shared_bytes"});
    }
    return {};
}

/// The counters of a sum that have no column in the table.
std::string notRecorded(const ChipSum& sum, const CounterTable& counters) {
    std::string names;
    for (const auto name : sum.counters)
        if (counters.column(name).empty()) names += (names.empty() ? "" : ", ") + std::string(name);
    return names;
}

std::shared_ptr<const std::vector<Result<ChipTable>>> tablesOf(const std::vector<Device>& devices) {
    auto tables = std::make_shared<std::vector<Result<ChipTable>>>();
    for (const Device& device : devices) tables->push_back(chipTable(device));
    return tables;
}

}  // namespace

DeviceFormulas::DeviceFormulas(const ChipTable* table, const Device& device, Convention counting,
                               std::shared_ptr<const CounterLookup> lookup)
    : chip(table), convention(counting), counters(std::move(lookup)) {
    for (const Level level : kLevels)
        levels[level] =
            formula(levelSum(chip, level, convention), peakRate(chip, device, peakKey(level)));
    const PeakRate& l2Peak = levels[Level::L2].peak;
    const PeakRate& dramPeak = levels[Level::Dram].peak;
    l2Read = formula(chipSum(chip, {"l2_bytes_read"}), l2Peak);
    l2Write = formula(chipSum(chip, {"l2_bytes_write"}), l2Peak);
    dramRead = formula(chipSum(chip, {"dram_bytes_read"}), dramPeak);
    dramWrite = formula(chipSum(chip, {"dram_bytes_write"}), dramPeak);
    for (const Precision precision : kPrecisions) {
        const PeakRate peak = peakRate(chip, device, peakKey(precision));
        flops[precision] =
            formula(chipSum(chip, {fmt::format("{}_flops", peakKey(precision))}), peak);
        pipe[precision] = fmt::format("(add + mul + fma thread instructions) / ({} × {} × {})",
                                      peak.counter, peak.clock, counter::kDuration);
        for (const Level level : kLevels)
            intensity[precision][level] = intensityOf(flops[precision].sum, levels[level].sum);
    }
    for (const TensorType type : kTensorTypes) {
        tensor[type] = formula(chipSum(chip, {fmt::format("{}_ops", peakKey(type))}),
                               peakRate(chip, device, peakKey(type)));
        for (const Level level : kLevels)
            tensorIntensity[type][level] = intensityOf(tensor[type].sum, levels[level].sum);
        tensorNotRecorded[type] = notRecorded(tensor[type].sum, counters->table());
    }
    inFlightNeed =
        fmt::format("{} × {} × latency under load / SMs", dramPeak.counter, dramPeak.clock);
    l2Arrivals = fmt::format(
        "{:g} × {} / ({} / {:g} × {} × {})", kSectorBytes, counter::kL2Arrivals, l2Peak.counter,
        chip ? chip->l2ReturnsPerArrival.value_or(0.0) : 0.0, l2Peak.clock, counter::kDuration);
    dramMix = measuredDramMix(device);
    asyncCopies = !chip || !chip->absent.contains(std::string(baseCounter(counter::kAsyncCopies)));
}

ProfileFormulas::ProfileFormulas(const Profile& profile, std::shared_ptr<const Chips> chips,
                                 std::shared_ptr<const CounterLookup> counters,
                                 std::shared_ptr<const ProductInstructions> products,
                                 Convention convention)
    : m_profile(&profile),
      m_chips(std::move(chips)),
      m_counters(std::move(counters)),
      m_products(std::move(products)) {
    m_formulas.reserve(profile.devices.size());
    for (std::size_t i = 0; i < m_chips->size(); ++i) {
        const Result<ChipTable>& table = (*m_chips)[i];
        m_formulas.emplace_back(table.ok() ? &*table : nullptr, profile.devices[i], convention,
                                m_counters);
        m_formulas.back().products = m_products;
    }
}

ProfileFormulas::ProfileFormulas(const Profile& profile, Convention convention)
    : ProfileFormulas(profile, tablesOf(profile.devices),
                      std::make_shared<const CounterLookup>(profile.counters),
                      std::make_shared<const ProductInstructions>(productInstructions(profile)),
                      convention) {}

ProfileFormulas ProfileFormulas::as(Convention convention) const {
    return {*m_profile, m_chips, m_counters, m_products, convention};
}

}  // namespace roofscope
