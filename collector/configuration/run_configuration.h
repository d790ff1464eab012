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

/// Which launches are recorded. Others are not in the profile.
struct LaunchSelection {
    std::string kernel;  ///< regular expression, found anywhere in the name; empty: all
    /// Globs; an open NVTX range must match one of them; empty: all.
    std::vector<std::string> ranges;
    std::vector<std::string> notRanges;  ///< globs; no open NVTX range may match one of them
    bool autotuning = false;             ///< whether launches within kAutotuningRange are recorded
    std::vector<std::uint32_t> devices;  ///< CUDA ordinals; empty: all
    std::uint64_t skip = 0;              ///< how many of the chosen launches to leave out first
    std::optional<std::uint64_t> count;  ///< how many to record after that; absent: all
    bool fromStart = true;               ///< false: only between cudaProfilerStart and …Stop

    /// Everything that the program launches except autotuning.
    [[nodiscard]] bool all() const;
};

/// How many occurrences of one NVTX range are measured as a whole: the first ones of a process.
inline constexpr std::uint32_t kMeasuredOccurrences = 32;

/// Picked launches: by launchSignature(), their positions (from 0) among the launches of that
/// signature in their process.
using LaunchPicks = std::map<std::uint64_t, std::vector<std::uint32_t>>;

/// Seconds until a program first uses CUDA. If it takes longer, a user would notice a second start.
/// Importing PyTorch takes 2 to 4 s.
inline constexpr double kSlowStart = 2;

/// What a timing run records besides kernels.
enum class TimelineDetail {
    Off,   ///< nothing
    Gpu,   ///< copies and memsets on the GPU, and the CPU's waits for the GPU
    Full,  ///< also the CPU's side of launches, copies, allocations, code loading and graphs, and
           ///< when NVTX ranges begin and end
};

/// Collects counters of launches. `groups` are those of the chip's table.
struct CountersMode {
    enum class Replay {
        Kernel,       ///< CUPTI replays each launch, once per pass
        Application,  ///< the program runs once per group of counters that fit one pass
        Multiplex,    ///< each launch runs once, and groups of counters take turns
    };

    Replay replay = Replay::Kernel;
    std::vector<std::string> groups{"default"};
    std::vector<std::string> counters;  ///< more counters, by full CUPTI name
    /// For Replay::Multiplex, instead of `groups` and `counters`: groups of names that fit one pass
    /// each.
    std::vector<std::vector<std::string>> passGroups;
    /// How many launches of one signature get counters: in total under kernel replay, from each
    /// group of counters when multiplexing. 0: all.
    std::uint32_t perKernel = 0;
    /// Under kernel replay: count only one launch of each signature if counting one takes
    /// long (inject::CountingCost).
    bool countOneIfCostly = false;
    /// Under kernel replay: counters that need several passes are read in groups that fit one pass,
    /// each group from a different launch. A process in CountFirstMode may also decide this itself.
    bool groupByGroup = false;
    /// Under kernel replay, by launchSignature(): launches that get only hardware counters, because
    /// instrumented ones would take too long. All other launches get all counters.
    std::vector<std::uint64_t> hardwareOnly;
    /// The launches of `hardwareOnly` also get hardware counters of memory accesses by kind, which
    /// take several passes more.
    bool accessesOfLong = false;
    /// Under kernel replay and without `hardwareOnly`: the launches with the signatures `moreOf`
    /// also get the groups `moreGroups`.
    std::vector<std::string> moreGroups;
    std::vector<std::uint64_t> moreOf;
    /// Which of the launches of a signature get counters (0 is the first of its process), by
    /// launchSignature(). A signature that is not listed gets its first `perKernel`.
    LaunchPicks picks;
    /// With `perKernel`: a signature that is not in `picks` gets no counters.
    bool onlyPicks = false;
    /// Under kernel replay: launches that are not counted are timed. They run one after the
    /// other, without instrumentation.
    bool timeOthers = false;
    /// Under kernel replay: XLA allocates memory on demand instead of reserving three quarters of
    /// the GPU's memory at its start, all of which a replay would have to save. Launches that would
    /// still have to save too much are not counted.
    bool growMemory = false;
    bool callSites = false;  ///< record where CUDA is called from
    /// Stop following the program once all picked launches have been measured. Launches of kernels
    /// that were not picked are then not counted, and are missing from this run's profile.
    bool rests = false;
    /// The process rests after this many launch calls, even if it still times launches or follows
    /// Python's lines, which make the rest of the run slower. 0: it goes on until the program ends.
    std::uint64_t restAfter = 0;
    /// With `rests`: seconds in which the program shows enough of its repeating work. It has two
    /// uses. After all picked launches, the process goes on timing launches and following lines for
    /// that long (or until `restAfter`). Then it rests for that long before it may end itself
    /// (RunConfiguration::endsWith). Absent: it does not end itself.
    std::optional<double> enoughSeconds;
    /// The program's own pace is known: in a process that does not follow lines of Python,
    /// `enoughSeconds` counts as 0.
    bool paceKnown = false;
    /// The process does not end itself before it has made this many launch calls, and copies and
    /// fills of memory: their call sites are recorded.
    std::uint64_t untilLaunches = 0, untilTransfers = 0;
};

