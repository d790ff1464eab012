// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collector/cupti/cupti_api.h"
#include "profile/errors/result.h"

namespace roofscope {

/// A CUPTI profiler host object: knows a chip's counters, builds configurations, evaluates
/// counter data. Needs neither a GPU nor a driver. Use a new one for each configuration: after
/// one unknown name it is unusable.
class HostObject {
public:
    /// `counterAvailability` is the image of cuptiProfilerGetCounterAvailability, or empty for "all
    /// counters of the chip"; it must outlive the object.
    static Result<HostObject> create(const CuptiApi& api, const std::string& chip,
                                     std::span<const std::uint8_t> counterAvailability = {},
                                     CUpti_ProfilerType type = CUPTI_PROFILER_TYPE_RANGE_PROFILER);
    HostObject(HostObject&& other) noexcept
        : m_api(other.m_api), m_object(std::exchange(other.m_object, nullptr)) {}
    HostObject& operator=(HostObject&& other) noexcept {
        std::swap(m_api, other.m_api);
        std::swap(m_object, other.m_object);
        return *this;
    }
    HostObject(const HostObject&) = delete;
    HostObject& operator=(const HostObject&) = delete;
    ~HostObject();

    [[nodiscard]] CUpti_Profiler_Host_Object* handle() const { return m_object; }
    /// True if the chip has this counter with this roll-up ("dram__bytes_read.sum"). A name without
    /// a roll-up is not a metric.
    [[nodiscard]] bool hasMetric(const std::string& name) const;
    /// Adds all metrics in one call, because each further call would open new passes.
    Result<void> addMetrics(const std::vector<std::string>& names);
    /// The configuration of the metrics added.
    Result<std::vector<std::uint8_t>> configImage();
    /// Writes the metrics of one range or sample of a counter-data image into `values`, in the
    /// order of the names. Values that CUPTI does not write are NaN.
    [[nodiscard]] CUptiResult evaluate(std::span<const std::uint8_t> counterData, std::size_t index,
                                       const std::vector<const char*>& names,
                                       std::span<double> values) const;

private:
    HostObject(const CuptiApi& api, CUpti_Profiler_Host_Object* object)
        : m_api(&api), m_object(object) {}
    const CuptiApi* m_api;
    CUpti_Profiler_Host_Object* m_object;
};

/// The names as an array for CUPTI; valid as long as `names`.
[[nodiscard]] std::vector<const char*> namePointers(const std::vector<std::string>& names);

/// The number of passes that a configuration needs.
Result<std::size_t> passesOf(const CuptiApi& api, std::span<const std::uint8_t> configImage);

}  // namespace roofscope
