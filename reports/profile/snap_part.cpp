// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "analyzer/program/account/step_times.h"
#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/profile/parts.h"

namespace roofscope::profile_report {
namespace {

constexpr std::size_t kLongestReason = 200;

/// "3.2 days", "5.0 hours", "12 minutes", "40 s".
std::string ageText(Seconds age, Language language) {
    constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
    const double s = age.value;
    if (s >= 2 * kDay) return say(language, "{} days", fmt::format("{:.1f}", s / kDay));
    if (s >= 2 * kHour) return say(language, "{} hours", fmt::format("{:.1f}", s / kHour));
    if (s >= 2 * kMinute) return say(language, "{} minutes", fmt::format("{:.0f}", s / kMinute));
    return formatTime(age);
}

std::string timeOrUnknown(const std::optional<Seconds>& time, Language language) {
    return time ? formatTime(*time) : say(language, "(not measured)");
}

std::string rateText(const std::optional<double>& rate, Language language) {
    return rate ? formatNumber(*rate, Unit::Count) : say(language, "(not measured)");
}

std::string whatIsShown(const Snap& snap, const program::StepTimes& times, Language language) {
    const std::string recorded = timeOrUnknown(snap.recorded, language);
    const std::string age =
        snap.age ? ageText(*snap.age, language) : say(language, "(not measured)");
    if (times.steps == 0)
        return say(language,
                   "{} of a process that had run for {} and went on; no steps were found in it.",
                   recorded, age);
    return sayCount(
        language, times.steps, "{0} step in {1} of a process that had run for {2} and went on.",
        "{0} steps in {1} of a process that had run for {2} and went on.", recorded, age);
}

}  // namespace

doc::Nodes snapPart(const Analysis& analysis, Language language) {
    const Profile& profile = *analysis.profile;
    if (!profile.capture.snap) return {};
    const Snap& snap = *profile.capture.snap;
    const program::StepTimes times = program::stepTimes(profile);
    std::vector<doc::Text> sentences{
        tell(language, "**Part of a run**: {}", whatIsShown(snap, times, language))};
    if (times.recorded && (times.before || times.after))
        sentences.emplace_back(
            say(language, "A step took {} before, {} while it was recorded, {} afterwards.",
                timeOrUnknown(times.before, language), timeOrUnknown(times.recorded, language),
                timeOrUnknown(times.after, language)));
    else if (times.steps == 0 && times.calls.recorded && (times.calls.before || times.calls.after))
        sentences.emplace_back(
            say(language,
                "Launch calls in a second: {} before, {} while it was recorded, {} afterwards.",
                rateText(times.calls.before, language), rateText(times.calls.recorded, language),
                rateText(times.calls.after, language)));
    if (!snap.endedEarly.empty())
        sentences.emplace_back(
            say(language, "It ended early: {}.", cleanText(snap.endedEarly, kLongestReason)));
    return {doc::paragraph(doc::joined(sentences, marksOf(language).gap))};
}

}  // namespace roofscope::profile_report
