// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "analyzer/counters/counter_names.h"
#include "analyzer/honesty/bulk_copies.h"
#include "analyzer/honesty/review.h"
#include "profile/chips/chip.h"

namespace roofscope::honesty {
namespace {

/// Sum over all launches; absent if one lacks the counter.
std::optional<double> sum(const Profile& profile, std::string_view counter) {
    const CounterColumn column = profile.counters.column(counter);
    double total = 0;
    std::size_t measured = 0;
    column.forEach([&](std::size_t, double value) {
        total += value;
        ++measured;
    });
    if (measured != profile.launches.size() || measured == 0) return std::nullopt;
    return total;
}

std::optional<double> plus(std::optional<double> a, std::optional<double> b) {
    if (!a || !b) return std::nullopt;
    return *a + *b;
}

/// The sum of a counter of bulk copies; 0 if no GPU has such copies.
std::optional<double> bulk(const Profile& profile, std::string_view counter) {
    for (const Device& device : profile.devices)
        if (hasBulkCopies(device)) return sum(profile, counter);
    return 0;
}

struct Moved {
    double read = 0, written = 0;
};
/// Bytes moved by copies and memsets; absent if they were not recorded.
std::optional<Moved> byCopies(const Profile& profile) {
    for (const Process& process : profile.processes)
        if (!process.timeline || !process.timeline->copies) return std::nullopt;
    Moved moved;
    for (const Transfer& transfer : profile.timeline.transfers) {
        const auto bytes = static_cast<double>(transfer.bytes);
        if (transfer.kind != TransferKind::Memset) moved.read += bytes;
        moved.written += bytes;
    }
    return moved;
}

/// Sum of a per-launch quantity over all launches. The counters behind it differ from chip to chip.
std::optional<Bytes> perCall(const Analysis& analysis, Derived<Bytes> Quantities::*quantity) {
    double total = 0;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const Derived<Bytes>& one = kernel.quantities.*quantity;
        if (!one.has()) return std::nullopt;
        total += one->value * static_cast<double>(kernel.group.launches.size());
    }
    return Bytes{total};
}

template <class T>
std::optional<T> as(std::optional<double> value) {
    return value ? std::optional<T>(T{*value}) : std::nullopt;
}

}  // namespace

bool hasBulkCopies(const Device& device) {
    return chipHas(device, ChipFeature::BulkCopies).value_or(true);
}

CallFacts callFacts(const Analysis& analysis) {
    const Profile& profile = *analysis.profile;
    CallFacts facts{.launches = profile.launches.size()};
    double time = 0;
    bool timed = true;
    for (const Launch& launch : profile.launches) {
        timed = timed && launch.duration;
        if (launch.duration) time += launch.duration->value;
    }
    if (timed) facts.kernelTime = Seconds{time};
    const auto copies = byCopies(profile);
    const auto copied = [&](double Moved::*side) {
        return copies ? std::optional<double>((*copies).*side) : std::nullopt;
    };
    if (profile.launches.empty()) {  // copies alone may produce a result
        facts.loaded = as<Bytes>(copied(&Moved::read));
        facts.stored = as<Bytes>(copied(&Moved::written));
        return facts;
    }
    // Asynchronous copies and atomics are part of the total, but neither loads nor stores.
    const auto all = sum(profile, counter::kGlobalBytes);
    const auto loads = sum(profile, counter::kGlobalLoadBytes);
    const auto stores = sum(profile, counter::kGlobalStoreBytes);
    std::optional<double> others;
    if (all && loads && stores) others = std::max(*all - *loads - *stores, 0.0);
    facts.loaded = as<Bytes>(plus(plus(plus(loads, others), bulk(profile, counter::kBulkReadBytes)),
                                  copied(&Moved::read)));
    facts.stored =
        as<Bytes>(plus(plus(plus(stores, others), bulk(profile, counter::kBulkWriteBytes)),
                       copied(&Moved::written)));
    facts.dramRead = perCall(analysis, &Quantities::dramRead);
    facts.dramWritten = perCall(analysis, &Quantities::dramWrite);
    facts.instructions = sum(profile, counter::kWarpInstructions);
    return facts;
}

}  // namespace roofscope::honesty
