// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/measuring/call_site_log.h"
#include "collector/inject/measuring/launch_measurement.h"
#include "collector/inject/measuring/measurement_parts.h"

namespace roofscope::inject {

/// Only records from where the program launches and calls CUDA (SitesMode).
class SiteMeasurement final : public LaunchMeasurement {
public:
    explicit SiteMeasurement(const MeasurementParts& parts)
        : LaunchMeasurement({.turns = false, .callSites = true, .sitesOnly = true}),
          m_sites(parts.driver, parts.spool, parts.captures, CallSiteLog::Program::IsRunning) {}

    void writeRest() override { m_sites.finish(); }
    [[nodiscard]] Choice choose(std::uint64_t) override { return {}; }
    bool begin(BegunLaunch& launch) override {
        for (std::size_t i = 0; i < launch.open.decisions.size(); ++i) {
            const LaunchRequest& request = launch.launched.kernels[i];
            if (const auto* const kernel = launch.open.decisions[i].kernel)
                m_sites.launched(kernel->id, {.grid = request.grid, .block = request.block});
        }
        return false;
    }
    [[nodiscard]] bool times(const Choice&) const override { return false; }
    void called(const FollowedCall& call, CUpti_CallbackId id,
                const CUpti_CallbackData& data) override {
        m_sites.called(call, id, data);
    }

private:
    CallSiteLog m_sites;
};

}  // namespace roofscope::inject
