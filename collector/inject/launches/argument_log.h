// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collector/inject/launches/launch_arguments.h"

namespace roofscope::inject {

/// Records which buffers each launch received. A launch only stores those words of its parameters
/// that may be addresses. resolve() asks the driver about them later, because asking takes many
/// times as long as everything else that is recorded of a launch.
///
/// The driver's answers are kept until memory is allocated or freed, but at most for a second.
/// Thread-safe, except that calls of launched() and forgetHandles() must be serialised.
class ArgumentLog {
public:
    using Clock = std::chrono::steady_clock;

    ArgumentLog(const DriverApi& driver, SpoolWriter& spool) : m_driver(driver), m_spool(spool) {}

    /// The driver accepted the launch `sequence`, and its parameters can still be read. `function`
    /// may be a CUkernel.
    void launched(std::uint64_t sequence, CUfunction function, const LaunchParameters& parameters);
    /// Something other than a kernel wrote to `address`; nullopt: the address is unknown.
    void written(std::optional<CUdeviceptr> address);
    /// Modules were unloaded: the driver may reuse handles for other functions.
    void forgetHandles() { m_layouts.clear(); }

    /// Asks the driver about the stored words, and writes the answers to the spool. False: there
    /// were none. Without `keepAnswers` it asks about every word, which is needed where calls that
    /// allocate and free are not followed.
    bool resolve(bool keepAnswers);
    /// Memory is about to be freed, so the stored words are resolved first. Their launches get no
    /// arguments if that is impossible: the driver must not be asked now (`mayAsk` is false), or
    /// another thread is resolving and does not finish in time.
    void beforeFree(bool mayAsk);
    /// Memory was allocated or freed.
    void allocationsChanged() { m_changed = true; }

private:
    enum class Kind : std::uint8_t { Launch, Written, WrittenAnywhere };
    struct Entry {
        Kind kind = Kind::Launch;
        std::uint64_t number = 0;  ///< of the launch; or the address that was written
        /// Index of its first word; they end where those of the next entry begin.
        std::size_t first = 0;
    };
    struct Waiting {
        std::vector<Entry> entries;
        std::vector<PointerWord> words;
    };

    const std::optional<ParameterLayout>& layoutOf(CUfunction function);
    bool resolveWaiting(bool keepAnswers);
    void resolve(std::uint64_t sequence, std::span<const PointerWord> words);
    std::optional<BufferTable::Allocation> allocationOf(std::uint64_t address);
    void forgetAnswers();

    const DriverApi& m_driver;
    SpoolWriter& m_spool;
    /// By launched function; nullopt: the driver does not know the layout.
    std::unordered_map<CUfunction, std::optional<ParameterLayout>> m_layouts;
    std::mutex m_waitingMutex;  ///< held only briefly
    Waiting m_waiting;
    std::atomic<bool> m_changed{false};       ///< allocationsChanged()
    std::atomic<std::uint64_t> m_giveUps{0};  ///< how often beforeFree() gave up
    std::timed_mutex m_resolving;             ///< guards what follows
    Waiting m_batch;                          ///< kept to reuse its memory
    std::uint64_t m_giveUpsAtBatch = 0;       ///< m_giveUps when m_batch was taken
    BufferTable m_buffers;
    std::map<std::uint64_t, BufferTable::Allocation> m_allocations;  ///< by start
    std::unordered_set<std::uint64_t> m_noAddresses;
    Clock::time_point m_askedSince;
};

}  // namespace roofscope::inject
