// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "collector/inject/launches/count_choice.h"
#include "collector/inject/measuring/launch_measurement.h"
#include "collector/inject/measuring/measurement_parts.h"
#include "collector/inject/sessions/over_time_session.h"
#include "collector/inject/sessions/sampling_session.h"
#include "collector/inject/sessions/source_session.h"

namespace roofscope::inject {

/// Measures picked launches in detail, each by itself; no other launch is recorded. Picked launches
/// of graphs, and those during a capture, are recorded but not measured.
class DetailMeasurement : public LaunchMeasurement {
public:
    [[nodiscard]] Choice choose(std::uint64_t signature) final;
    bool begin(BegunLaunch& launch) final;
    [[nodiscard]] bool times(const Choice&) const final { return false; }
    void end(const EndedLaunch& launch) final;

protected:
    DetailMeasurement(const Demands& demands, const MeasurementParts& parts, LaunchPicks picks);

    /// The one launch that was measured, with its number and its kernel's id in the spool.
    struct Measured {
        std::uint64_t sequence;
        std::uint32_t kernel;
        const std::string& symbol;
    };
    virtual void measure(const BegunLaunch& launch) = 0;
    virtual void measured(const EndedLaunch& launch, const Measured& one) = 0;

    const MeasurementParts& m_parts;

private:
    PickedLaunches m_picked;
};

/// Counters per instruction of one launch.
class SourceMeasurement final : public DetailMeasurement {
public:
    SourceMeasurement(const MeasurementParts& parts, const SourceMode& mode);

    void codeLoaded(const void* cubin, std::size_t bytes) override {
        m_session.moduleLoaded(cubin, bytes);
    }

private:
    void measure(const BegunLaunch& launch) override;
    void measured(const EndedLaunch& launch, const Measured& one) override;

    SourceSession m_session;
};

/// Warp stall samples.
class StallMeasurement final : public DetailMeasurement {
public:
    StallMeasurement(const MeasurementParts& parts, const StallsMode& mode);

    void codeLoaded(const void* cubin, std::size_t bytes) override {
        m_session.moduleLoaded(cubin, bytes);
    }

    void finish() override { m_session.closeAll(); }
    void cancel(CUcontext context) override { m_session.cancel(context); }
    void contextEnds(CUcontext context) override { m_session.close(context); }
    bool contextLost(CUcontext context) override;

private:
    void measure(const BegunLaunch& launch) override;
    void measured(const EndedLaunch& launch, const Measured& one) override;

    SamplingSession m_session;
};

/// Counters over the time of a launch.
class OverTimeMeasurement final : public DetailMeasurement {
public:
    OverTimeMeasurement(const MeasurementParts& parts, const OverTimeMode& mode);

    void finish() override { m_session.cancel(); }
    void cancel(CUcontext) override { m_session.cancel(); }

private:
    void measure(const BegunLaunch& launch) override;
    void measured(const EndedLaunch& launch, const Measured& one) override;

    std::map<std::uint64_t, std::uint64_t> m_intervals;  ///< ns, by signature
    OverTimeSession m_session;
};

}  // namespace roofscope::inject
