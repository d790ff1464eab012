// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/model/derived.h"
#include "analyzer/model/finding.h"
#include "analyzer/model/kernel_origin.h"
#include "profile/model/profile.h"

/// What a profile means. Pure functions of a profile; no I/O, no state.
namespace roofscope {

struct TrialResults;  // profile/trials/trial_results.h

struct SourceAnalysis;    // analyzer/source/source_analysis.h
struct OverTimeAnalysis;  // analyzer/over_time/over_time_analysis.h
struct Chains;            // analyzer/chains/chains.h

enum class Level { Dram, L2, L1, Shared };
inline constexpr std::array kLevels{Level::Dram, Level::L2, Level::L1, Level::Shared};
[[nodiscard]] const char* toString(Level level);  ///< "DRAM", "L2", "L1", "shared"

enum class Precision { Fp64, Fp32, Fp16 };
inline constexpr std::array kPrecisions{Precision::Fp64, Precision::Fp32, Precision::Fp16};
[[nodiscard]] const char* toString(Precision precision);  ///< "FP64", "FP32", "FP16"

/// The type that tensor cores multiply. They accumulate in the same type or a wider one.
enum class TensorType { Fp64, Tf32, Bf16, Fp16, Fp8, Int8, Fp4 };
inline constexpr std::array kTensorTypes{TensorType::Fp64, TensorType::Tf32, TensorType::Bf16,
                                         TensorType::Fp16, TensorType::Fp8,  TensorType::Int8,
                                         TensorType::Fp4};
[[nodiscard]] const char* toString(TensorType type);  ///< "FP64", "TF32", "BF16", …

/// What executes the operations: a vector pipe, named by its precision, or the tensor cores, named
/// by the type that they multiply.
class Arithmetic {
public:
    constexpr Arithmetic(Precision precision) : m_value(precision) {}
    constexpr Arithmetic(TensorType type) : m_value(type) {}
    /// Null for the other kind.
    [[nodiscard]] constexpr const Precision* precision() const {
        return std::get_if<Precision>(&m_value);
    }
    [[nodiscard]] constexpr const TensorType* tensor() const {
        return std::get_if<TensorType>(&m_value);
    }
    bool operator==(const Arithmetic&) const = default;

private:
    std::variant<Precision, TensorType> m_value;
};
/// "FP32", or "BF16 tensor" for tensor cores.
[[nodiscard]] const char* toString(const Arithmetic& arithmetic);

/// How L2 and L1 bytes are counted (docs/metrics.md). DRAM and shared memory are counted the same
/// way in both conventions.
enum class Convention {
    Roofscope,  ///< L2: reads and writes; L1: sectors of global and local accesses
    Ncu         ///< as in Nsight Compute's roofline: L2 read return only, L1 write-back
};
[[nodiscard]] const char* toString(Convention convention);  ///< "roofscope", "ncu"
[[nodiscard]] std::optional<Convention> parseConvention(std::string_view name);
/// A sentence for reports whose numbers do not follow our own convention; empty for our own.
[[nodiscard]] Words conventionNote(Convention convention);

/// One slot per enumerator, indexed by the enumerator.
template <class Enum, class T, std::size_t N>
struct EnumArray {
    std::array<T, N> items{};
    T& operator[](Enum e) { return items[static_cast<std::size_t>(e)]; }
    const T& operator[](Enum e) const { return items[static_cast<std::size_t>(e)]; }
};
template <class T>
using PerLevel = EnumArray<Level, T, kLevels.size()>;
template <class T>
using PerPrecision = EnumArray<Precision, T, kPrecisions.size()>;
template <class T>
using PerTensorType = EnumArray<TensorType, T, kTensorTypes.size()>;

/// A roof of the machine: a bandwidth (slope) or an arithmetic rate (flat).
struct Roof {
    enum class Kind { Bandwidth, Compute };
    Kind kind = Kind::Bandwidth;
    Level level = Level::Dram;               ///< for Kind::Bandwidth
    Arithmetic precision = Precision::Fp32;  ///< for Kind::Compute
    double rate = 0;                         ///< B/s or FLOP/s
    bool measured = false;                   ///< measured by `roofscope ceilings`, else theoretical
    std::uint32_t device = 0;
    std::string how;  ///< "1504 B/cycle × 3.20 GHz"
    /// The rate is the die's, and no public figure says whether the board has all of it.
    bool unverified = false;
};

/// Where durations come from.
enum class DurationSource {
    TimingRun,   ///< without counters
    CounterRun,  ///< gpu__time_duration
    Trace        ///< imported from another tool's timeline
};

/// Statistics over the launches of one group.
struct DurationStats {
    Seconds median, min, max, total;
    std::size_t count = 0;
    DurationSource source = DurationSource::CounterRun;
    /// Whether no counters were read meanwhile.
    [[nodiscard]] bool unprofiled() const { return source != DurationSource::CounterRun; }
    /// Duration of the median launch while its counters were read. Set only if launches of more
    /// than 20 µs were at least 20 % shorter while counted. The counters then describe another
    /// state: without page faults, or with nothing running next to the kernel.
    std::optional<Seconds> whileCounted = {};
    /// If `whileCounted` is set: mean durations of the counted launches, in the program and while
    /// counted.
    Seconds sameTimed = {}, sameCounted = {};
    /// Mean duration of the counted launches in the program, if it differs from the median of all
    /// by a quarter or more: launches of one grid may do different work. Not set if `whileCounted`
    /// is.
    std::optional<Seconds> ofCounted = {};

