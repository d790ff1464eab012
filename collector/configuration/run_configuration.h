// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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

/// Which launches, by launchSignature() and their positions (from 0) among those of that signature
/// in their process.
using LaunchPicks = std::map<std::uint64_t, std::vector<std::uint32_t>>;

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

/// Counters of launches. `groups` are those of the chip's table.
struct CountersMode {
    enum class Replay {
        Kernel,       ///< CUPTI replays each launch, once per pass
        Application,  ///< the counters fit one pass; the program runs once per group of them
        Multiplex,    ///< launches run once, and groups of counters take turns on them
    };

    Replay replay = Replay::Kernel;
    std::vector<std::string> groups{"default"};
    std::vector<std::string> counters;  ///< further ones, by full CUPTI name
    /// For Replay::Multiplex, in place of `groups` and `counters`: names that fit one pass each.
    std::vector<std::vector<std::string>> passGroups;
    /// How many launches of one signature get counters under kernel replay, or with multiplexing
    /// from each group of counters; 0: all.
    std::uint32_t perKernel = 0;
    /// Under kernel replay: only one launch of each signature where counting one takes long
    /// (inject::CountingCost).
    bool countOneIfCostly = false;
    /// Which of the launches of a signature get counters (0 is the first of its process), by
    /// launchSignature(). A signature that is not listed gets its first `perKernel`.
    LaunchPicks picks;
    /// With `perKernel`: a signature that is not listed gets no counters.
    bool onlyPicks = false;
    /// Under kernel replay: launches that are not counted are timed, one after the other and
    /// without instrumentation.
    bool timeOthers = false;
    /// Under kernel replay: XLA allocates memory when it needs it, instead of reserving three
    /// quarters of the GPU's at its start, all of which a replay would save. Launches that would
    /// still have to save too much are not counted.
    bool growMemory = false;
    bool callSites = false;  ///< note where CUDA is called from
};

/// Durations from CUPTI's activity records; no counters.
struct TimingMode {
    /// Kernels run one after the other and are timed without instrumentation.
    bool serial = false;
    TimelineDetail timeline = TimelineDetail::Full;
    /// Globs: NVTX ranges that are measured as a whole (RangesMode). This run says when they occur.
    std::vector<std::string> ranges;
};

/// A process that took `leastStart` seconds until it used CUDA counts, and times when nothing new
/// comes: starting it once more would cost more. Others are only timed.
struct CountFirstMode {
    CountersMode counting;
    TimingMode timing;
    double leastStart = kSlowStart;
};

/// Counters per instruction of one launch.
struct SourceMode {
    std::uint64_t signature = 0;  ///< launchSignature()
    std::uint32_t ordinal = 0;    ///< among the launches of that signature
};

/// Samples of what warps wait for, of picked launches.
struct StallsMode {
    LaunchPicks picks;
    std::uint32_t samplingPeriod = 10;  ///< a sample every 2^N cycles, 5 to 31
};

/// Counters over the time of picked launches.
struct OverTimeMode {
    LaunchPicks picks;
    std::map<std::uint64_t, std::uint64_t> intervals;  ///< ns between samples, by signature
};

/// Counters of whole NVTX ranges.
struct RangesMode {
    std::vector<std::string> ranges;    ///< globs
    std::uint32_t depth = 0;            ///< only ranges inside this many others of them
    std::vector<std::string> counters;  ///< by full CUPTI name; they fit one pass
};

/// How the injected library is to measure one run of the program: a file in the spool folder, so
/// that child processes of the program find it as well.
struct RunConfiguration {
    /// What is measured of a launch. Each has a measurement of its own
    /// (collector/inject/measuring).
    using Mode = std::variant<CountersMode, TimingMode, CountFirstMode, SourceMode, StallsMode,
                              OverTimeMode, RangesMode>;

    Mode mode;
    LaunchSelection selection;
    /// Where autotuners leave what they found for later runs, which take it from there instead of
    /// launching candidates: so all runs launch the same kernels. Empty: each run tunes.
    std::string tuningFolder;
    bool tuned = false;  ///< an earlier run filled `tuningFolder`
    /// Empty the L2 before launches. Only for runs in which each launch runs once: not for kernel
    /// replay.
    bool flushCaches = false;
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
