// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "profile/units.h"

namespace roofscope::kernels {

/// What was seen of a GPU's clocks during some time.
struct ClockReport {
    std::optional<Hertz> lowestSm, highestSm;
    /// Whether something held clocks back: power, temperature, an external brake.
    std::optional<bool> throttled;
    std::string reasons;  ///< "power cap, thermal slowdown", or empty
};

/// Watches a GPU's clocks through NVML, which is loaded when it is there; it changes nothing.
/// Without NVML reports are empty and whyNot() says why.
class ClockWatch {
public:
    /// `uuid`: "GPU-6f1b…".
    explicit ClockWatch(const std::string& uuid);
    ~ClockWatch();
    ClockWatch(const ClockWatch&) = delete;
    ClockWatch& operator=(const ClockWatch&) = delete;

    /// Begins to look, every few milliseconds, from a thread of its own.
    void start();
    /// Ends looking.
    ClockReport stop();
    /// Why clocks cannot be watched, as a sentence without a full stop; empty when they can.
    [[nodiscard]] const std::string& whyNot() const { return m_whyNot; }

private:
    struct Watch;
    std::unique_ptr<Watch> m_watch;
    std::string m_whyNot;
};

/// "power cap, thermal slowdown" for NVML's mask of reasons; reasons that hold nothing back (idle,
/// clocks set by the user) are left out.
[[nodiscard]] std::string throttleWords(unsigned long long reasons);

}  // namespace roofscope::kernels
