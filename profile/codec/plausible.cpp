// SPDX-License-Identifier: Apache-2.0
#include "profile/codec/plausible.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace roofscope {

namespace {

struct Bounds {
    double least, most;
    /// 0 is always plausible; NaN already means missing.
    [[nodiscard]] bool hold(double value) const {
        return value == 0 || std::isnan(value) || (value >= least && value <= most);
    }
};

/// Counters have 64 bits; rates, shares and averages of them are no larger. The smallest possible
/// share of a peak is one event in days of cycles.
constexpr Bounds kCounter{1e-16, 18446744073709551616.0};
/// Units per cycle of a whole GPU.
constexpr Bounds kPeak{1e-6, 1e12};
/// Hertz.
constexpr Bounds kClock{1e3, 1e12};
/// Seconds: from less than a cycle to some 300 years.
constexpr Bounds kDuration{1e-12, 1e10};
/// Bytes or operations per second.
constexpr Bounds kRate{1, 1e24};

class Cleaner {
public:
    explicit Cleaner(Profile& profile) : m_profile(profile) {}

    void run() {
        counters(m_profile.counters);
        counters(m_profile.rangeCounters);
        for (SourcePass& source : m_profile.sources) counters(source.counters);
        for (OverTime& trace : m_profile.overTime) counters(trace.counters);
        for (Launch& launch : m_profile.launches) clean(launch.duration, kDuration, "duration");
        for (RangeMeasurement& range : m_profile.rangeMeasurements)
            clean(range.duration, kDuration, "duration of a range");
        for (Device& device : m_profile.devices) clean(device);
        if (m_values == 0) return;
        std::string names;
        for (const std::string& name : m_names) names += (names.empty() ? "" : ", ") + name;
        if (m_others) names += ", …";
        // Nsight Compute subtracts counters of different passes, which can give -3 "hits". That
        // says nothing about the rest of the measurement.
        const bool imported = m_profile.capture.origin == "imported";
        m_profile.issues.push_back(
            {.severity = imported ? Severity::Info : Severity::DataLoss,
             .source = "profile",
             .code = "implausible-value",
             .message =
                 fmt::format("{} not plausible and {} as missing: {}",
                             m_values == 1 ? "1 value is" : fmt::format("{} values are", m_values),
                             m_values == 1 ? "counts" : "count", names),
             .advice = imported ? "the tool may have calculated them from passes that differ"
                                : "record again; a GPU cannot have measured them"});
    }

private:
    void dropped(const std::string& name) {
        constexpr std::size_t kNamed = 3;
        ++m_values;
        if (std::ranges::find(m_names, name) != m_names.end()) return;
        if (m_names.size() < kNamed)
            m_names.push_back(name);
        else
            m_others = true;
    }

    void counters(CounterTable& table) {
        for (const std::string& name : table.names()) {
            std::vector<std::size_t> rows;  // collect first: set() invalidates the column
            table.column(name).forEach([&](std::size_t row, double value) {
                if (!kCounter.hold(value)) rows.push_back(row);
            });
            for (const std::size_t row : rows) {
                dropped(name);
                table.set(name, row, std::nan(""));
            }
        }
    }

    template <class Quantity>
    void clean(std::optional<Quantity>& value, Bounds bounds, const char* name) {
        if (!value || bounds.hold(value->value)) return;
        value.reset();
        dropped(name);
    }

    void clean(Device& device) {
        std::erase_if(device.peaks, [this](const auto& peak) {
            const bool gone = !kPeak.hold(peak.second);
            if (gone) dropped(peak.first);
            return gone;
        });
        // A warp has 32 threads on every CUDA GPU so far; 0 means unknown.
        constexpr std::uint32_t kMostOfWarp = 128;
        if (device.warpSize > kMostOfWarp) {
            device.warpSize = 0;
            dropped("threads of a warp");
        }
        if (device.maxThreadsPerSm && *device.maxThreadsPerSm < device.warpSize) {
            device.maxThreadsPerSm.reset();
            dropped("threads of an SM");
        }
        clean(device.smClockMax, kClock, "highest SM clock");
        clean(device.memoryClockMax, kClock, "highest memory clock");
        std::erase_if(device.ceilings, [this](const Ceiling& ceiling) {
            const bool gone = !kRate.hold(ceiling.burst);
            if (gone) dropped(ceiling.name);
            return gone;
        });
    }

    Profile& m_profile;
    std::size_t m_values = 0;
    std::vector<std::string> m_names;  ///< the first few
    bool m_others = false;             ///< there are more
};

}  // namespace

void dropImplausible(Profile& profile) { Cleaner(profile).run(); }

}  // namespace roofscope
