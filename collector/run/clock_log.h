// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "nvml/nvml.h"
#include "profile/profile.h"

namespace roofscope {

/// Adds one look at a GPU. A look that finds it idle, or cannot tell, says nothing about the clocks
/// that kernels ran at and is left out.
void addSample(ObservedClocks& observed, const nvml::Sample& sample);

/// Watches the clocks of all GPUs of this machine from a thread of its own while programs run, by
/// default every 50 ms. It changes nothing, and without NVML it sees nothing.
class ClockLog {
public:
    explicit ClockLog(std::string library = nvml::Library::kName, double periodSeconds = 0.05);
    ~ClockLog();
    ClockLog(const ClockLog&) = delete;
    ClockLog& operator=(const ClockLog&) = delete;

    /// Ends watching and gives each device, by its UUID, what was seen of it. A driver that does
    /// not answer is not waited for.
    void stop(std::vector<Device>& devices);

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
};

}  // namespace roofscope
