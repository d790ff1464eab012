// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collector/cupti/cupti_api.h"
#include "profile/chips/chip.h"
#include "profile/errors/result.h"

namespace roofscope {

/// What to collect, and on which chip.
struct PlanRequest {
    std::string chip;                        ///< CUPTI chip name, "GH100"
    int computeMajor = 0, computeMinor = 0;  ///< select the family's table if the chip has none
    std::vector<std::string> groups{"default"};
    std::vector<std::string> counters;  ///< more counters, by full CUPTI name
    /// Image of cuptiProfilerGetCounterAvailability. Empty: all counters of
    /// the chip (no GPU needed).
    std::span<const std::uint8_t> counterAvailability;
};

/// Which counters are collected together, and what that costs.
struct CounterPlan {
    /// A wanted counter that is not collected.
    struct Dropped {
        std::string counter;
        std::string reason;  ///< one clause: "not known on GH100"
    };

    std::string chip;
    ChipTable table;                    ///< the table that the plan was made from
    std::vector<std::string> counters;  ///< collected, in the order of the configuration
    std::vector<Dropped> dropped;
    std::vector<std::string> unavailableGroups;  ///< requested, but this chip has no such group
    /// Per-cycle peaks of the table's roofs, evaluated along with the counters. They cost no pass
    /// and are not part of the configuration.
    std::vector<std::string> peaks;
    std::size_t passes = 0;                 ///< per launch
    std::vector<std::uint8_t> configImage;  ///< must not move while a session uses it
};

/// Plans one configuration for all groups together, because separate plans would cost more passes.
///
/// Counters that the chip or the device lacks are dropped and listed; that is no error. Errors:
/// Usage if no chip has a requested group, Unavailable if nothing is left to collect.
Result<CounterPlan> planCounters(const CuptiApi& api, const PlanRequest& request);

/// The groups that some chip's table has, sorted: "cache", "default", ….
[[nodiscard]] std::vector<std::string> knownGroups();

}  // namespace roofscope
