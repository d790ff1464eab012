// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "collector/inject/launches/launched_kernels.h"
#include "collector/inject/ranges/nvtx_stack.h"
#include "collector/inject/recording/recording.h"

namespace roofscope::inject {

/// Handles the launch calls of the program: finds out what a call runs, decides what to record,
/// passes it to the current measurement, and writes it to the spool.
class LaunchRecorder {
public:
    explicit LaunchRecorder(Recording& recording) : m_recording(recording) {}

    /// A call with CallRole::Launch begins or returns.
    void called(CUpti_CallbackId id, const CUpti_CallbackData& data);
    /// Lets a launch call pass while the process rests (PaceLog). False if it is to be handled as
    /// usual.
    [[nodiscard]] bool passed(CUpti_CallbackId id, const CUpti_CallbackData& data);

private:
    // `open` belongs to the calling thread.
    void entered(OpenLaunch& open, CUpti_CallbackId id, const CUpti_CallbackData& data);
    void graphEntered(OpenLaunch& open, CUpti_CallbackId id, const CUpti_CallbackData& data);
    /// For a graph that is older than the recording: its kernels become known when they have run.
    /// Called with the state locked.
    void oldGraphEntered(const CUpti_CallbackData& data, CUstream stream);
    /// The profile's number of a stream.
    std::uint32_t numberOf(CUstream stream);
    void begin(OpenLaunch& open, const CUpti_CallbackData& data, const LaunchedKernels& launched);
    /// Takes the calling thread's turn (if launches take turns) and locks the state. If the result
    /// does not own the lock, the launch cannot be recorded.
    [[nodiscard]] StateLock::Held takeTurnAndState(OpenLaunch& open);
    void left(OpenLaunch& open, const CUpti_CallbackData& data);
    void end(OpenLaunch& open, const CUpti_CallbackData& data);
    /// Adds the launch's arguments to the argument log. The driver must have accepted the launch.
    void leaveArguments(const OpenLaunch& open);

    /// Decides for each kernel of a launch whether it is recorded and counted.
    [[nodiscard]] BegunLaunch decide(OpenLaunch& open, const KnownContext& context,
                                     const LaunchedKernels& launched, const NvtxStack& stack);
    void decide(std::size_t i, BegunLaunch& launch, const NvtxStack& stack, bool ofInterest);
    /// Whether launches of this context inside these ranges are recorded, whatever their kernel.
    /// Reports once that autotuning is left out.
    [[nodiscard]] bool ofInterest(const KnownContext& context, const NvtxStack& stack);
    /// Adds a launch to the open measured ranges.
    void follow(RangeTracker& ranges, const KnownContext& context, const LaunchedKernels& launched,
                const std::string& path);
    /// Writes those launches of a call that are recorded to the spool.
    void write(const BegunLaunch& launch, const NvtxStack& stack, std::uint32_t correlation,
               bool afterSync);
    /// Reports that a launch gave up waiting for its turn.
    void reportTurnGivenUp(const LaunchTurns::Turn& turn);

    Recording& m_recording;
    /// By stream and thread.
    std::map<std::pair<CUstream, std::uint64_t>, std::uint32_t> m_streams;
};

}  // namespace roofscope::inject
