// SPDX-License-Identifier: Apache-2.0
#include "reports/finding_words.h"

#include <algorithm>

#include "analyzer/verdict.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/language/say.h"
#include "reports/number_format.h"

namespace roofscope {

std::string boundWords(Seconds bound, bool estimate, Language l) {
    const std::string time = formatNumber(bound.value, Unit::Seconds);
    return estimate ? say(l, "about {}", "约 {}", time) : say(l, "at most {}", "至多 {}", time);
}

std::string boundMark(Seconds bound, bool estimate) {
    return (estimate ? "≈ " : "≤ ") + formatNumber(bound.value, Unit::Seconds);
}

std::string gainWords(const Finding& finding, Language l) {
    if (!finding.gain.has()) return cleanText(formatMissing(finding.gain.missing, l), 300);
    const std::string bound = boundWords(*finding.gain, finding.estimate, l);
    if (!finding.gainShare.has()) return say(l, "{} per launch", "每次启动{}", bound);
    return say(l, "{} ({}) per launch", "每次启动{}（{}）", bound,
               formatNumber(finding.gainShare->value, Unit::Share));
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
    if (!verdict.headroom.has())
        return tell(l, "Headroom: {}.", "余量：{}。",
                    verdict.headroom.missing == "counters"  // all of them
                        ? say(l, "not measured", "未测量")
                        : formatMissing(verdict.headroom.missing, l));
    if (hasNoHeadroom(verdict)) {
        if (verdict.reason.emptyLaunch) return {};  // the reason says so
        const DurationStats& duration = kernel.quantities.duration;
        return duration.count > 0 && duration.median <= kEmptyLaunch
                   ? say(l, "It is as short as a launch that does nothing.",
                         "它与什么都不做的启动一样短。")
                   : say(l, "It is at its roof.", "它已到达屋顶。");
    }
    const auto from = std::ranges::find(kernel.findings, verdict.headroomFrom, &Finding::ruleId);
    std::string words =
        say(l, "{} per launch", "每次启动{}",
            boundWords(*verdict.headroom, from != kernel.findings.end() && from->estimate, l));
    if (verdict.speedupBound.has())
        words += say(l, " ({})", "（{}）", formatNumber(*verdict.speedupBound, Unit::Factor));
    if (!verdict.headroomFrom.empty())
        return tell(l, "The edit of {1} alone can save {0}.", "仅修改 {1} 一项的余量：{0}。", words,
                    doc::code(verdict.headroomFrom));
    return tell(l, "Headroom with the same traffic and instructions: {}.",
                "在相同访存量和指令下的余量：{}。", words);
}

std::string jointSentence(const KernelAnalysis& kernel, Language l) {
    if (majorFindings(kernel).size() < 2 || !kernel.jointGain.has()) return {};
    const Seconds left = kernel.quantities.duration.median - *kernel.jointGain;
    std::string words = boundWords(*kernel.jointGain, false, l);
    if (left.value > 0)
        words += say(l, " ({})", "（{}）",
                     formatNumber(kernel.quantities.duration.median / left, Unit::Factor));
    return say(l, "All findings together: {} per launch.", "所有发现合计：每次启动{}。", words);
}

}  // namespace roofscope
