// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "collector/inject/launches/count_choice.h"
#include "collector/inject/launches/counting_first.h"
#include "collector/inject/launches/launch_tracker.h"
#include "collector/inject/measuring/call_site_log.h"
#include "collector/inject/measuring/kernel_times.h"
#include "collector/inject/measuring/launch_measurement.h"
#include "collector/inject/measuring/measurement_parts.h"

namespace roofscope::inject {

/// Reads the counters of launches. Each context has a session, which is opened at the first launch
/// that needs it (an open session costs time at every launch, counted or not), and a LaunchTracker,
/// which gives each launch its range.
///
/// With CountFirstMode it counts until that brings nothing new, and is then followed
/// by a measurement of times.
class CountingMeasurement final : public LaunchMeasurement {
public:
    CountingMeasurement(const MeasurementParts& parts, const CountersMode& mode);
    CountingMeasurement(const MeasurementParts& parts, const CountFirstMode& mode);

    void start() override;
    [[nodiscard]] std::optional<RunConfiguration::Mode> next() override;
    void finish() override;
    void writeRest() override;
    void stop() override;
    [[nodiscard]] bool hasEnough() override;

    [[nodiscard]] Choice choose(std::uint64_t signature) override;
    bool begin(BegunLaunch& launch) override;
    [[nodiscard]] bool times(const Choice& choice) const override {
        return timesOthers() && !choice.counted;
    }
    void recorded(std::uint32_t kernel, const LaunchShape& shape) override;
    void end(const EndedLaunch& launch) override;

    void contextEnds(CUcontext context) override;
    bool contextLost(CUcontext context) override;
    void idle(CUcontext context) override;
    [[nodiscard]] bool readyForGraphs(CUcontext context) const override;
    void prepareForGraphs(const KnownContext& context) override;
    void graphSeen() override;
    void peerSeen() override;
    void roundBegan(const std::string& name) override;

    void called(const FollowedCall& call, CUpti_CallbackId id,
                const CUpti_CallbackData& data) override;

private:
    /// By context whose counters were asked for; nullptr: they cannot be read.
    using Trackers = std::map<CUcontext, std::unique_ptr<LaunchTracker>>;

    /// Whether launches that are not counted are timed, one by one.
    [[nodiscard]] bool timesOthers() const { return m_first || m_mode.timeOthers; }
    /// Whether launches are not counted if too much memory would have to be saved for them.
    [[nodiscard]] bool skipsCostlySaving() const { return m_first || m_mode.growMemory; }
    /// Whether repeating a launch would have to save more than the GPU has room for, or
    /// much of the host's memory.
    [[nodiscard]] bool savingCostsTooMuch() const;
    [[nodiscard]] LaunchTracker* trackerOf(CUcontext context) const;
    void open(const KnownContext& context);
    /// Reads the next group of counters, if there is one. The program's loop has to come round
    /// again.
    bool useNextGroup();
    /// Counts from the beginning, with this group.
    void beginGroup(std::size_t group);
    void useGroup(std::size_t group);
    /// Reads of this launch what is to be read: all counters, or some of them.
    void chooseGroup(LaunchTracker& tracker, BegunLaunch& launch);
    /// The group that has the usual counters: the last one, or the first where another one reads
    /// more of some kernels.
    [[nodiscard]] std::size_t usualGroup(const LaunchTracker& tracker) const;
    [[nodiscard]] bool readsUsual(const LaunchTracker& tracker) const;
    /// Whether launches are read in one pass, for which CUPTI saves and repeats nothing.
    [[nodiscard]] bool readsOnePass(const LaunchTracker& tracker) const;
    /// Counts nothing from now on: launches only pass, until the process ends or, if it is to be
    /// timed, until the program has repeated itself.
    void rest();
    /// What follows the counting, if anything does.
    [[nodiscard]] std::optional<RunConfiguration::Mode> following() const;
    [[nodiscard]] bool countedAllPicks();
    /// Once all picked launches have come: whether what is timed or followed beside the counters
    /// may end (CountersMode::restAfter, enoughSeconds).
    [[nodiscard]] bool sawEnough();
    /// Reports a launch whose kernels cannot be told apart. Does not count a launch whose counters
    /// cannot be read, or would cost too much.
    void leaveOutUncountable(BegunLaunch& launch);
    /// Does not count a launch for which too much memory would have to be saved, nor later ones.
    void leaveOutCostly(BegunLaunch& launch);
    void giveUp();
    /// Prepares the session for the launch, whether it is counted or not.
    void prepare(LaunchTracker& tracker, BegunLaunch& launch);
    /// Notes how long counting a launch took.
    void noteCost(const OpenLaunch& launch, CountingCost::Duration took);

    const MeasurementParts& m_parts;
    CountersMode m_mode;
    CountChoice m_choice;
    std::optional<CountingFirst> m_first;  ///< set if a measurement of times is to follow
    TimingMode m_following;                ///< the mode that follows
    bool m_rests = false;                  ///< not at once
    std::size_t m_group = 0;               ///< of counters, if they are read group by group
    CountingFirst::Duration m_spent{};     ///< on the groups before
    CountingFirst::Duration m_most{};      ///< that counting may take
    bool m_gaveUp = false;                 ///< nothing is counted any more
    std::optional<Clock::time_point> m_countedAll;  ///< when all picked launches had come
    bool m_graphsMade = false;                      ///< the group has to stay, if there are several
    KernelTimes m_times;                            ///< of launches that are not counted
    std::unique_ptr<CallSiteLog> m_sites;           ///< set if call sites are recorded
    Trackers m_trackers;
    bool m_graphs = false;  ///< the program uses CUDA graphs
};

}  // namespace roofscope::inject
