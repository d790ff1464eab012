// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"
#include "profile/model/autotuning.h"
#include "profile/model/profile.h"

namespace roofscope {

/// Which launches are recorded. The others are not in the profile.
struct LaunchSelection {
    std::string kernel;  ///< regular expression, found anywhere in the name; empty: all
    std::vector<std::string> ranges;  ///< globs; one of them matches an open NVTX range; empty: all
    std::vector<std::string> notRanges;  ///< globs; none of them matches an open NVTX range
    bool autotuning = false;             ///< whether launches within kAutotuningRange are taken
    std::vector<std::uint32_t> devices;  ///< CUDA ordinals; empty: all
    std::uint64_t skip = 0;              ///< of the chosen launches, leave out so many first
    std::optional<std::uint64_t> count;  ///< then take so many
    bool fromStart = true;               ///< false: only between cudaProfilerStart and …Stop

    /// Everything that the program launches except autotuning.
    [[nodiscard]] bool all() const;
};

/// How many occurrences of one NVTX range are measured as a whole, the first ones of a process.
inline constexpr std::uint32_t kMeasuredOccurrences = 32;

/// A program that takes longer until it uses CUDA, in seconds, starts slowly: starting it twice is
/// noticed. Importing PyTorch takes 2 to 4 s.
inline constexpr double kSlowStart = 2;

/// What a timing run records besides kernels.
enum class TimelineDetail {
    Off,   ///< nothing
    Gpu,   ///< copies and memsets on the GPU, and what the CPU waits for
    Full,  ///< also the CPU's side of launches, copies, allocations, code loading and graphs, and
           ///< when NVTX ranges begin and end
};

/// How the injected library is to measure one run of the program: a file in the spool folder, so
/// that child processes of the program find it as well.
struct RunConfiguration {
    enum class Mode {
        Timing,    ///< durations from CUPTI's activity records; no counters
        Counters,  ///< counters through the range profiler
        Source,    ///< counters per instruction, of one launch
        Stalls,    ///< samples of what warps wait for, of the launches in `picks`
        OverTime,  ///< counters over the time of the launches in `picks`
        Ranges,    ///< counters of whole NVTX ranges
    };
    enum class Replay {
        Kernel,       ///< CUPTI replays each launch, once per pass
        Application,  ///< the counters fit one pass; the program runs once per group of them
        Multiplex,    ///< launches run once, and groups of counters take turns on them
    };

    Mode mode = Mode::Counters;
    /// For Mode::Timing: kernels run one after the other and are timed without instrumentation.
    bool serial = false;
    /// For Mode::Counters with Replay::Kernel: so are the launches that are not counted.
    bool timeOthers = false;
    /// Under kernel replay: XLA allocates memory when it needs it, instead of reserving three
    /// quarters of the GPU's at its start, all of which a replay would save. Launches that would
    /// still have to save too much are not counted.
    bool growMemory = false;
    TimelineDetail timeline = TimelineDetail::Full;  ///< for Mode::Timing
    bool callSites = false;  ///< for Mode::Counters: note where CUDA is called from
    /// For Mode::Timing: a process that took `leastStart` seconds until it used CUDA begins as in
    /// Mode::Counters, and times when nothing new comes. Starting it once more would cost more.
    bool countFirst = false;
    double leastStart = kSlowStart;
    Replay replay = Replay::Kernel;
    std::vector<std::string> groups{"default"};
    std::vector<std::string> counters;  ///< further ones, by full CUPTI name
    /// For Replay::Multiplex, in place of `groups` and `counters`: names that fit one pass each.
    std::vector<std::vector<std::string>> passGroups;
    LaunchSelection selection;
    /// Where autotuners leave what they found for later runs, which take it from there instead of
    /// launching candidates: so all runs launch the same kernels. Empty: each run tunes.
    std::string tuningFolder;
    bool tuned = false;  ///< an earlier run filled `tuningFolder`
    /// Empty the L2 before launches. Only for runs in which each launch runs once: not for kernel
    /// replay.
    bool flushCaches = false;
    /// How many launches of one signature get counters under kernel replay, or with multiplexing
    /// from each group of counters; 0: all.
    std::uint32_t perKernel = 0;
    /// Under kernel replay: only one launch of each signature where counting one takes long
    /// (inject::CountingCost).
    bool countOneIfCostly = false;
    /// Which of the launches of a signature get counters (0 is the first of its process), by
    /// launchSignature(). A signature that is not listed gets its first `perKernel`.
    std::map<std::uint64_t, std::vector<std::uint32_t>> picks;
    /// With `perKernel`: a signature that is not listed gets no counters.
    bool onlyPicks = false;
    /// For Mode::Source: which launch, by signature and its index among launches of that signature.
    std::uint64_t sourceSignature = 0;
    std::uint32_t sourceOrdinal = 0;
    /// For Mode::Stalls: a sample every 2^N cycles, 5 to 31.
    std::uint32_t samplingPeriod = 10;
    /// For Mode::OverTime: ns between samples, by launchSignature().
    std::map<std::uint64_t, std::uint64_t> intervals;
    /// Globs: NVTX ranges that are measured as a whole. A timing run says when they occur.
    std::vector<std::string> measuredRanges;
    /// For Mode::Ranges: only ranges inside this many others of them.
    std::uint32_t rangeDepth = 0;
};

/// Launches of one signature have the same name, shape and NVTX range, and are taken to do the same
/// work.
[[nodiscard]] std::uint64_t launchSignature(std::string_view symbol, const Launch& shape,
                                            std::string_view range);
/// The same in two steps, so that the hash of the kernel's symbol, which may have hundreds of
/// characters, is computed only once.
[[nodiscard]] std::uint64_t kernelSignature(std::string_view symbol);
[[nodiscard]] std::uint64_t launchSignature(std::uint64_t kernel, const Launch& shape,
                                            std::string_view range);
[[nodiscard]] std::uint64_t launchSignature(const Profile& profile, const Launch& launch);

/// Name of the file within the spool folder.
inline constexpr const char* kRunConfigurationFile = "configuration.json";
[[nodiscard]] Result<void> writeRunConfiguration(const RunConfiguration& configuration,
                                                 const std::filesystem::path& folder);
/// The run configuration in `folder`. NoInput error if the file does not exist or cannot be opened:
/// this process is not to be recorded.
[[nodiscard]] Result<RunConfiguration> readRunConfiguration(const std::filesystem::path& folder);

}  // namespace roofscope
