// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profile/errors/result.h"
#include "profile/model/units.h"

/// The functions of NVML, the driver's management library, that roofscope uses. Loaded if it is
/// installed; only read, never used to change settings.
namespace roofscope::nvml {

/// One sample of a GPU; a value is absent if NVML does not report it.
struct Sample {
    std::optional<Hertz> smClock, memoryClock;
    /// Why clocks are not higher: NVML's bit mask of clocks-event (throttle) reasons.
    std::optional<unsigned long long> reasons;
    std::optional<double> temperatureC, powerW;

    /// Whether the GPU is idle, so that its clocks are lowered; unknown without `reasons`.
    [[nodiscard]] std::optional<bool> idle() const;
};

/// Device memory of a GPU, in bytes; `used` is the sum over all processes.
struct Memory {
    std::uint64_t total = 0, used = 0;
};

/// Throttle reasons in the mask: "power cap", "thermal slowdown". An idle GPU and clocks set by the
/// user do not count as throttling.
[[nodiscard]] std::vector<std::string> throttledBy(unsigned long long reasons);

/// NVML, initialised. Only one thread at a time may use it.
class Library {
public:
    using Gpu = void*;  ///< NVML's handle; valid as long as the library

    /// The file name under which the loader finds NVML.
    static constexpr const char* kName = "libnvidia-ml.so.1";
    /// Loads and initialises NVML; an error says why that failed.
    static Result<std::unique_ptr<Library>> open(const std::string& name = kName);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    /// The GPU with that UUID ("GPU-6f1b…"); null if NVML does not know it.
    [[nodiscard]] Gpu find(const std::string& uuid) const;
    /// UUIDs of all GPUs of this machine that are visible to us.
    [[nodiscard]] std::vector<std::string> uuids() const;
    [[nodiscard]] Sample sample(Gpu gpu) const;
    /// Absent if NVML does not say.
    [[nodiscard]] std::optional<Memory> memory(Gpu gpu) const;

private:
    Library();
    struct Functions;
    std::unique_ptr<Functions> m_functions;
};

}  // namespace roofscope::nvml
