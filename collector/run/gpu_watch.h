// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/run/strategy.h"
#include "nvml/nvml.h"
#include "profile/profile.h"

namespace roofscope {

/// Adds one look at a GPU. A look that finds it idle, or cannot tell, says nothing about the clocks
/// that kernels ran at and is left out.
void addSample(ObservedClocks& observed, const nvml::Sample& sample);

/// Watches clocks and memory of all GPUs of this machine from a thread of its own while programs
/// run, by default every 50 ms. It changes nothing, and without NVML it sees nothing.
class GpuWatch {
public:
    /// Returns when it has looked once, or cannot, or that takes too long.
    explicit GpuWatch(std::string library = nvml::Library::kName, double periodSeconds = 0.05);
    ~GpuWatch();
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

    /// Ends watching and gives each device, by its UUID, what was seen of it. A driver that does
    /// not answer is not waited for.
    void stop(std::vector<Device>& devices);
    /// The most memory that was taken since the watch began; absent when nothing was seen of it.
    [[nodiscard]] std::optional<HeldMemory> held(const std::string& uuid) const;

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
};

}  // namespace roofscope
