// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/compare/kernel_identity.h"
#include "analyzer/model/analysis.h"

/// What changed between two measurements of a kernel, by how much beyond noise, and why. Pure
/// functions of two analyses; texts are phrases with arguments, which renderers fill and escape.
namespace roofscope {

/// How two kernels were matched, the surest way first.
enum class MatchTier {
    Given,         ///< named by the user
    Exact,         ///< same name, NVTX range and launch shape
    NameAndRange,  ///< same name and NVTX range, another launch shape
    Position,      ///< same name, and the same position among the kernels of that name
    Similar        ///< the names are alike, or nothing else is left in the NVTX range
};
[[nodiscard]] const char* toString(MatchTier tier);  ///< "name-and-range", kebab-case

/// Two kernels to compare, as indices into Analysis::kernels.
struct KernelMatch {
    std::size_t baseline = 0, candidate = 0;
    MatchTier tier = MatchTier::Given;
    Words how;  ///< contains no names of the program: "same name, range and shape"
};

/// Which kernels of two profiles belong together, and which have no partner.
struct Matching {
    std::vector<KernelMatch> matches;  ///< in the order of the baseline
    std::vector<std::size_t> gone;     ///< only in the baseline
    std::vector<std::size_t> added;    ///< only in the candidate
    /// False if so many names share words that each was compared with only some of them.
    bool allNamesCompared = true;
};

/// The range in which the middle of repeated measurements lies.
struct Band {
    double low = 0, high = 0;
    std::size_t repeats = 0;  ///< 0: not measured
    bool agrees = false;      ///< at least two repeats, all of the same value
};

/// How far a counter's change can be trusted.
enum class Basis {
    Exact,      ///< all repeats agree on both sides: any difference is real
    Banded,     ///< repeats scatter: a difference is real if the bands do not overlap
    Unrepeated  ///< too few launches on a side to know its scatter
};
[[nodiscard]] const char* toString(Basis basis);  ///< "exact", "banded", "unrepeated"

enum class Direction { Same, Lower, Higher, Unknown };
[[nodiscard]] const char* toString(Direction direction);  ///< "same", "lower", "higher", "unknown"

/// One quantity of a kernel before and after. Values are those of Quantities (means or ratios of
/// sums over the launches); a missing value is absent, never 0.
struct Movement {
    /// In static storage. The key in the report's JSON, if it has one: "dram_read_bytes".
    std::string_view key;
    Words label;  ///< "DRAM bytes read"
    Unit unit = Unit::Count;
    std::optional<double> from, to;
    Band fromBand, toBand;
    Basis basis = Basis::Unrepeated;
    Direction direction = Direction::Unknown;  ///< beyond noise; Unknown when a side has no value
    SharedText missing;  ///< missing counters; if empty and there is no value, the quantity does
                         ///< not apply
    bool rate = false;   ///< a share of a roof or of time: follows the duration
    bool busy = false;   ///< QuantityUses::busy

    /// to / from; absent when one is missing or `from` is 0.
    [[nodiscard]] std::optional<double> ratio() const;
    /// No change beyond noise, or no value on either side.
    [[nodiscard]] bool unmoved() const { return direction == Direction::Same || (!from && !to); }
};

/// A property of the function or its launches, which has no noise.
struct LaunchProperty {
    using Value = std::variant<std::monostate, std::uint64_t, Dim3>;  ///< monostate: not recorded
    std::string_view key;  ///< "registers_per_thread"; in static storage
    Words label;           ///< "registers per thread"
    Unit unit = Unit::Count;
    Value from, to;

    [[nodiscard]] bool known() const { return from.index() != 0 && to.index() != 0; }
    [[nodiscard]] bool changed() const { return known() && from != to; }
};

/// A phrase with arguments, as in RuleText.
struct Remark {
    Words phrase;
    std::vector<Arg> args;
    [[nodiscard]] bool empty() const { return phrase.empty(); }
};

struct DurationChange {
    enum class State { Faster, Slower, WithinNoise, NoiseUnknown, NotComparable, NotMeasured };
    State state = State::NotMeasured;
    Seconds from, to;       ///< medians; 0 when that side is not measured
    Band fromBand, toBand;  ///< of the medians, in seconds
    /// Where both durations come from. CounterRun if only one side has a better source.
    DurationSource source = DurationSource::CounterRun;
    Remark reason;  ///< why there is no verdict, or what weakens it; may be empty

