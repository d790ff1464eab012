// SPDX-License-Identifier: Apache-2.0
#include "reports/findings/finding_words.h"

#include <algorithm>

#include "analyzer/diagnosis/joint_gain.h"
#include "analyzer/diagnosis/verdict.h"
#include "reports/escape/escape.h"
#include "reports/findings/kernel_facts.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"

namespace roofscope {

std::string boundWords(Seconds bound, bool estimate, Language l) {
    const std::string time = formatTime(bound);
    return estimate ? say(l, "about {}", time) : say(l, "at most {}", time);
}

std::string boundMark(Seconds bound, bool estimate) {
    return (estimate ? "≈ " : "≤ ") + formatTime(bound);
}

std::string gainWords(const Finding& finding, Language l) {
    if (!finding.gain.has()) return cleanText(formatMissing(finding.gain.missing, l), 300);
    const std::string bound = boundWords(*finding.gain, finding.estimate, l);
    if (!finding.gainShare.has()) return say(l, "{} per launch", bound);
    const double share = finding.gainShare->value;
    std::string more = formatNumber(share, Unit::Share);
    if (share < 1)
        more += std::string(marksOf(l).comma) + formatNumber(1 / (1 - share), Unit::Factor);
    return say(l, "{} ({}) per launch", bound, more);
}

std::string targetWords(double from, double to, Unit unit) {
    const double end = unit == Unit::Share    ? (to > from ? 1.0 : 0.0)
                       : unit == Unit::Factor ? 1.0
                       : unit == Unit::Ways   ? 1.0
                                              : 0.0;
    const std::string text = formatNumber(to, unit);
    // Rounded, too: nothing is below "0 %" or above "100 %".
    if (text == formatNumber(end, unit)) return text;
    return (to > from ? "≥ " : "≤ ") + text;
}

bool hasNoHeadroom(const Verdict& verdict) {
    // "1.00×" is what three digits make of less.
    constexpr double kLeastShown = 1.005;
    return verdict.headroom.has() && verdict.speedupBound.has() &&
           *verdict.speedupBound < kLeastShown;
}

doc::Text headroomSentence(const KernelAnalysis& kernel, Language l) {
    const Verdict& verdict = kernel.verdict;
    if (!verdict.headroom.has() &&
        (verdict.cls == VerdictClass::Unknown || verdict.cls == VerdictClass::WaitsForPeers))
        return {};  // the reason says why
    if (!verdict.headroom.has())
        return tell(l, "Headroom: {}.",
                    verdict.headroom.missing == "counters"  // all of them
                        ? say(l, "not measured")
                        : formatMissing(verdict.headroom.missing, l));
    if (hasNoHeadroom(verdict)) {
        if (verdict.reason.emptyLaunch) return {};  // the reason says so
        const DurationStats& duration = kernel.quantities.duration;
        return duration.count > 0 && duration.median <= kEmptyLaunch
                   ? say(l, "It is as short as a launch that does nothing.")
                   : say(l, "It is at its roof.");
    }
    if (!verdict.headroomFrom.empty()) return {};  // the finding says it
    std::string words = say(l, "{} per launch", boundWords(*verdict.headroom, false, l));
    if (verdict.speedupBound.has())
        words += say(l, " ({})", formatNumber(*verdict.speedupBound, Unit::Factor));
    return tell(l, "Headroom with the same traffic and instructions: {}.", words);
}

namespace {

/// What a joint bound does not count: "without fusing or smaller data types".
std::string beyondWords(const KernelAnalysis& kernel, Language l) {
    std::string words;
    for (const BeyondJoint beyond : beyondJoint(kernel)) {
        const std::string what = beyond == BeyondJoint::Fusing       ? say(l, "fusing")
                                 : beyond == BeyondJoint::MoreFusing ? say(l, "more fusing")
                                                                     : say(l, "smaller data types");
        words += words.empty() ? say(l, "without {}", what) : say(l, " or {}", what);
    }
    return words;
}

}  // namespace

std::string jointSentence(const KernelAnalysis& kernel, Language l) {
    // A shorter kernel without a finding is not worth a thought about its bytes.
    constexpr Seconds kShort{10e-6};
    constexpr double kMore = 0.03;  // of the time, beyond what was said before
    const auto findings = majorFindings(kernel);
    const Seconds time = kernel.quantities.duration.median;
    if (!kernel.jointGain.has() || (findings.empty() && time < kShort)) return {};
    Seconds said = kernel.verdict.headroom.value.value_or(Seconds{});
    for (const Finding* finding : findings)
        if (finding->gain.has()) said = std::max(said, *finding->gain);
    if (*kernel.jointGain <= said + time * kMore) return {};
    std::string words = boundWords(*kernel.jointGain, false, l);
    const Seconds left = time - *kernel.jointGain;
    const std::string factor =
        left.value > 0 ? say(l, " ({})", formatNumber(time / left, Unit::Factor)) : std::string();
    if (findings.empty())
        return say(l, "By its DRAM bytes and operations alone: {} per launch{}.", words, factor);
    return say(l, "All edits together, {}: {} per launch{}.", beyondWords(kernel, l), words,
               factor);
}

}  // namespace roofscope