    /// The duration that matches the counters. Gains and roofs are computed from it.
    [[nodiscard]] Seconds judged() const {
        return whileCounted.value_or(ofCounted.value_or(median));
    }
    /// Time of a launch in the program / judged() time: more than 1 if the counters describe
    /// another state.
    [[nodiscard]] double inProgram() const {
        return whileCounted && sameCounted.value > 0 ? sameTimed / sameCounted : 1;
    }
};

/// Launches that are counted together: same kernel, device, launch shape and NVTX range. Launches
/// of one shape whose work differs severalfold form separate groups.
struct LaunchGroup {
    std::uint32_t kernel = 0, device = 0;
    Dim3 grid, block;
    std::optional<Dim3> cluster;
    std::uint64_t dynamicSharedBytes = 0;
    std::optional<std::uint32_t> range;
    std::vector<std::uint32_t> launches;  ///< indices into Profile::launches, ascending
};

/// Bank-conflict estimate for one operation class (see docs/metrics.md): the ideal number of
/// wavefronts is only known to lie in an interval, so the excess is too.
struct ConflictEstimate {
    Derived<double> wavefronts;    ///< per launch (mean); gmma operands left out
    Derived<double> instructions;  ///< shared-memory warp instructions
    Derived<double> idealLow, idealHigh;
    Derived<Ratio> excessCertain;   ///< (wavefronts − idealHigh)/wavefronts, at least 0
    Derived<Ratio> excessPossible;  ///< (wavefronts − idealLow)/wavefronts
    Derived<double> degree;         ///< wavefronts / idealHigh: at least an n-way conflict
};

/// Coalescing estimate for global loads or stores.
struct CoalescingEstimate {  // bytes and counts are per launch (mean)
    Derived<Bytes> requested;
    Derived<double> sectors;
    Derived<double> requests;   ///< warp instructions, asynchronous copies included
    Derived<Ratio> efficiency;  ///< requested / (32 × sectors)
    Derived<double> sectorsPerRequest;
    Derived<double> certainExcess;  ///< sectors beyond requested/32 + requests, at least 0
};

/// Warp instructions by access width; index = log2(bytes): 1, 2, 4, 8, 16 bytes per thread.
struct AccessWidths {
    std::array<Derived<double>, 5> instructions;  ///< global and shared together, per launch (mean)
    /// The share of *global* accesses that is certainly at most 4 bytes wide (widths count global
    /// and shared together, so this is a lower bound).
    Derived<Ratio> globalNarrowCertain;
    /// True if widths are missing and that share was inferred from the cache lines that accesses
    /// touch.
    bool inferred = false;
    /// Upper bound of the bytes moved 8 or 16 at a time, global and shared together; per launch
    /// (mean).
    Derived<Bytes> wideBytesPossible;
};

enum class OccupancyLimiter { None, Registers, SharedMemory, BlockSize, BlocksPerSm };
[[nodiscard]] const char* toString(OccupancyLimiter limiter);

struct Occupancy {
    Derived<double> residentBlocksPerSm;  ///< by the driver's calculator, else by our own formula
    Derived<Ratio> theoretical;
    Derived<Ratio> achieved;
    OccupancyLimiter limiter = OccupancyLimiter::None;  ///< what stops one more block
    Words nextStep;  ///< "48 registers per thread would allow 5 blocks instead of 4", or empty
    Derived<double> waves;
    Derived<Ratio> waveEfficiency;  ///< waves / ⌈waves⌉
    Derived<double> blocks;         ///< of the grid
};

/// Tensor-core operations on one type. A multiply-add counts as two; integer operations are counted
/// in the same unit.
struct TensorWork {
    TensorType type = TensorType::Bf16;
    Derived<Flops> operations;  ///< per launch (mean)
    Derived<FlopsPerSecond> rate;
    /// Share of the theoretical roof for dense products; absent if the chip's table has none.
    Derived<Ratio> utilisation;
    PerLevel<Derived<FlopsPerByte>> intensity;
    /// Not counted, but computed from the cycles in which the pipe is busy.
    bool byBusyCycles = false;
};

/// Everything derived from one launch group. Sums run over the group's launches; ratios are ratios
/// of sums.
struct Quantities {
    DurationStats duration;  ///< count 0 when no duration is known
    /// Set when counter groups took turns over the launches (multiplexing): the fewest and the most
    /// launches that a counter's value is the mean of.
    std::optional<std::pair<std::size_t, std::size_t>> averagedOver;
    PerLevel<Derived<Bytes>> bytes;  ///< per launch (mean)
    PerLevel<Derived<BytesPerSecond>> bandwidth;
    /// The L2 bytes that the counters cover: read returns and stores to global memory. Equals
    /// `bytes`, except that `bytes` is absent when much other traffic reaches the L2 (stores to
    /// local memory, atomics).
    Derived<Bytes> l2Counted;
    PerLevel<Derived<Ratio>> utilisation;  ///< of the level's theoretical roof
    PerPrecision<Derived<Flops>> flops;    ///< per launch (mean)
    PerPrecision<Derived<FlopsPerSecond>> flopRate;
    PerPrecision<Derived<Ratio>> computeUtilisation;
    PerPrecision<PerLevel<Derived<FlopsPerByte>>> intensity;
    /// Every type that the counter group "tensor" counted, also those without operations.
    std::vector<TensorWork> tensor;
    /// Why a type is not in `tensor`: the counters that are missing.
    PerTensorType<SharedText> tensorMissing;
    CoalescingEstimate loads, stores;  ///< global memory
    ConflictEstimate sharedLoads, sharedStores, shared;
    AccessWidths widths;
    Occupancy occupancy;
    Derived<Ratio> sharedPipeUtilisation, tensorUtilisation, issueUtilisation;
    /// tensorUtilisation without the share of packed FP16 instructions (HFMA2). On Hopper they run
    /// on the same pipe, one slot each: an H200 that runs nothing else shows 77 % for both.
    Derived<Ratio> tensorInstructions;
    /// Share of the issue slots of the integer pipe (ALU) and of the special-function unit (XU) in
    /// use; absent without the counter group "pipes".
    Derived<Ratio> integerUtilisation, specialFunctionUtilisation;
    Derived<Ratio> integerProductUtilisation;  ///< absent also where floats use that pipe
    /// Only in imports: memory instructions as a share of what the L1 takes.
    Derived<Ratio> lsuRequests;
    /// Only in imports: Nsight Compute's totals, each the busiest of many units. `how` names the
    /// unit's counter where one has the same value. None of those units is busier than its total.
    Derived<Ratio> smThroughput, memoryThroughput;
    /// Whether memoryThroughput covers DRAM, L2 and L1, not only one of them.
    bool memoryThroughputOfAll = false;
    /// L2 tag look-ups as a share of their peak; absent without the counter group "cache".
    Derived<Ratio> l2TagUtilisation;
    /// Share of the time in which the atomic unit of an L2 slice accepts work: in the busiest
    /// slice, and in the average slice. Absent without the counter group "atomics".
    Derived<Ratio> atomicUnitBusiest, atomicUnitAverage;
    /// The share that the busiest unit can reach: 1, but a third on a GH100 if the atomics go to
    /// few addresses and the unit is busy for just a third, as with floating-point additions.
    Derived<Ratio> atomicUnitReach;
    /// Blocks started per second over the most that the chip starts; absent if that is unknown.
    Derived<Ratio> blockStartUtilisation;
    /// Bytes that each SM must keep in flight to keep the DRAM busy: bandwidth per SM × latency.
    Derived<Bytes> inFlightNeed;
    Derived<Bytes> dramRead, dramWrite, localBytes;  ///< per launch (mean)
    /// Bytes that shared loads request, each byte once per warp instruction; per launch (mean).
    Derived<Bytes> sharedLoadBytes;
    Derived<Hertz> smClock, dramClock;
    Derived<Ratio> smImbalance;  ///< (max − min) / max of sm__cycles_active
    Derived<Ratio> activeLanes;  ///< thread instructions / (32 × warp instructions)
    /// Share of the active lanes' instructions whose predicate was true; the others did nothing.
    Derived<Ratio> predicatedOn;

