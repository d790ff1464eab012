// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/compare/comparison.h"
#include "analyzer/language/words.h"

/// The words of a comparison, shared by all formats so that they never disagree. The texts hold no
/// control characters; a renderer still escapes them for its format.
namespace roofscope::compare_words {

/// A comparison with its two analyses, as passed to a renderer.
struct View {
    const Comparison& comparison;
    const Analysis& baseline;
    const Analysis& candidate;
    Language language = Language::En;

    [[nodiscard]] bool oneProfile() const { return baseline.profile == candidate.profile; }
    [[nodiscard]] const KernelAnalysis& from(const KernelComparison& kernel) const {
        return baseline.kernels[kernel.match.baseline];
    }
    [[nodiscard]] const KernelAnalysis& to(const KernelComparison& kernel) const {
        return candidate.kernels[kernel.match.candidate];
    }
    /// Whether both sides are the same function, so that one name is enough (suffixes that tell
    /// launches apart may differ).
    [[nodiscard]] bool sameFunction(const KernelComparison& kernel) const {
        return from(kernel).name == to(kernel).name ||
               (!oneProfile() && from(kernel).fullName == to(kernel).fullName);
    }
};

[[nodiscard]] std::string sentence(const Remark& remark, Language language);

/// "duration not measured".
[[nodiscard]] std::string noDuration(Language l);
/// "2.06× faster", "no change beyond noise", "durations not comparable".
[[nodiscard]] std::string outcome(const DurationChange& duration, Language l);
/// What the outcome means per launch, or why there is none: "158 µs saved per launch", "(-0.8 %)".
/// May be empty.
[[nodiscard]] std::string consequence(const DurationChange& duration, Language l);
/// Both: "2.06× faster, 158 µs saved per launch".
[[nodiscard]] std::string outcomeInFull(const DurationChange& duration, Language l);
/// For a table cell: "2.06× faster", "-0.8 %" (within noise, or not comparable).
[[nodiscard]] std::string shortOutcome(const DurationChange& duration, Language l);
/// "DRAM bytes read 16.5× less, L2 sectors -12.3 %", from moved(). May be empty.
[[nodiscard]] std::string movedWords(const KernelComparison& kernel, Language l);
/// "308 µs (307.7 µs to 307.9 µs, 3 launches)", "not measured".
[[nodiscard]] std::string side(Seconds median, const Band& band, Language l);
/// "16.5× less", "-12.3 %", "gone", "new".
[[nodiscard]] std::string change(double from, double to, Language l);
/// Why the duration changed; empty if no cause was sought.
[[nodiscard]] std::string cause(const Cause& cause, Language l);
/// "near the shared pipe roof → near the DRAM roof".
[[nodiscard]] std::string verdicts(const View& view, const KernelComparison& kernel);
/// "DRAM 36.4 % → 74.9 % · LSU/shared pipe 94.6 % → 28.2 %": roofs that at least one side uses.
[[nodiscard]] std::string busy(const KernelComparison& kernel, Language l);

/// Counters whose change is real and large enough to show; `small` counts the others that moved.
struct Moved {
    std::vector<const Movement*> shown;
    std::size_t small = 0;
};
[[nodiscard]] Moved moved(const KernelComparison& kernel);
/// A value of a movement: "67.1 M", "n/a", "not measured".
[[nodiscard]] std::string value(const Movement& movement, bool candidate, Language l);
/// "exact", "beyond noise", "few launches".
[[nodiscard]] std::string certainty(const Movement& movement, Language l);
/// Whether nothing moved beyond noise (time, counters, launch), so that one line is enough.
[[nodiscard]] bool unchanged(const KernelComparison& kernel);
/// "nothing else moved; findings still there: Bank conflicts in shared memory".
[[nodiscard]] std::string unchangedWords(const KernelComparison& kernel, Language l);
/// "registers per thread 32 → 40; grid 64 → 128"; empty when nothing changed.
[[nodiscard]] std::string launchChanges(const KernelComparison& kernel, Language l);
/// What could not be compared, and which counters are missing on which side.
[[nodiscard]] std::vector<std::string> notCompared(const KernelComparison& kernel, Language l);

/// "came true", "partly came true", "did not come true", "cannot tell".
[[nodiscard]] std::string promiseOutcome(Outcome outcome, Language l);
/// "67.1 M → 2.1 M (promised ≤ 2.1 M)".
[[nodiscard]] std::string movement(const PromisedMovement& movement, Language l);
/// What became of a finding and its gain: "The finding is gone; at most 181 µs were promised, the
/// kernel saved 158 µs."
[[nodiscard]] std::string promiseResultWords(const Promise& promise, const DurationChange& duration,
                                             Language l);

/// "GPU time of all matched kernels: 1.2 ms → 1 ms (-16.7 %)"; empty when unknown.
[[nodiscard]] std::string total(const View& view);
/// Why nothing could be compared.
[[nodiscard]] std::string incomparable(const View& view);

}  // namespace roofscope::compare_words
