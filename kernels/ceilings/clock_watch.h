// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "profile/model/units.h"

namespace roofscope::kernels {

/// A GPU's clocks over a period of time.
struct ClockReport {
    std::optional<Hertz> lowestSm, highestSm;
    /// Whether clocks were throttled: by power, temperature or an external brake.
    std::optional<bool> throttled;
    std::string reasons;  ///< "power cap, thermal slowdown", or empty
};

/// Samples a GPU's clocks through NVML; changes nothing. Without NVML reports are empty and
/// whyNot() says why.
class ClockWatch {
public:
    /// `uuid`: "GPU-6f1b…".
    explicit ClockWatch(const std::string& uuid);
    ~ClockWatch();
    ClockWatch(const ClockWatch&) = delete;
    ClockWatch& operator=(const ClockWatch&) = delete;

    /// Starts sampling, every few milliseconds, in a separate thread.
    void start();
    /// Stops sampling.
    ClockReport stop();
    /// Why clocks cannot be sampled, as a sentence without a full stop; empty if they can.
    [[nodiscard]] const std::string& whyNot() const { return m_whyNot; }

private:
    struct Watch;
    std::unique_ptr<Watch> m_watch;
    std::string m_whyNot;
};

/// "power cap, thermal slowdown" for NVML's mask of reasons. Leaves out reasons that are not
/// throttling (idle, clocks set by the user).
[[nodiscard]] std::string throttleWords(unsigned long long reasons);

}  // namespace roofscope::kernels