    /// Share of the theoretical DRAM roof that this mix of reads and writes can reach at best.
    Derived<Ratio> dramAttainable;
    /// Whether dramAttainable comes from ceilings measured on this GPU; else from those of an H200.
    bool dramAttainableMeasured = false;
    /// Share of the pipe's issue slots in use: (add + mul + fma) / peak instructions. Unlike
    /// computeUtilisation it does not count a fused multiply-add twice.
    PerPrecision<Derived<Ratio>> pipeUtilisation;
    /// fma / (add + mul + fma): how much of the arithmetic is fused.
    PerPrecision<Derived<Ratio>> fusedShare;
    /// min(add, mul) / (add + mul + fma): instructions that fusing could save at most.
    PerPrecision<Derived<Ratio>> fusableShare;
    /// All wavefronts of the L1/shared data stage (global, local and shared), per launch.
    Derived<double> lsuWavefronts;
    /// max / avg of sm__cycles_active: how much busier the busiest SM is than the average one, ≥ 1.
    Derived<double> busiestSmFactor;
    Derived<Ratio> localSectorShare;   ///< local sectors / (global + local sectors)
    Derived<double> localSectors;      ///< per launch (mean)
    Derived<double> warpInstructions;  ///< per launch (mean)
    /// Launch::declaredBytes: what the kernel must move as its author says, per launch (mean).
    Derived<Bytes> declaredBytes;
    /// Declared bytes / duration. Not a bandwidth that was measured: what the memory really moved
    /// may be more or less.
    Derived<BytesPerSecond> effectiveBandwidth;
    /// Share of the DRAM copy roof measured on this GPU, or of the theoretical DRAM roof without
    /// one. Above 1 if caches served a part.
    Derived<Ratio> effectiveShare;
    bool effectiveRoofMeasured = false;  ///< true: of the measured copy roof
    Derived<Seconds> counterDuration;    ///< mean gpu__time_duration of the counter run
    /// What replaced counters and formulas that the profile lacks; empty for profiles that
    /// roofscope recorded.
    std::vector<Substitute> substitutes;
};

enum class VerdictClass {
    LaunchBound,
    Underfilled,
    NearRoof,
    MemoryBound,
    ComputeBound,
    Balanced,
    LatencyBound,
    WaitsForPeers,  ///< a kernel of NCCL or NVSHMEM: other GPUs decide how long it takes
    WaitsForPages,  ///< longer in the program than while counted, and the program allocates managed
                    ///< memory
    Unknown
};
/// Whether the counters show what limits the kernel in the program.
[[nodiscard]] constexpr bool isKnown(VerdictClass cls) {
    return cls != VerdictClass::Unknown && cls != VerdictClass::WaitsForPages;
}
[[nodiscard]] const char* toString(DurationSource source);  ///< "timing-run", kebab-case
[[nodiscard]] const char* toString(VerdictClass cls);       ///< "memory-bound", kebab-case
enum class Confidence { Low, Medium, High };
[[nodiscard]] const char* toString(Confidence confidence);

/// How busy one resource is.
struct ResourceUse {
    ResourceId id = ResourceId::Dram;
    bool memory = false;
    Ratio busy;             ///< share of what this kernel can reach
    Ratio ofRoof;           ///< share of the theoretical roof; for DRAM less than `busy`
    bool measured = false;  ///< what it can reach was measured on this GPU
    bool operator==(const ResourceUse&) const = default;
};

/// The numbers that decided a verdict; reports make a sentence of them. What is set depends on the
/// class.
struct VerdictReason {
    std::uint64_t blocks = 0, sms = 0;   ///< Underfilled: fewer blocks than SMs
    SharedText missing;                  ///< Unknown: the counters that are lacking
    std::optional<ResourceUse> leading;  ///< the busiest resource; all other classes
    /// The busiest resource of the other side (memory or compute), if it is in use. If the busiest
    /// is instruction issue: an arithmetic pipe, if one is busier than that.
    std::optional<ResourceUse> second;
    /// The counter behind `leading`, if that is a total of Nsight Compute.
    SharedText counter = {};
    Ratio busyFrom;            ///< LatencyBound: no resource is above this
    bool emptyLaunch = false;  ///< LatencyBound: as short as a launch that does nothing
    std::string stall;         ///< LatencyBound: what most warps wait for, if collected
    Seconds time, gap;         ///< LaunchBound: of a launch, and of the gap after it (medians)
    /// Unknown, WaitsForPages, or with `clocksLowered`: launches took `time` in the program, but
    /// this long while their counters were read.
    std::optional<Seconds> whileCounted = {};
    /// The two times differ because the GPU lowered its clocks in the program (a power cap): the
    /// counters hold there, too. Set for any class that a compute resource decides.
    bool clocksLowered = false;
    /// Rules that could not decide and might change the class. They make the confidence low.
    std::vector<SharedText> undecided = {};
    bool operator==(const VerdictReason&) const = default;
};

struct Verdict {
    VerdictClass cls = VerdictClass::Unknown;
    std::optional<ResourceId> limiter;  ///< what limits the kernel; absent if nothing does
    Confidence confidence = Confidence::Low;
    Derived<Ratio> utilisation;  ///< of the limiting resource
    /// Upper bound of the time that can be saved: with the same traffic and instructions (duration
    /// − duration at the attainable roof, at least 0), or by the finding with the largest gain, if
    /// that is more.
    Derived<Seconds> headroom;
    SharedText headroomFrom;  ///< the rule of that finding; empty if the bound is for the same work
    Derived<double> speedupBound;  ///< duration / attainable duration, at least 1
    VerdictReason reason;
};

/// A dot of the roofline.
struct RooflinePoint {
    Level level = Level::Dram;
    Arithmetic precision = Precision::Fp32;
    FlopsPerByte intensity;
    FlopsPerSecond rate;
};

struct KernelAnalysis {
    LaunchGroup group;
    std::string name;                                 ///< shortened, for people
    std::string wholeName;                            ///< as readable, but not shortened
    std::string fullName;                             ///< demangled
    std::string range;                                ///< NVTX range or empty
    std::optional<std::uint32_t> registersPerThread;  ///< as compiled
    KernelOrigin origin = KernelOrigin::Own;
    Derived<Ratio> timeShare;  ///< of all measured GPU time
    Quantities quantities;
    Verdict verdict;
    /// Dots of the precision with the most operations, and of the tensor cores. Those of the busier
    /// pipe come first.
    std::vector<RooflinePoint> points;
    std::vector<Finding> findings;  ///< ranked by recoverable time; minor ones last
    /// Upper bound of what all findings' edits save together, per launch, including findings of
    /// rules that cannot tell. The load that remains on DRAM and arithmetic pipes, at their
    /// attainable roofs, is the limit. beyondJoint() names what this does not count
    /// (analyzer/diagnosis/joint_gain.h).
    Derived<Seconds> jointGain;
    std::vector<RuledOut> ruledOut;
    /// Checked and not found, but it may still cost 3 % or more: undecided. Largest cost first.
    std::vector<RuledOut> undecided;
    std::vector<CannotTell> cannotTell;
    std::shared_ptr<const SourceAnalysis> source;  ///< null without counters per instruction
    /// Without counters per instruction: those of another instantiation of the same template that
    /// loads the GPU alike (analyzer/diagnosis/sibling_code.h); null if there is none.
    std::shared_ptr<const SourceAnalysis> siblingCode;
    std::shared_ptr<const OverTimeAnalysis> overTime;  ///< null without counters over time
};

/// All occurrences of an NVTX range on one device that were measured as a whole.
struct RangeAnalysis {
    std::string name;  ///< path, outermost first, joined by " > "
    std::uint32_t device = 0;
    std::size_t occurrences = 0;
    std::size_t counted = 0;  ///< how many of them have counters
    /// Occurrences that took more than twice the median of the others (code loading, warm-up). The
    /// median, the busy share and `quantities` leave them out (analyzer/ranges/ranges.h).
    std::size_t slow = 0;
    /// Kernel launches per occurrence; absent unless known for all occurrences.
    std::optional<std::uint64_t> fewestLaunches, mostLaunches;
    DurationStats duration;  ///< all occurrences; rates use meanTime() instead
    /// Share of the time in which a kernel of the range ran: Σ busy / Σ duration of the timing run,
    /// over the occurrences that `quantities` covers.
    Derived<Ratio> busy;
    /// As for launches, per occurrence. Rates and shares use the shown duration where it is known
    /// for all occurrences, because reading counters makes a range or its gaps longer. Values about
    /// grids, registers and occupancy are meaningless here.
    Quantities quantities;
};

/// What a program is judged by.
enum class WindowChoice : std::uint8_t {
    Auto,  ///< by its loop, unless most of its run is neither the loop nor a framework's start-up
    Loop,  ///< by what it repeats
    Run    ///< by the whole run
};

/// A profile and everything derived from it. Immutable; views share it.
struct Analysis {
    std::shared_ptr<const Profile> profile;
    std::vector<Roof> roofs;
    std::vector<KernelAnalysis> kernels;  ///< by total time, longest first
    std::vector<RangeAnalysis> ranges;    ///< by total time, longest first
    std::vector<Words> notes;             ///< chip notes, unverified chip table, …
    std::vector<Substitute> substitutes;  ///< of all kernels, each once
    /// Findings in the sequence of launches (Rule::checkSequence), most time first. A gain is the
    /// sum over the recording; its share is relative to the argument "span" of the finding.
    std::vector<Finding> sequenceFindings;
    std::vector<CannotTell> sequenceCannotTell;
    /// How bytes, bandwidth, utilisation, intensity and dots at L2 and L1 were counted.
    Convention convention = Convention::Roofscope;
    WindowChoice window = WindowChoice::Auto;
    /// Edits that were tried. Where an edit was tried in vain, its actions are left out, and its
    /// findings in library kernels are minor. Null: nothing was tried.
    std::shared_ptr<const TrialResults> trials = {};
};

struct AnalyzeOptions {
    /// Changes what is shown, never what is concluded: verdicts and rules are calibrated on our own
    /// counting and always use it.
    Convention convention = Convention::Roofscope;
    WindowChoice window = WindowChoice::Auto;         ///< for analyzeProgram()
    std::shared_ptr<const TrialResults> trials = {};  ///< null: nothing was tried
    /// Called now and then with the share of the analysis that is done, 0 to 1; may be empty.
    std::function<void(double)> progress = {};
};

/// Analyses a whole profile: groups launches, derives quantities, decides verdicts, runs all rules.
[[nodiscard]] Analysis analyze(std::shared_ptr<const Profile> profile,
                               const AnalyzeOptions& options = {});

/// "void ns::kernel<float, 4>(float const*, int)" → "kernel<float, 4>": return type, namespaces and
/// parameters dropped; at most `maxLength` characters, cut in the middle with "…".
[[nodiscard]] std::string shortKernelName(std::string_view demangled, std::size_t maxLength = 60);

}  // namespace roofscope
