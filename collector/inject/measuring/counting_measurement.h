// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>

#include "collector/inject/launches/count_choice.h"
#include "collector/inject/launches/counter_attribution.h"
#include "collector/inject/launches/counting_first.h"
#include "collector/inject/measuring/call_site_log.h"
#include "collector/inject/measuring/kernel_times.h"
#include "collector/inject/measuring/launch_measurement.h"
#include "collector/inject/measuring/measurement_parts.h"

namespace roofscope::inject {

/// Reads the counters of launches. Each context has a session and a CounterAttribution, which
/// assigns a range to each launch. The session is opened at the first launch that needs it, because
/// an open session costs time at every launch, counted or not.
///
/// With CountFirstMode it counts until nothing new comes; then a measurement of times follows.
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
    /// By context for which counters were requested; nullptr: they cannot be read.
    using Attributions = std::map<CUcontext, std::unique_ptr<CounterAttribution>>;

    /// Whether launches that are not counted are timed, one by one.
    [[nodiscard]] bool timesOthers() const { return m_first || m_mode.timeOthers; }
    /// Whether a launch is left uncounted if too much memory would have to be saved for it.
    [[nodiscard]] bool skipsCostlySaving() const { return m_first || m_mode.growMemory; }
    /// Whether replaying a launch would have to save more than the GPU has room for, or much
    /// page-locked host memory.
    [[nodiscard]] bool savingCostsTooMuch() const;
    [[nodiscard]] CounterAttribution* attributionOf(CUcontext context) const;
    void open(const KnownContext& context);
    /// Reads the next group of counters if there is one. The program's loop must then come round
    /// again.
    bool useNextGroup();
    /// Starts counting again from the beginning, with this group.
    void beginGroup(std::size_t group);
    void useGroup(std::size_t group);
    /// Chooses the counters for this launch: all, or a group of them.
    void chooseGroup(CounterAttribution& attribution, BegunLaunch& launch);
    /// The group with the usual counters: normally the last one; the first one if a later group
    /// adds counters for some kernels (CountersMode::moreOf).
    [[nodiscard]] std::size_t usualGroup(const CounterAttribution& attribution) const;
    [[nodiscard]] bool readsUsual(const CounterAttribution& attribution) const;
    /// Whether launches are read in one pass, for which CUPTI saves and replays nothing.
    [[nodiscard]] bool readsOnePass(const CounterAttribution& attribution) const;
    /// Stops counting: launches only pass from now on. If a timing measurement follows, that lasts
    /// until the program has repeated itself, else until the process ends.
    void rest();
    /// The mode that follows counting, if any.
    [[nodiscard]] std::optional<RunConfiguration::Mode> following() const;
    [[nodiscard]] bool countedAllPicks();
    /// Sets hasAll() if nothing is left to wait for before the process may end.
    void endIfMeasured();
    /// Call it once all picked launches have come. Whether timing and following lines may end now
    /// (CountersMode::restAfter, enoughSeconds).
    [[nodiscard]] bool sawEnough();
    /// CountersMode::enoughSeconds, or 0 if CountersMode::paceKnown and no lines are followed (any
    /// more).
    [[nodiscard]] std::optional<double> enoughSeconds() const;
    /// Leaves out a launch whose counters cannot be read or would take too long. Also reports
    /// launches whose kernels cannot be told apart.
    void leaveOutUncountable(BegunLaunch& launch);
    /// Leaves out a launch for which too much memory would have to be saved, and all later ones.
    void leaveOutCostly(BegunLaunch& launch);
    void giveUp();
    /// Prepares the session for the launch, whether it is counted or not.
    void prepare(CounterAttribution& attribution, BegunLaunch& launch);
    /// Notes how long counting a launch took.
    void noteCost(const OpenLaunch& launch, CountingCost::Duration took);

    const MeasurementParts& m_parts;
    CountersMode m_mode;
    CountChoice m_choice;
    std::optional<CountingFirst> m_first;  ///< set if a measurement of times follows
    TimingMode m_following;                ///< the mode that follows
    bool m_rests = false;                  ///< the program rests before that
    std::size_t m_group = 0;               ///< of counters, if they are read group by group
    CountingFirst::Duration m_spent{};     ///< spent on the previous groups
    CountingFirst::Duration m_most{};      ///< limit of the time for counting
    bool m_gaveUp = false;                 ///< nothing is counted any more
    std::optional<Clock::time_point> m_countedAll;  ///< when all picked launches had come
    bool m_graphsMade = false;                      ///< the group must not change any more
    KernelTimes m_times;                            ///< of launches that are not counted
    std::unique_ptr<CallSiteLog> m_sites;           ///< set if call sites are recorded
    Attributions m_attributions;
    bool m_graphs = false;  ///< the program uses CUDA graphs
    std::atomic<bool> m_endsWithoutRest{false};
    std::atomic<std::uint64_t> m_transfers{0};  ///< calls of the program that copy or fill
};

}  // namespace roofscope::inject