    [[nodiscard]] bool measured() const { return fromBand.repeats > 0 && toBand.repeats > 0; }
    [[nodiscard]] bool changed() const { return state == State::Faster || state == State::Slower; }
    /// How many times shorter the candidate is: 2 is twice as fast, 0.5 half as fast.
    [[nodiscard]] double speedup() const { return from / to; }
    [[nodiscard]] Seconds saved() const { return from - to; }
};
[[nodiscard]] const char* toString(DurationChange::State state);  ///< "within-noise", kebab-case

/// Why a duration changed.
struct Cause {
    enum class State { Found, NotVisible, NotSought };
    State state = State::NotSought;
    std::string id;        ///< "bank-conflicts", "dram-bytes"; empty unless found
    Remark sentence;       ///< one sentence without a full stop
    double explained = 0;  ///< share of the change (of its logarithm) that it accounts for, 0–1
};

enum class Outcome { CameTrue, Partly, Not, CannotTell };
[[nodiscard]] const char* toString(Outcome outcome);  ///< "came-true", "partly", "not", …

/// One expected counter movement, and what the counter did.
struct PromisedMovement {
    ExpectedMovement expected;
    std::optional<double> now;
    std::string missing;
    Outcome outcome = Outcome::CannotTell;
};

/// What became of one finding of the baseline.
struct Promise {
    enum class Fate { Gone, Minor, Still, CannotTell };
    std::string ruleId;
    std::vector<PromisedMovement> movements;
    Outcome outcome = Outcome::CannotTell;
    Fate fate = Fate::CannotTell;  ///< of the finding in the candidate
    Derived<Seconds> gainBound;    ///< promised, per launch
    bool estimate = false;         ///< `gainBound` is no bound (Finding::estimate)
    bool exceeded = false;         ///< more than `gainBound` was saved, beyond noise
};
[[nodiscard]] const char* toString(Promise::Fate fate);  ///< "gone", "minor", "still", …

/// Everything about one pair of kernels.
struct KernelComparison {
    KernelMatch match;
    bool sameGpu = true;
    DurationChange duration;
    Cause cause;
    std::vector<LaunchProperty> launch;
    std::vector<Movement> movements;       ///< always in the order of the catalog
    std::vector<Promise> promises;         ///< one per finding of the baseline that is not minor
    std::vector<std::string> newFindings;  ///< rule ids that the baseline did not show
    std::vector<Remark> notes;             ///< "global stores differ: the same problem?"
    bool inFull = true;                    ///< false: only match, sameGpu and duration are known

    /// Whether anything can be judged: its time, or its counters on the same GPU.
    [[nodiscard]] bool comparable() const;
};

struct ProgramComparison;  // analyzer/compare/program_comparison.h

struct Comparison {
    /// The programs as a whole; null for two kernels of one profile.
    std::shared_ptr<const ProgramComparison> program;
    std::vector<KernelComparison> kernels;  ///< the largest change of GPU time first
    std::vector<std::size_t> gone, added;   ///< kernels without partner
    std::vector<Remark> notes;              ///< about the profiles as a whole
    /// GPU time of all matched kernels; absent when a duration is missing or not comparable, or the
    /// numbers of launches differ.
    std::optional<std::pair<Seconds, Seconds>> total;

    /// False: nothing can be judged. A script must not take that for "no change".
    [[nodiscard]] bool comparable() const;
};

// Thresholds. Smaller differences are not called changes.

/// With fewer launches on a side, the scatter of its durations is not known.
inline constexpr std::size_t kLeastRepeats = 3;
/// From this many on, quartiles bound the middle; with fewer, the minimum and the maximum do.
inline constexpr std::size_t kQuartileRepeats = 8;
/// A smaller change of a duration is never reported. Three consecutive launches of one kernel
/// differ by up to 2.2 % in the profiles recorded on an H200 (kernels longer than 10 µs).
inline constexpr double kLeastDurationChange = 0.025;
/// Nor is a change of fewer nanoseconds between two recordings, because a kernel's start takes a
/// different time in each. In recordings of one program on two H100s, six of 71 kernels of 1.1 to
/// 1.7 us differed by 64 to 128 ns each, in all of their launches.
inline constexpr Seconds kLeastBetweenRecordings{200e-9};
/// The threshold if the scatter is unknown. Two launches of one kernel differ by 38 % in the
/// recorded PyTorch profile, because the first one ran cold.
inline constexpr double kLeastUnrepeatedChange = 0.40;
/// A smaller change of a counter that scatters, or whose scatter is unknown, is never reported.
inline constexpr double kLeastCounterChange = 0.01;
/// Clocks this close do not matter: a kernel's own power draw moves them as much (a transpose with
/// and without bank conflicts on one H200: 2.7 %).
inline constexpr double kClockTolerance = 0.03;
/// Clocks further apart make durations incomparable. In between, only a change that is larger than
/// the clock difference counts.
inline constexpr double kClockLimit = 0.15;
/// A cause must explain at least this share of a change.
inline constexpr double kLeastExplained = 0.5;
/// A promised movement came true if the counter moved by at least this share of the promised
/// change.
inline constexpr double kPromiseKept = 0.9;
/// Below this share of the promised change, a counter did not move as promised.
inline constexpr double kPromiseBroken = 0.1;

/// Pairs kernels by name, NVTX range, launch shape, position and similarity, in this order. Every
/// kernel is in one pair at most.
[[nodiscard]] Matching matchKernels(const Analysis& baseline, const Analysis& candidate);
/// The same if only the names of kernels are at hand; the result holds indices into these lists.
[[nodiscard]] Matching matchKernels(std::span<const KernelIdentity> baseline,
                                    std::span<const KernelIdentity> candidate);

/// Compares kernels of two analyses one by one. What all pairs share is computed once. The analyses
/// must outlive it; both may be of the same profile.
class KernelComparer {
public:
    KernelComparer(const Analysis& baseline, const Analysis& candidate);
    [[nodiscard]] KernelComparison operator()(const KernelMatch& match) const;
    /// Only match, sameGpu and duration, which are enough to sort the kernels.
    [[nodiscard]] KernelComparison durations(const KernelMatch& match) const;

private:
    struct Both;
    std::shared_ptr<const Both> m_both;
};
/// The same for a single pair.
[[nodiscard]] KernelComparison compareKernels(const Analysis& baseline, const Analysis& candidate,
                                              const KernelMatch& match);
/// Compares the programs and the pairs of `matching`, without kernels that others replaced: the
/// durations of all pairs, and the first `most` pairs in full. For further pairs, a renderer asks a
/// KernelComparer.
[[nodiscard]] Comparison compareProfiles(
    const Analysis& baseline, const Analysis& candidate, Matching matching,
    std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace roofscope
