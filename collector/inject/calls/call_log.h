// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "collector/configuration/run_configuration.h"
#include "collector/cupti/cupti_api.h"
#include "collector/inject/calls/followed_calls.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// Records what the CPU does in a timing run: driver calls, and when NVTX ranges begin and end, in
/// the time of CUPTI's activity records. Thread-safe. It waits only for the spool's lock, and for
/// another thread that is writing a function's name.
///
/// A call inside another one (a copy within a module load) counts as part of the outer one.
class CallLog {
public:
    /// Called when a thread makes its first call, with its number in the spool and its thread id.
    using NewThread = std::function<void(std::uint32_t, pid_t)>;

    CallLog(const CuptiApi& cupti, SpoolWriter& spool, TimelineDetail detail, NewThread newThread)
        : m_cupti(cupti), m_spool(spool), m_detail(detail), m_newThread(std::move(newThread)) {}

    /// Whether calls of this function are recorded.
    [[nodiscard]] bool follows(const FollowedCall& call) const;
    [[nodiscard]] bool followsRanges() const { return m_detail == TimelineDetail::Full; }
    /// Begins recording.
    void start() { m_started = true; }
    /// Ends recording; it may begin again.
    void stop() { m_started = false; }

    /// The calling thread enters a call. Our callback calls entering() before its own work and
    /// entered() after it, so that this work does not count as part of the call unless the call
    /// loads code.
    void entering();
    void entered();
    /// The call returns. Our callback calls this before its own work.
    void left(const FollowedCall& call, std::uint32_t correlation);
    /// Code was loaded during the calling thread's open call, so the call counts as one that loads
    /// code.
    void codeLoaded();

    /// An NVTX range began on the calling thread. Returns an id for it; 0: it is not recorded.
    std::uint64_t rangeBegan(std::uint32_t range);
    void rangeEnded(std::uint64_t span);
    void profilerSwitched(bool on);

    /// Gives a number in the spool to a thread that makes no calls. `worker`: it is the first one
    /// of a forked process.
    std::uint32_t addThread(pid_t thread, const std::string& name, bool worker = false);
    /// CUPTI's time in ns; 0: unknown.
    [[nodiscard]] std::uint64_t now() const;

private:
    std::uint32_t thread();
    /// Writes a function's name before its first call is written.
    void tellName(const FollowedCall& call, CallKind kind);

    const CuptiApi& m_cupti;
    SpoolWriter& m_spool;
    TimelineDetail m_detail;
    NewThread m_newThread;
    std::atomic<bool> m_started{false};
    std::atomic<std::uint32_t> m_threads{0};
    std::atomic<std::uint64_t> m_spans{0};
    std::mutex m_namesMutex;  ///< held while a name is written
    std::array<std::atomic<bool>, 2 * std::size_t{CUPTI_DRIVER_TRACE_CBID_SIZE}> m_told{};
};

}  // namespace roofscope::inject
