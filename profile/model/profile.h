// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profile/model/argument_lists.h"
#include "profile/model/call_sites.h"
#include "profile/model/counter_table.h"
#include "profile/model/cpu_samples.h"
#include "profile/model/launch_pace.h"
#include "profile/model/launch_shape.h"
#include "profile/model/over_time.h"
#include "profile/model/snap.h"
#include "profile/model/source_pass.h"
#include "profile/model/timeline.h"
#include "profile/model/units.h"

/// What was measured, and nothing else. Everything derived is computed on load by the analyzer.
namespace roofscope {

/// The schema version that this build writes. Files with a newer major version are refused.
inline constexpr int kSchemaVersion = 1;

enum class Severity { Info, DataLoss, Error };

/// A problem during recording. Never silently dropped: reports list all of them.
struct Issue {
    Severity severity = Severity::Info;
    std::string source;   ///< Component that reports it: "inject", "record", "planner".
    std::string code;     ///< Stable identifier, kebab-case: "counter-unavailable".
    std::string message;  ///< One sentence.
    std::string advice;   ///< What to do, or empty.
};

/// A roof of one GPU measured by `roofscope ceilings`: the best rate that any of its kernels
/// reached.
struct Ceiling {
    enum class Kind {
        Bandwidth,  ///< rates are bytes per second
        Compute     ///< rates are operations per second; a fused multiply-add is two
    };
    std::string name;  ///< "dram_read", "fp32", "tensor_bf16" (docs/ceilings.md)
    Kind kind = Kind::Bandwidth;
    double burst = 0;                          ///< best of many runs of a few milliseconds
    std::optional<double> burstMedian;         ///< middle of those runs
    std::optional<double> sustained;           ///< back to back for a second or longer
    std::optional<Ratio> spread;               ///< of the short runs: interquartile range / median
    std::optional<double> theoretical;         ///< by the data sheet, at the maximum clock
    std::optional<std::uint64_t> bufferBytes;  ///< touched by one launch
    std::string method;                        ///< what was launched
    std::string measuredUtc;                   ///< ISO 8601
    std::optional<Hertz> sustainedSmClock;     ///< lowest during the sustained run
    /// Whether clocks were throttled during the measurement; absent if that could not be seen.
    std::optional<bool> throttled;
    std::string throttleReasons;  ///< "sustained: power cap", or empty
};

/// What NVML showed of a GPU during the timing run. Only read, never changed.
struct ObservedClocks {
    /// Number of samples taken while the GPU was busy; samples of an idle GPU, whose clocks are
    /// low, do not count. Everything below is about these samples.
    std::uint32_t samples = 0;
    std::optional<Hertz> smLowest, smHighest, memoryLowest, memoryHighest;
    /// In how many samples the clocks were throttled; absent if that could not be seen.
    std::optional<std::uint32_t> throttledSamples;
    std::vector<std::string> throttledBy;  ///< reasons: "power cap", "thermal slowdown"
    std::optional<double> temperatureHighestC, powerHighestW;
};

/// One GPU. Limits come from the driver; an absent limit was not reported.
struct Device {
    std::string name;  ///< "NVIDIA H200"
    std::string uuid;  ///< "GPU-6f1b1a4e-…", as nvidia-smi writes it; empty when unknown
    std::string chip;  ///< CUPTI chip name, "GH100"; empty when unknown.
    int computeMajor = 0, computeMinor = 0;
    std::uint32_t smCount = 0;
    std::uint32_t warpSize = 32;
    std::optional<std::uint32_t> maxThreadsPerSm, maxThreadsPerBlock, maxBlocksPerSm;
    std::optional<std::uint32_t> registersPerSm;  ///< 32-bit registers
    std::optional<std::uint32_t> sharedPerSmBytes;
    std::optional<std::uint32_t> sharedPerBlockOptinBytes;
    std::optional<std::uint32_t> sharedReservedPerBlockBytes;
    std::optional<std::uint64_t> l2Bytes, memoryBytes;
    std::optional<Hertz> smClockMax, memoryClockMax;  ///< From driver attributes.
    /// Peak rates per cycle of the unit's clock, by CUPTI name ("dram__bytes.sum.peak_sustained").
    /// They describe the chip and need no counter pass.
    std::map<std::string, double> peaks;
    /// Measured roofs; empty unless `roofscope ceilings` ran on this GPU before.
    std::vector<Ceiling> ceilings;
    /// Absent without a timing run or without NVML.
    std::optional<ObservedClocks> observed;
};

/// The 16-byte UUID from CUDA as text, as nvidia-smi writes it: "GPU-6f1b1a4e-…".
[[nodiscard]] std::string uuidText(std::span<const char, 16> bytes);

/// A kernel function; stored once, however often it is launched.
struct Kernel {
    std::string name;    ///< Demangled; the raw symbol when it cannot be demangled.
    std::string symbol;  ///< As the driver names it.
    std::optional<std::uint32_t> registersPerThread;
    std::optional<std::uint32_t> staticSharedBytes;  ///< per block
    std::optional<std::uint32_t> localBytesPerThread;
    std::optional<std::uint32_t> maxThreadsPerBlock;         ///< launch bounds, as compiled
    std::optional<std::uint32_t> ptxVersion, binaryVersion;  ///< 90 for sm_90
};

/// One launch of a kernel. Row i of Profile::counters belongs to Profile::launches[i].
struct Launch {
    std::uint32_t kernel = 0;   ///< index into Profile::kernels
    std::uint32_t device = 0;   ///< index into Profile::devices
    std::uint32_t process = 0;  ///< index into Profile::processes
    std::uint32_t stream = 0;   ///< dense number per process, 0 is the first stream seen
    Dim3 grid, block;
    std::optional<Dim3> cluster;
    std::uint64_t dynamicSharedBytes = 0;              ///< per block
    std::optional<std::uint32_t> residentBlocksPerSm;  ///< driver's occupancy calculator
    std::optional<std::uint32_t> range;  ///< index into Profile::ranges: innermost NVTX range
    std::optional<Seconds> duration;     ///< unprofiled; absent without a timing run
    /// Start in the timing run, relative to the first launch of the profile. Absent without a
    /// timing run. Never combined from different runs, so that differences are real gaps.
    std::optional<Seconds> start;
    bool fromGraph = false;  ///< node of a CUDA graph launch
    /// In the timing run the launching thread had waited for the GPU since its previous launch.
    /// Also false if unknown (an older profile).
    bool afterSync = false;
    /// Index into Profile::argumentLists: the buffers passed to the kernel. Absent if unknown (a
    /// graph node, an old driver, an older profile).
    std::optional<std::uint32_t> arguments;
    /// Bytes that the kernel must move according to its author, at least 1: declared, not measured.
    std::optional<std::uint64_t> declaredBytes;
};

/// One occurrence of an NVTX range that was measured as a whole (`record --range`), on one device:
/// everything that the GPU did between its push and its pop. Row i of Profile::rangeCounters
/// belongs to Profile::rangeMeasurements[i].
struct RangeMeasurement {
    std::uint32_t range = 0;    ///< index into Profile::ranges
    std::uint32_t process = 0;  ///< index into Profile::processes
    std::uint32_t device = 0;   ///< index into Profile::devices
    std::uint32_t ordinal = 0;  ///< occurrence number within the process, from 0
    std::uint32_t depth = 0;    ///< number of enclosing measured ranges of its thread
    /// Kernels launched during the range, by any thread; absent if they could not be counted.
    std::optional<std::uint64_t> launches;
    /// A hash below 2^53, equal for ranges that launched kernels of the same names and shapes, in
    /// any order.
    std::optional<std::uint64_t> work;
    /// In a timing run: from the start of its first kernel to the end of its last.
    std::optional<Seconds> duration;
    /// In the same run: the part of `duration` in which at least one of its kernels ran.
    std::optional<Seconds> busy;
};

/// When a process ran, in the run that timed its launches, on the clock of Launch::start.
struct ProcessRun {
    TimeSpan time;   ///< from the start of the process to its end
    TimeSpan setup;  ///< setting up the recorder when CUDA was initialised; within `time`
    /// When its first context existed, and when it first called a function that launches a kernel.
    std::optional<Nanoseconds> firstContext = {}, firstLaunch = {};
    /// Until this moment counters were read, which slowed the program. Absent if it was timed from
    /// the start.
    std::optional<Nanoseconds> countedUntil = {};
    auto operator<=>(const ProcessRun&) const = default;
};
/// Whether the times are in order and between start and end.
[[nodiscard]] bool isConsistent(const ProcessRun& run);
/// Whether a profile can hold the times, that is, they are within 2^53 ns of its first launch.
[[nodiscard]] bool fitsIntoProfile(const ProcessRun& run);

/// A profiled process.
struct Process {
    std::int64_t pid = 0;
    std::string host;  ///< machine name; empty if unknown (an older profile)
    /// Rank in a parallel program (MPI, Slurm, torchrun); absent outside of one.
    std::optional<std::uint32_t> rank;
    std::optional<std::uint32_t> localRank;  ///< among those of its host
    std::optional<std::uint32_t> worldSize;  ///< how many ranks there are
    std::string cuptiPath;                   ///< The libcupti that was actually loaded.
    std::uint32_t cuptiVersion = 0;          ///< CUPTI_API_VERSION of it (130001)
    std::uint32_t driverVersion = 0;         ///< cuDriverGetVersion (13000)
    std::uint64_t launchesSeen = 0;          ///< Launches that were issued, measured or not.
    /// Launches that are neither in the profile nor in `launchesSeen`: trials of an autotuner, and
    /// launches not chosen by the options. Absent if not counted (an older profile, a crash).
    std::optional<std::uint64_t> autotuningLaunches = {}, unchosenLaunches = {};
    bool endedCleanly = false;  ///< The library's end record was seen.
    /// Median CPU time of a launch call in the timing run, including the cost of tracing it. Absent
    /// without such a run, or if the process ended early.
    std::optional<Seconds> tracedLaunch;
    /// Peak of page-locked host memory in the timing run. Absent if not counted.
    std::optional<std::uint64_t> pinnedBytes = {};
    /// Which parts of Profile::timeline it recorded. Absent if none (an older profile, no timing
    /// run): then nothing is known about its copies and calls.
    std::optional<TimelineParts> timeline = {};
    /// The host's clock in nanoseconds at time 0 of its launches and timeline. Merging uses it to
    /// align processes of one host. Absent if unknown.
    std::optional<std::uint64_t> clockZero = {};
    /// Absent for an older profile, a recording of only a part of the program, and a process that
    /// was killed.
    std::optional<ProcessRun> run = {};
    /// Samples of what its threads did. Absent if it was not sampled.
    std::optional<CpuSamples> cpuSamples = {};
    /// How fast it issued launches. Absent if not recorded (an older profile).
    std::optional<LaunchPace> pace = {};
};

/// Extra counters of a few launches, read because the usual ones leave questions open
/// (`record --effort`): in further runs of the program, or in the run with counters. They come on
/// top of Capture::groups.
struct FurtherReading {
    std::vector<std::string> groups;      ///< counter groups; "source": counters per instruction
    std::vector<std::uint32_t> launches;  ///< indices into Profile::launches
    std::uint32_t passes = 0;             ///< per launch; 0 when unknown
    bool operator==(const FurtherReading&) const = default;
};

/// How a profile came to be.
struct Capture {
    std::string tool = "roofscope";
    std::string toolVersion;
    std::string createdUtc;  ///< ISO 8601, "2026-11-21T09:30:00Z"
    /// "recorded", "imported" (measured by another tool) or "synthetic" (built by a test helper).
    std::string origin = "recorded";
    /// "kernel" (kernel replay), "application" (one run per group of counters) or "timing" (no
    /// counters); for imports the source.
    std::string strategy;
    std::vector<std::string> groups;    ///< counter groups asked for: "default"
    std::vector<std::string> counters;  ///< further counters asked for by name
    /// The options that chose launches ("--kernel gemm"); empty: all launches. Launches that were
    /// not chosen are not in the profile.
    std::vector<std::string> filters;
    /// How many launches of each kernel, shape and NVTX range were to be counted; absent: all, or
    /// unknown.
    std::optional<std::uint32_t> perKernel = {};
    std::uint32_t passes = 0;                  ///< passes per launch; 0 when unknown
    std::uint32_t timingRuns = 0;              ///< runs without counters, which give the durations
    std::vector<FurtherReading> further = {};  ///< in reading order
    /// "none": caches are as the program leaves them; "flush": the L2 is flushed before launches.
    std::string cacheControl = "none";
    std::string clockControl = "none";  ///< clocks are never changed
    std::vector<std::string> command;   ///< program and arguments
    /// For imports: the other tool and its options ("ncu", "--set", "full"), without output file
    /// and program. Empty if unknown.
    std::vector<std::string> toolCommand;
    std::optional<int> exitCode;    ///< of the program
    std::optional<int> termSignal;  ///< signal that ended the program
    std::optional<Snap> snap = {};  ///< absent: the program was recorded from its start
};

/// Whether the numbers come from a GPU, whichever tool read them.
[[nodiscard]] inline bool isMeasured(const Capture& capture) {
    return capture.origin == "recorded" || capture.origin == "imported";
}

struct Profile {
    Capture capture;
    std::vector<Process> processes;
    std::vector<Device> devices;
    std::vector<Kernel> kernels;
    std::vector<std::string> ranges;  ///< NVTX range names, outermost first, joined by " > "
    std::vector<Buffer> buffers;      ///< of all processes; processes never share an entry
    ArgumentLists argumentLists;      ///< of buffers, each stored once
    std::vector<Launch> launches;
    CounterTable counters;  ///< launches.size() rows
    std::vector<RangeMeasurement> rangeMeasurements;
    CounterTable rangeCounters;       ///< rangeMeasurements.size() rows
    std::vector<SourcePass> sources;  ///< per instruction, only for requested kernels
    std::vector<OverTime> overTime;   ///< per interval, only for requested kernels
    /// Where CUDA is called from, in no particular order; empty if not recorded or none found.
    std::vector<CallSite> callSites;
    Timeline timeline;  ///< besides kernels: copies, calls on the CPU, ranges
    std::vector<Issue> issues;
};

}  // namespace roofscope
