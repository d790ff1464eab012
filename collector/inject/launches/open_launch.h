// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "collector/inject/launches/kernel_table.h"
#include "collector/inject/launches/launch_turns.h"
#include "collector/inject/threads/per_thread.h"

/// What the injected library remembers in each thread from one callback to the next.
namespace roofscope::inject {

using Clock = std::chrono::steady_clock;

class LaunchMeasurement;

/// What is decided for one launch.
struct Choice {
    bool recorded = false;  ///< it enters the profile
    bool counted = false;   ///< its counters are read or samples are taken
};

/// What was decided for one kernel of a launch call.
struct Decision {
    const KernelTable::Known* kernel = nullptr;  ///< set if the launch is recorded
    std::uint64_t signature = 0;                 ///< launchSignature(), if the choice depends on it
    Choice choice;
};

/// What the calling thread does between the entry and the exit of a launch call.
struct OpenLaunch {
    int depth = 0;    ///< launch calls nest when the driver launches on behalf of another call
    int passing = 0;  ///< the same for calls that only pass because the process rests (PaceLog)
    bool locked = false;
    bool orderKnown = true;
    LaunchMeasurement* measurement = nullptr;  ///< the measurement that began the launch
    /// When the call was entered; epoch: it is not traced.
    Clock::time_point entered;
    /// When counting the launch began; epoch: none of its kernels is counted.
    Clock::time_point countedSince;
    std::vector<Decision> decisions;       ///< kept to reuse its memory
    std::vector<std::uint64_t> sequences;  ///< in the spool; empty: nothing of it is recorded
    CUfunction function = nullptr;         ///< of a single launch; nullptr for a graph
    std::uint32_t kernel = 0;              ///< of the last launch, by its id in the spool
    std::string symbol;  ///< of the last launch; only if one launch is measured in detail
    LaunchParameters parameters;
};
inline OpenLaunch& openLaunch() { return perThread<OpenLaunch>(); }
/// When the calling thread began to wait for the GPU.
inline thread_local Clock::time_point t_waiting;
/// The calling thread has launched something, so its waits delay the program's launches.
inline thread_local bool t_launches = false;
/// Time that our callbacks took in the calling thread since its last launch.
inline thread_local Clock::duration t_between{};

/// Adds the time of a callback to t_between; for callbacks that do not belong to a launch.
class BetweenLaunches {
public:
    BetweenLaunches() = default;
    ~BetweenLaunches() { t_between += Clock::now() - m_begun; }
    BetweenLaunches(const BetweenLaunches&) = delete;
    BetweenLaunches& operator=(const BetweenLaunches&) = delete;

private:
    Clock::time_point m_begun = Clock::now();
};
/// Set while roofscope itself calls the driver, so that its calls are not taken for the program's.
inline thread_local bool t_inside = false;

struct Inside {
    bool before = std::exchange(t_inside, true);
    ~Inside() { t_inside = before; }
};

/// Gives the calling thread's turn back when it goes out of scope.
struct ReleaseLaunchTurn {
    LaunchTurns& turns;
    ~ReleaseLaunchTurn() {
        if (std::exchange(openLaunch().locked, false)) turns.unlock();
    }
};

}  // namespace roofscope::inject
