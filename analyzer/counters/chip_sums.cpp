// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/chip_sums.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "profile/boards/board.h"

namespace roofscope {

// Names in the order of the enumerators; the assertion fails if one is missing.
std::string_view peakKey(Level level) {
    constexpr PerLevel<std::string_view> kKeys{{"dram", "l2", "l1", "shared"}};
    static_assert(!kKeys.items.back().empty());
    return kKeys[level];
}

std::string_view peakKey(Precision precision) {
    constexpr PerPrecision<std::string_view> kKeys{{"fp64", "fp32", "fp16"}};
    static_assert(!kKeys.items.back().empty());
    return kKeys[precision];
}

std::string_view peakKey(TensorType type) {
    constexpr PerTensorType<std::string_view> kKeys{{"tensor_fp64", "tensor_tf32", "tensor_bf16",
                                                     "tensor_fp16", "tensor_fp8", "tensor_int8",
                                                     "tensor_fp4"}};
    static_assert(!kKeys.items.back().empty());
    return kKeys[type];
}

double ChipSum::apply(std::span<const double> sums, std::size_t first) const {
    double total = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) total += weights[i] * sums[first + i];
    return total;
}

ChipSum chipSum(const ChipTable* chip, std::initializer_list<std::string_view> keys) {
    ChipSum sum;
    if (!chip) {
        sum.missing = "counter table of this chip";
        return sum;
    }
    for (const auto key : keys) {
        const auto entry = chip->sums.find(std::string(key));
        if (entry == chip->sums.end() || entry->second.empty()) {
            sum.missing = fmt::format("{} (this chip has no such counters)", key);
            return sum;
        }
        for (const CounterTerm& term : entry->second) {
            sum.counters.push_back(term.counter);
            sum.weights.push_back(term.weight);
            if (!sum.how.empty()) sum.how += " + ";
            sum.how += term.weight == 1.0 ? term.counter
                                          : fmt::format("{:g} × {}", term.weight, term.counter);
        }
    }
    return sum;
}

namespace {

/// Peaks that are equal by construction, for profiles that have only one of them: an L1 has one
/// data stage and one write-back port, and each takes one wavefront per cycle.
constexpr std::pair<std::string_view, std::string_view> kEqualPeaks[] = {
    {"l1tex__data_pipe_lsu_wavefronts.sum.peak_sustained",
     "l1tex__lsu_writeback_active_mem_lgds.sum.peak_sustained"},
    {"l1tex__data_pipe_lsu_wavefronts.sum.peak_sustained",
     "l1tex__lsu_writeback_active_mem_lg.sum.peak_sustained"},
};

/// Bits; not a rate, but stands among the peaks of imported profiles.
constexpr const char* kMemoryBusWidth = "device__attribute_global_memory_bus_width";

std::optional<double> peakOf(const Device& device, std::string& counter) {
    const auto known = [&device](std::string_view name) -> std::optional<double> {
        const auto peak = device.peaks.find(std::string(name));
        if (peak == device.peaks.end() || !(peak->second > 0)) return std::nullopt;
        return peak->second;
    };
    if (const auto peak = known(counter)) return peak;
    for (const auto& [wanted, equal] : kEqualPeaks) {
        if (wanted != counter) continue;
        if (const auto peak = known(equal)) {
            counter = equal;
            return peak;
        }
    }
    // Memories of all kinds transfer twice per cycle of the clock that the driver and CUPTI count:
    // 192 bits of GDDR6 are 48 bytes per cycle, and that is ncu's peak for an RTX 3060, too. For
    // the 6144 bits of an H200 it is 2 % more than CUPTI's peak.
    constexpr double kBitsPerByte = 8, kTransfers = 2;
    if (counter != "dram__bytes.sum.peak_sustained") return std::nullopt;
    const auto bits = known(kMemoryBusWidth);
    if (!bits) return std::nullopt;
    counter = fmt::format("2 × {} / 8", kMemoryBusWidth);
    return kTransfers * *bits / kBitsPerByte;
}

/// FP64 of a board that does less than its die: by its public figure, which is for its highest
/// clock. CUPTI's peak is the die's.
PeakRate fp64OfCutDownBoard(const Device& device, const ChipTable::Peak& peak) {
    PeakRate rate;
    rate.clock = peak.clock;
    const Board* const board = findBoard(device.name);
    const double figure = board && board->rates.contains("fp64") ? board->rates.at("fp64") : 0;
    const double clock = device.smClockMax ? device.smClockMax->value : 0;
    if (!(figure > 0) || !(clock > 0)) {
        rate.missing = "fp64 peak of this board (less than its die's)";
        return rate;
    }
    rate.counter = fmt::format("public figure for {} / highest clock", device.name);
    rate.perCycle = figure / clock;
    rate.countPerCycle = rate.perCycle / peak.weight;
    return rate;
}

}  // namespace

PeakRate peakRate(const ChipTable* chip, const Device& device, std::string_view key) {
    PeakRate rate;
    if (!chip) {
        rate.missing = "counter table of this chip";
        return rate;
    }
    const auto entry = chip->peaks.find(std::string(key));
    if (entry == chip->peaks.end()) {
        rate.missing = fmt::format("{} peak (this chip has none)", key);
        return rate;
    }
    if (key == "fp64" && isCutDown(device.name)) return fp64OfCutDownBoard(device, entry->second);
    rate.counter = entry->second.counter;
    rate.clock = entry->second.clock;
    if (entry->second.perSm > 0) {
        if (isCutDown(device.name)) {
            rate.missing = fmt::format("{} peak per SM of this board (less than its die's)", key);
            return rate;
        }
        rate.counter = fmt::format("{:g} × SMs", entry->second.perSm);
        if (device.smCount == 0) {
            rate.missing = "number of SMs";
            return rate;
        }
        rate.perSm = entry->second.perSm;
        rate.countPerCycle = rate.perCycle = rate.perSm * device.smCount;
        return rate;
    }
    const auto peak = peakOf(device, rate.counter);
    if (!peak) {
        rate.missing = rate.counter;
        return rate;
    }
    rate.countPerCycle = *peak;
    rate.perCycle = *peak * entry->second.weight;
    return rate;
}

}  // namespace roofscope
