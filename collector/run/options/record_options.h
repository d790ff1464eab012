// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "collector/run/options/question.h"
#include "collector/run/processes/child_process.h"
#include "collector/run/strategy/replay_strategy.h"
#include "collector/run/strategy/representative_launches.h"
#include "collector/run/tools/declared_bytes.h"
#include "nvml/nvml.h"
#include "profile/errors/result.h"
#include "profile/model/profile.h"

namespace roofscope {

/// How many launches of a kernel are counted: three show whether they differ.
inline constexpr std::uint32_t kDefaultPerKernel = 3;
/// The same for kernels that take little time: two show whether a counter is exact.
inline constexpr std::uint32_t kDefaultPerSmallKernel = 2;

/// What the L2 cache holds when a launch begins.
enum class CacheControl {
    None,  ///< what the program left in it
    Flush  ///< none of the program's data: it is flushed before launches, in timing runs and where
           ///< each launch runs once (not under kernel replay)
};

struct RecordOptions {
    std::vector<std::string> command;            ///< program and arguments; no shell is involved
    std::vector<std::string> groups{"default"};  ///< counter groups
    std::vector<std::string> counters;           ///< more counters, by full CUPTI name
    ReplayChoice replay = ReplayChoice::Auto;
    /// Number of runs without counters, from which durations come. 0: the program runs once, with
    /// counters and durations from the same run. Absent: 1, or 0 in a rank that an MPI launcher
    /// started if nothing else needs several runs.
    std::optional<unsigned> timingRuns;
    bool timingOnly = false;  ///< no counters at all
    LaunchSelection selection;
    /// How many launches of one kernel, shape and NVTX range get counters: in total under kernel
    /// replay, from each group of counters when multiplexing. 0: all.
    std::uint32_t perKernel = kDefaultPerKernel;
    /// The same for kernels that take less than kSmallShare of the GPU's time.
    std::uint32_t perSmallKernel = kDefaultPerSmallKernel;
    /// Under kernel replay: count only one launch of each if counting one takes more than 50 ms.
    bool countOneIfCostly = true;
    /// Under kernel replay: read only hardware counters of kernels whose instrumented counters
    /// would take long.
    bool sparesLongKernels = true;
    std::vector<std::string> ranges;  ///< globs: NVTX ranges that are measured as a whole
    SourceRequest source;  ///< kernels that are measured per instruction, in one more run for each
    /// Sample the warp stalls of these kernels per instruction, in one more run.
    bool stallSamples = true;
    /// Kernels whose counters are sampled over the time of a launch, in one more run for all.
    SourceRequest overTime;
    CacheControl cacheControl = CacheControl::None;
    TimelineDetail timeline = TimelineDetail::Full;
    /// With a full timeline: sample what the CPU's threads do in the timing run.
    bool cpuSamples = true;
    /// Record in a run with counters which lines of the program call CUDA.
    bool callSites = true;
    std::vector<DeclaredBytes> declaredBytes;  ///< become Launch::declaredBytes
    std::optional<double> timeoutSeconds;      ///< for each run of the program
    std::optional<double> timeLimitSeconds;    ///< for the whole recording, questions included
    /// What happens to processes that the program leaves running when it ends by itself.
    Leftovers leftovers = Leftovers::Stay;
    /// Whether a kernel that takes much of the time should be read in advance with the groups that
    /// follow-up questions usually ask for, so that no further run is needed. Empty: no kernel is.
    std::function<bool(const Profile&, const Kernel&)> asksAhead;
    /// The loop for which the program is judged; nullopt: later runs show its own pace until they
    /// end. Empty: unknown.
    std::function<std::optional<JudgedLoop>(const Profile&)> judgedLoop;
    /// Later runs continue until the program ends by itself, instead of ending when they have
    /// measured everything that they are for.
    bool wholeRuns = false;
    /// Called after everything that these options ask for was read, if the program may run again
    /// (checkQuestions()) and has not failed. It asks follow-up questions until it has enough.
    std::function<void(const RecordingInProgress&)> followUp;
    /// Called when everything else has been read, if the program has not failed. Returns a launch
    /// that another run captures into a folder. Called again after that run, until it returns
    /// nullopt. If a launch could not be captured, an issue says why.
    std::function<std::optional<CaptureMode>(const Profile&)> keep;
    /// Instead of `command`, for a process that measures one of its own functions. Calls the
    /// function once; it is recorded into the folder, which holds the run configuration. An
    /// error ends the recording.
    std::function<Result<ChildEnd>(const std::filesystem::path& folder)> callOnce;
    /// With `callOnce`: the recorded part happens only once.
    bool onlyOnce = false;
    bool tellTimes = false;  ///< tell how long each run of the program took
    /// Receives progress lines, and the end of the output of a failed run.
    std::function<void(const std::string&)> progress;
    /// The file libroofscope_inject.so; searched for if absent.
    std::optional<std::filesystem::path> library;
    /// The command that the profile shows instead of `command` (for roofscope-kernels, which is
    /// started by its path).
    std::vector<std::string> shownCommand;
    std::string nvml = nvml::Library::kName;  ///< the library that reads clocks during timing runs
};

/// Checks options without GPU and program: groups are known, patterns compile, and there is a
/// timing run if one is needed. Errors: Usage.
Result<void> checkRecordOptions(const RecordOptions& options);

/// Whether the program may be run again for follow-up questions (RecordOptions::followUp). Errors:
/// Usage if an option forbids it, Unavailable if it is impossible here (ranks).
Result<void> checkQuestions(const RecordOptions& options);

/// RecordOptions::timingRuns, or its default here.
[[nodiscard]] unsigned timingRunsOf(const RecordOptions& options);

/// Checks that a chip table knows each of the counter groups. Errors: Usage, with the list of known
/// groups.
[[nodiscard]] Result<void> checkGroups(const std::vector<std::string>& groups);

/// Whether the program cannot be started a second time from here (a rank of an MPI launcher), or
/// its recorded part does not come again.
[[nodiscard]] bool runsOnce(const RecordOptions& options);

/// What a recording would do, without running the program. With `chip` it needs no GPU and no
/// driver.
struct RecordPlan {
    std::string chip;
    std::vector<std::string> counters;
    std::vector<std::pair<std::string, std::string>> dropped;  ///< counter and why
    std::size_t kernelPasses = 0;                              ///< per launch, with kernel replay
    std::vector<std::vector<std::string>> runs;  ///< counters of each run of application replay
    std::vector<std::string> severalPasses;      ///< counters that only kernel replay can read
};
Result<RecordPlan> planRecord(const RecordOptions& options, const std::string& chip);

}  // namespace roofscope
