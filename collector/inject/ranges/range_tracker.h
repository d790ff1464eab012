// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "collector/inject/sessions/range_session.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// Follows the NVTX ranges of a process that are measured as a whole: when each occurs, what is
/// launched in it and, in a run that measures ranges, its counters. Independent of CUPTI and
/// CUDA. Callers serialise calls.
///
/// Only one range is measured at a time, because counters belong to the GPU, not to a thread. So
/// each run measures ranges of one nesting depth. A range that begins in another thread meanwhile
/// is not measured, and an issue says so.
class RangeTracker {
public:
    using Clock = std::chrono::steady_clock;
    using Context = const void*;  ///< of CUDA; only compared
    /// A context and the spool's id of its device.
    struct Place {
        Context context = nullptr;
        std::uint32_t device = 0;
    };
    /// Opens the counters of a context. Returns null if they cannot be read; an issue then says
    /// why.
    using Open = std::function<std::unique_ptr<RangeSession>(Context)>;
    struct Options {
        std::vector<std::string> globs;
        /// The nesting depth to measure; absent: ranges are only followed (timing run).
        std::optional<std::uint32_t> measuredDepth;
        std::uint32_t mostMeasured = kMeasuredOccurrences;  ///< occurrences of each range
        std::uint64_t mostFollowed = 100'000;               ///< occurrences of all ranges
        /// Share of the time since `started` that may be spent on draining early, as in
        /// CounterAttribution.
        double drainShare = 0.15;
        std::function<Clock::time_point()> now = [] { return Clock::now(); };
        std::uint64_t lastTag = 0;  ///< the last tag of an earlier tracker
    };

    RangeTracker(SpoolWriter& spool, Options options, Open open);

    /// Whether a range of this name is followed.
    [[nodiscard]] bool wants(std::string_view name) const;
    /// Whether this run measures ranges that are inside this many others.
    [[nodiscard]] bool measures(std::uint32_t depth) const {
        return m_options.measuredDepth == depth;
    }

    /// A wanted range begins, inside `depth` others of its thread. `range` is the spool's id of its
    /// path. `current` is the thread's context, if it has one; other contexts join with their first
    /// launch. Returns its tag, never 0.
    std::uint64_t pushed(std::uint32_t range, std::uint32_t depth, std::optional<Place> current,
                         std::uint64_t nextSequence, bool capturing);
    [[nodiscard]] std::uint64_t lastTag() const { return m_lastTag; }
    /// The contexts in which the range reads counters. Wait for their GPU work before popped().
    [[nodiscard]] std::vector<Context> measuredIn(std::uint64_t tag) const;
    void popped(std::uint64_t tag, std::uint64_t nextSequence, bool capturing);
    /// The tracker will not be told of this range's end.
    void forget(std::uint64_t tag);
    /// Whether launches need to be reported, because a range is open.
    [[nodiscard]] bool anyOpen() const { return !m_open.empty(); }
    /// Kernels are about to be launched. `work` is the sum of their signatures; nullopt if the
    /// kernels are unknown. Instrumented counters do not see kernels of CUDA graphs. With `graph`,
    /// these counters of the range would be too small and are left out.
    void launching(const Place& place, std::uint64_t kernels, std::optional<std::uint64_t> work,
                   bool graph, bool capturing);
    /// A context was destroyed: pending values are lost and its session is leaked. Returns whether
    /// it had a session.
    bool contextLost(Context context);
    /// The launch reported to launching() has failed.
    void launchFailed(Context context);
    /// A context is about to end, together with its counters.
    void contextEnds(Context context);
    /// Delivers pending results; ranges that are still open are not measured.
    void finish();

private:
    /// What one open range did in one context.
    struct Part {
        std::uint32_t device = 0;
        std::uint64_t launches = 0, work = 0;
        bool known = true;    ///< launches and work are known
        bool graphs = false;  ///< some of the launches were nodes of graphs
        std::string session;  ///< name in the session; empty: not measured there
    };
    struct Window {
        std::uint32_t range = 0, ordinal = 0, depth = 0;
        std::uint64_t begin = 0;
        std::map<Context, Part> parts;
    };
    struct Counters {
        std::unique_ptr<RangeSession> session;  ///< null: cannot be read
        std::uint32_t device = 0;
        struct Ended {
            RangeFacts facts;
            bool graphs = false;
        };
        std::map<std::string, Ended> pending;  ///< ranges that ended, by their name in the session
        bool open = false;                     ///< a range is open
        bool peaksWritten = false;
        Clock::duration drainTime{}, lastDrain{};
    };

    Counters& countersOf(const Place& place);
    void forgetContext(Context context);
    void begin(Window& window, const Place& place);
    /// Ends the session's open range, if any; false after a failure.
    bool end(Counters& counters);
    void drain(Counters& counters);
    void drainIfCheap(Counters& counters);
    void fail(Counters& counters, const Error& error);
    void tell(std::size_t count, Severity severity, const char* code, std::string_view what,
              const char* advice);

    SpoolWriter& m_spool;
    Options m_options;
    Open m_openSession;
    Clock::time_point m_started;
    std::map<std::uint64_t, Window> m_open;  ///< by tag
    std::map<Context, Counters> m_counters;
    std::optional<std::uint64_t> m_measured;  ///< tag of the open range that reads counters
    std::map<std::uint32_t, std::uint32_t> m_ordinals;  ///< by range
    std::uint64_t m_lastTag, m_lastName = 0, m_followed = 0;
    /// Occurrences without counters, by reason.
    std::size_t m_beyond = 0, m_overlapping = 0, m_cutShort = 0, m_unfollowed = 0;
};

}  // namespace roofscope::inject