/// Takes durations from CUPTI's activity records; no counters.
struct TimingMode {
    /// Kernels run one after the other and are timed without instrumentation.
    bool serial = false;
    TimelineDetail timeline = TimelineDetail::Full;
    bool cpuSamples = true;  ///< with a full timeline: sample what the CPU does
    /// For a process that is already running: afterwards also record CUDA's call sites for a while.
    bool callSites = false;
    [[nodiscard]] bool samplesCpu() const {
        return cpuSamples && !serial && timeline == TimelineDetail::Full;
    }
    /// Globs of the NVTX ranges that are measured as a whole (RangesMode). This
    /// run tells when they occur.
    std::vector<std::string> ranges;
};

/// Only notes when launch calls come (inject::PaceLog), so that the program runs as fast as without
/// roofscope. Lasts until the next mode.
struct RestMode {};

/// Only records the call sites of launches and other CUDA calls. Lasts until the next mode.
struct SitesMode {};

/// A process that took `leastStart` seconds or more until it used CUDA counts first, and switches
/// to timing when counting finds nothing new: starting it a second time would cost more. Other
/// processes are only timed.
struct CountFirstMode {
    CountersMode counting;
    TimingMode timing;
    double leastStart = kSlowStart;
    /// Between counting and timing, the program runs unmeasured for a while to show its own pace.
    bool rests = true;
};

/// Counters per instruction of one launch.
struct SourceMode {
    std::uint64_t signature = 0;  ///< launchSignature()
    std::uint32_t ordinal = 0;    ///< index among the launches of that signature
};

/// Warp stall samples of picked launches.
struct StallsMode {
    LaunchPicks picks;
    std::uint32_t samplingPeriod = 10;  ///< a sample every 2^N cycles, 5 to 31
    bool code = false;  ///< also keep the code and lines of picked kernels, as SourceMode does
};

/// Counters over the time of picked launches.
struct OverTimeMode {
    LaunchPicks picks;
    std::map<std::uint64_t, std::uint64_t> intervals;  ///< ns between samples, by signature
};

/// Counters of whole NVTX ranges.
struct RangesMode {
    std::vector<std::string> ranges;  ///< globs
    std::uint32_t depth = 0;          ///< only ranges that are inside this many others of `ranges`
    std::vector<std::string> counters;  ///< by full CUPTI name; they fit one pass
};

/// Captures everything that is needed to run one launch again: code, arguments, and memory before
/// and after it (collector/capture/captured_launch.h).
struct CaptureMode {
    /// launchSignature() of the launch; absent: any launch that the selection allows.
    std::optional<std::uint64_t> signature;
    std::uint64_t ordinal = 0;     ///< index among the launches of that signature in a process
    std::uint64_t limitBytes = 0;  ///< the limit of memory to capture, before compression
    /// Absolute path of an existing folder. Each process that captures creates its own folder
    /// inside.
    std::string folder;
};

/// How the injected library has to measure one run of the program. It is a file in the spool
/// folder, so that child processes of the program find it as well.
struct RunConfiguration {
    /// What is measured of a launch. Each mode has its own measurement class
    /// (collector/inject/measuring).
    using Mode = std::variant<CountersMode, TimingMode, CountFirstMode, SourceMode, StallsMode,
                              OverTimeMode, RangesMode, CaptureMode, RestMode, SitesMode>;

    Mode mode;
    LaunchSelection selection;
    /// Folder where autotuners store their results. Later runs read them there instead of launching
    /// candidates, so all runs launch the same kernels. Empty: each run tunes.
    std::string tuningFolder;
    bool tuned = false;  ///< an earlier run filled `tuningFolder`
    /// Empty the L2 cache before launches. Only for runs in which each launch runs once,
    /// so not for kernel replay.
    bool flushCaches = false;
    /// The process ends itself with this exit code once it has measured everything that this run
    /// needs, unless ending could leave something half done (inject::whatStaysHalfDone()). In that
    /// case the issue kRanToItsEnd says what. Absent: the process runs to its end.
    std::optional<int> endsWith;
};

/// Identifies launches of the same kernel name, shape and NVTX range. They are
/// taken to do the same work.
[[nodiscard]] std::uint64_t launchSignature(std::string_view symbol, const Launch& shape,
                                            std::string_view range);
/// The same in two steps, so that a kernel's symbol, which may have hundreds of characters, is
/// hashed only once.
[[nodiscard]] std::uint64_t kernelSignature(std::string_view symbol);
[[nodiscard]] std::uint64_t launchSignature(std::uint64_t kernel, const Launch& shape,
                                            std::string_view range);
[[nodiscard]] std::uint64_t launchSignature(const Profile& profile, const Launch& launch);

inline constexpr const char* kRanToItsEnd = "ran-to-its-end";

/// Name of the file within the spool folder.
inline constexpr const char* kRunConfigurationFile = "configuration.json";
[[nodiscard]] Result<void> writeRunConfiguration(const RunConfiguration& configuration,
                                                 const std::filesystem::path& folder);
/// Reads the run configuration in `folder`. A NoInput error (the file does not exist or cannot be
/// opened) means that this process is not to be recorded.
[[nodiscard]] Result<RunConfiguration> readRunConfiguration(const std::filesystem::path& folder);

}  // namespace roofscope
