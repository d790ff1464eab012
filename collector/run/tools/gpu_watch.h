// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/configuration/held_memory.h"
#include "nvml/nvml.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Adds one sample. Skips samples of an idle GPU, because they do not show the clocks during
/// kernels, and samples that do not tell whether the GPU is idle.
void addSample(ObservedClocks& observed, const nvml::Sample& sample);

/// Adds samples that were taken later.
void addSamples(ObservedClocks& observed, const ObservedClocks& later);

/// Samples clocks and memory of all GPUs of this machine in a thread while programs run, by default
/// every 50 ms. Changes nothing; without NVML there are no samples.
class GpuWatch {
public:
    /// Returns after the first sample, or earlier if sampling is impossible or takes too long.
    explicit GpuWatch(std::string library = nvml::Library::kName, double periodSeconds = 0.05);
    ~GpuWatch();
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

    /// Stops sampling and writes the observed clocks to each device, matched by UUID: of all
    /// samples, or only of those from `since` on (in the time of std::chrono::steady_clock, to the
    /// second). Does not wait for a driver that hangs.
    void stop(std::vector<Device>& devices, std::optional<Seconds> since = {});
    /// The most memory that was taken since the watch began; absent if memory was not sampled.
    [[nodiscard]] std::optional<HeldMemory> held(const std::string& uuid) const;

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
};

}  // namespace roofscope
