// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "collector/inject/launches/group_rotation.h"
#include "collector/inject/sessions/counter_session.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// Matches the launches of one context with the ranges of its counter session, and decides when to
/// drain. Independent of CUPTI and CUDA. Callers serialise calls.
///
/// Ranges carry no names: range i of a batch belongs to the i-th launch issued since the last
/// drain. If the numbers differ, the batch cannot be attributed. Its launches then get no counters,
/// and an issue says so, because wrong counters would be worse than none.
class CounterAttribution {
public:
    using Clock = std::chrono::steady_clock;
    struct Options {
        /// Share of the time since `started` that may be spent on draining early. A drain takes
        /// about 11 ms and saves the measurements from a crash or _exit. A full batch is always
        /// drained. The set-up counts as time, so that a short program is drained every time.
        double drainShare = 0.15;
        /// The same for changing to another group of counters at the first launch that needs it.
        /// With several groups there is no other early draining, because a change drains as well.
        double switchShare = 0.3;
        /// How many launches of one signature each group of counters measures; later ones are not
        /// measured. 0: no limit.
        std::uint32_t enough = 0;
        /// Groups do not take turns: useGroup() says which one is read.
        bool groupByGroup = false;
        std::function<Clock::time_point()> now = [] { return Clock::now(); };
        std::optional<Clock::time_point> started;  ///< default: now
    };

    CounterAttribution(std::uint32_t device, std::unique_ptr<CounterSession> session,
                       SpoolWriter& spool, Options options);
    CounterAttribution(std::uint32_t device, std::unique_ptr<CounterSession> session,
                       SpoolWriter& spool)
        : CounterAttribution(device, std::move(session), spool, Options{}) {}

    /// The sequence of a launch that is not recorded.
    static constexpr std::uint64_t kUnwanted = ~std::uint64_t{0};

    /// Call it before launches are issued (one launch, or all kernel nodes of a graph) to make room
    /// for them. If none of them is `wanted`, the session pauses if that is cheap. If groups of
    /// counters take turns, the `signature` of a single wanted launch may change the group, and the
    /// session pauses during launches that need no group. Returns false if these launches are not
    /// to be counted.
    bool prepare(std::size_t launches, bool wanted = true,
                 std::optional<std::uint64_t> signature = {});
    /// Call it before a launch of an unknown number of kernels: a graph that decides on the GPU
    /// what it runs. Pending ranges are delivered first. The session pauses if that is cheap;
    /// otherwise ranges until the next prepare() are dropped, whatever is passed to issued().
    void prepareUnknown();
    /// Launches that were issued successfully, in the order in which they will run, including
    /// kUnwanted ones. If `orderKnown` is false (parallel branches of a graph with different
    /// kernels), their ranges are expected but assigned to no launch.
    void issued(const std::vector<std::uint64_t>& sequences, bool orderKnown = true);
    /// Resumes a paused session. A graph that is instantiated while the session is
    /// paused could never be measured.
    void resume();
    /// Pauses until the next wanted launch, whatever that costs: autotuning must run undisturbed,
    /// because its kernels wait for the host and its modules come and go.
    void suspend();
    /// How many groups of counters there are.
    [[nodiscard]] std::size_t groups() const { return m_session->groups(); }
    /// Reads this group from the next wanted launch on; only with Options::groupByGroup.
    void useGroup(std::size_t group);
    /// The group that is read; 0 at first.
    [[nodiscard]] std::size_t group() const { return m_group; }
    /// Whether CUPTI runs a counted launch several times.
    [[nodiscard]] bool replays() const {
        return m_session->passes() > 1 && m_session->pausesCheaply();
    }
    /// The launches of the current batch ran in an unknown order: none of them gets counters.
    void loseOrder() { m_orderLost = m_orderLost || !m_paused; }
    /// Called when draining does no harm (after a launch or a synchronisation).
    void idle();
    /// Delivers what is pending and ends the session.
    void finish();

    [[nodiscard]] std::size_t pending() const { return m_pending.size(); }
    [[nodiscard]] bool failed() const { return m_failed; }
    [[nodiscard]] bool paused() const { return m_paused; }

private:
    void drain(bool pause);
    void pause();
    /// The part of prepare() for a single launch if groups take turns. True
    /// if the launch is left out.
    bool takeTurns(std::uint64_t signature);
    /// Sets the group of counters that runs after the next drain, or when the session resumes.
    void choose(std::size_t group);
    /// Whether the time for one more drain stays within this share.
    [[nodiscard]] bool affordable(double share) const;
    void fail(const Error& error);

    std::uint32_t m_device;
    std::unique_ptr<CounterSession> m_session;
    SpoolWriter& m_spool;
    Options m_options;
    struct Pending {
        std::uint64_t sequence;
        bool orderKnown;
    };
    std::vector<Pending> m_pending;
    std::optional<GroupRotation> m_rotation;
    std::size_t m_group = 0;     ///< the group that useGroup() chose
    std::size_t m_unneeded = 0;  ///< launches in a row that did not need the current group
    std::optional<std::uint64_t> m_upcoming;  ///< signature of the launch that was prepared
    bool m_orderLost = false;
    bool m_unknownKernelsRan = false;  ///< unknown kernels may have run
    bool m_paused = false;
    Clock::time_point m_started;
    Clock::duration m_drainTime{};
    Clock::duration m_lastDrain{};
    bool m_peaksWritten = false;
    bool m_failed = false;
    bool m_finished = false;
};

}  // namespace roofscope::inject
