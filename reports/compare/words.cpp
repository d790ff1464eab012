// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "reports/answer/finding_words.h"
#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/language/phrase.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"
#include "reports/verdict/verdict_words.h"

namespace roofscope::compare_words {

namespace {

/// A smaller real change is only counted, not shown.
constexpr double kShownChange = 0.02;
/// From this factor on, "×" reads better than percent.
constexpr double kAsFactor = 2.0;
/// A roof is left out if neither kernel reaches this share of it.
constexpr double kShownUse = 0.05;

std::string signedShare(double value) {
    return (value > 0 ? "+" : "") + formatNumber(value, Unit::Share);
}

std::string notMeasured(Language l) { return say(l, "not measured"); }
std::string notApplicable(Language l) { return say(l, "n/a"); }

std::string property(const LaunchProperty::Value& value, Unit unit, Language l) {
    if (const auto* extents = std::get_if<Dim3>(&value)) return formatDim(*extents);
    if (const auto* number = std::get_if<std::uint64_t>(&value))
        return formatExact(static_cast<double>(*number)) + (unit == Unit::Bytes ? " B" : "");
    return say(l, "not recorded");
}

}  // namespace

std::string sentence(const Remark& remark, Language language) {
    return fillPhrase(remark.phrase.in(language), remark.args, 120, language);
}

std::string noDuration(Language l) { return say(l, "duration not measured"); }

std::string outcome(const DurationChange& duration, Language l) {
    using State = DurationChange::State;
    switch (duration.state) {
        case State::Faster:
            return say(l, "{} faster", formatNumber(duration.speedup(), Unit::Factor));
        case State::Slower:
            return say(l, "{} slower", formatNumber(1 / duration.speedup(), Unit::Factor));
        case State::WithinNoise:
            return say(l, "no change beyond noise");
        case State::NoiseUnknown:
            return say(l, "no verdict, noise unknown");
        case State::NotComparable:
            return say(l, "durations not comparable");
        case State::NotMeasured:
            return noDuration(l);
    }
    return {};
}

std::string consequence(const DurationChange& duration, Language l) {
    std::string words;
    if (duration.changed()) {
        const double saved = duration.saved().value;
        const std::string amount = formatNumber(std::abs(saved), Unit::Seconds);
        words = saved > 0 ? say(l, "{} saved per launch", amount)
                          : say(l, "{} more per launch", amount);
    } else if (duration.state == DurationChange::State::WithinNoise ||
               duration.state == DurationChange::State::NoiseUnknown) {
        words = signedShare(duration.to / duration.from - 1);
    }
    if (!duration.reason.empty())
        words +=
            std::string(words.empty() ? "" : marksOf(l).semicolon) + sentence(duration.reason, l);
    return words;
}

std::string outcomeInFull(const DurationChange& duration, Language l) {
    const std::string more = consequence(duration, l);
    if (more.empty()) return outcome(duration, l);
    const bool judged = duration.changed() ||
                        duration.state == DurationChange::State::WithinNoise ||
                        duration.state == DurationChange::State::NoiseUnknown;
    return outcome(duration, l) + std::string(judged ? marksOf(l).comma : marksOf(l).colon) + more;
}

std::string shortOutcome(const DurationChange& duration, Language l) {
    using State = DurationChange::State;
    switch (duration.state) {
        case State::Faster:
        case State::Slower:
            return outcome(duration, l);
        case State::NotComparable:
        case State::WithinNoise:
        case State::NoiseUnknown:
            return signedShare(duration.to / duration.from - 1);
        case State::NotMeasured:
            return notMeasured(l);
    }
    return {};
}

std::string movedWords(const KernelComparison& kernel, Language l) {
    std::string words;
    for (const Movement* movement : moved(kernel).shown) {
        words += std::string(words.empty() ? "" : marksOf(l).comma) + movement->label.in(l) + " ";
        words += movement->from && movement->to
                     ? change(*movement->from, *movement->to, l)
                     : value(*movement, false, l) + " → " + value(*movement, true, l);
    }
    return words;
}

std::string side(Seconds median, const Band& band, Language l) {
    if (band.repeats == 0) return notMeasured(l);
    const std::string middle = formatTime(median);
    if (band.repeats == 1) return say(l, "{} (1 launch)", middle);
    // Four digits: with fewer, a narrow band would look like a single value.
    const auto digits = [](double seconds) {
        const double us = seconds * 1e6;
        return us >= 1e4 ? fmt::format("{:.4g} ms", us * 1e-3) : fmt::format("{:.4g} µs", us);
    };
    return say(l, "{} ({} to {}, {} launches)", middle, digits(band.low), digits(band.high),
               band.repeats);
}

std::string change(double from, double to, Language l) {
    if (from == to) return say(l, "same");
    if (from == 0) return say(l, "new");
    if (to == 0) return say(l, "gone");
    const double ratio = to / from;
    if (ratio >= kAsFactor)
        return say(l, inContext("a larger amount", "{} more"), formatNumber(ratio, Unit::Factor));
    if (ratio > 0 && ratio <= 1 / kAsFactor)
        return say(l, "{} less", formatNumber(1 / ratio, Unit::Factor));
    return signedShare(ratio - 1);
}

std::string cause(const Cause& cause, Language l) {
    switch (cause.state) {
        case Cause::State::Found:
            return sentence(cause.sentence, l);
        case Cause::State::NotVisible:
            return say(l, "cause not visible in the counters recorded");
        case Cause::State::NotSought:
            break;
    }
    return {};
}

std::string verdicts(const View& view, const KernelComparison& kernel) {
    const std::string before = verdictWords(view.from(kernel).verdict, view.language);
    const std::string after = verdictWords(view.to(kernel).verdict, view.language);
    return cleanText(before == after ? say(view.language, "{}, as before", before)
                                     : before + " → " + after);
}

std::string busy(const KernelComparison& kernel, Language l) {
    std::string line;
    for (const Movement& movement : kernel.movements) {
        if (!movement.busy || !movement.from || !movement.to ||
            std::max(*movement.from, *movement.to) < kShownUse)
            continue;
        line += (line.empty() ? "" : " · ") + movement.label.in(l) + " " +
                formatNumber(*movement.from, movement.unit) + " → " +
                formatNumber(*movement.to, movement.unit);
    }
    return line;
}

Moved moved(const KernelComparison& kernel) {
    Moved result;
    for (const Movement& movement : kernel.movements) {
        if (movement.rate) continue;
        const bool both = movement.from && movement.to;
        // One side is not applicable (0/0): the kernel began or stopped doing this.
        const bool appeared = !both && movement.missing.empty() && (movement.from || movement.to);
        const bool unjudged = both && !kernel.sameGpu && *movement.from != *movement.to;
        const bool real =
            movement.direction == Direction::Lower || movement.direction == Direction::Higher;
        if (!appeared && !unjudged && !real) continue;
        if (!appeared && *movement.from != 0 &&
            std::abs(*movement.to / *movement.from - 1) < kShownChange) {
            ++result.small;
            continue;
        }
        result.shown.push_back(&movement);
    }
    return result;
}

std::string value(const Movement& movement, bool candidate, Language l) {
    const auto& value = candidate ? movement.to : movement.from;
    if (value) return formatNumber(*value, movement.unit);
    return movement.missing.empty() ? notApplicable(l) : notMeasured(l);
}

std::string certainty(const Movement& movement, Language l) {
    if (!movement.from || !movement.to) return notApplicable(l);
    if (movement.direction == Direction::Unknown) return say(l, "not judged");
    switch (movement.basis) {
        case Basis::Exact:
            return say(l, "exact");
        case Basis::Banded:
            return say(l, "beyond noise");
        case Basis::Unrepeated:
            return say(l, "few launches");
    }
    return {};
}

bool unchanged(const KernelComparison& kernel) {
    return kernel.duration.state == DurationChange::State::WithinNoise &&
           moved(kernel).shown.empty() && launchChanges(kernel, Language::En).empty() &&
           kernel.newFindings.empty() && notCompared(kernel, Language::En).empty() &&
           kernel.notes.empty();
}

std::string unchangedWords(const KernelComparison& kernel, Language l) {
    std::string still;
    for (const Promise& promise : kernel.promises)
        if (promise.fate == Promise::Fate::Still)
            still += std::string(still.empty() ? "" : marksOf(l).listComma) +
                     ruleTitle(promise.ruleId, l);
    if (still.empty()) return say(l, "nothing else moved");
    return say(l, "nothing else moved; findings still there: {}", still);
}

std::string launchChanges(const KernelComparison& kernel, Language l) {
    std::string text;
    for (const LaunchProperty& property_ : kernel.launch)
        if (property_.changed())
            text += std::string(text.empty() ? "" : marksOf(l).semicolon) + property_.label.in(l) +
                    " " + property(property_.from, property_.unit, l) + " → " +
                    property(property_.to, property_.unit, l);
    return text;
}

std::vector<std::string> notCompared(const KernelComparison& kernel, Language l) {
    // Group quantities that lack the same counters on the same side.
    enum class Where { Either, Baseline, Candidate };
    std::map<std::pair<Where, std::string>, std::vector<std::string>> byReason;
    for (const Movement& movement : kernel.movements) {
        if (movement.missing.empty()) continue;
        const Where where = movement.from ? Where::Candidate
                            : movement.to ? Where::Baseline
                                          : Where::Either;
        byReason[{where, movement.missing}].push_back(movement.label.in(l));
    }
    std::vector<std::string> lines;
    constexpr std::size_t kMostNames = 4;
    for (const auto& [reason, labels] : byReason) {
        std::string names;
        for (std::size_t i = 0; i < std::min(labels.size(), kMostNames); ++i)
            names += std::string(i ? marksOf(l).listComma : "") + labels[i];
        if (labels.size() > kMostNames)
            names = say(l, "{} and {} more", names, labels.size() - kMostNames);
        const std::string missing = cleanText(formatMissing(reason.second, l));
        switch (reason.first) {
            case Where::Candidate:
                lines.push_back(say(l, "{}: {} in the candidate", names, missing));
                break;
            case Where::Baseline:
                lines.push_back(say(l, "{}: {} in the baseline", names, missing));
                break;
            case Where::Either:
                lines.push_back(say(l, "{}: {} in either profile", names, missing));
        }
    }
    for (const LaunchProperty& property_ : kernel.launch)
        if (!property_.known()) lines.push_back(say(l, "{}: not recorded", property_.label.in(l)));
    return lines;
}

std::string promiseOutcome(Outcome outcome, Language l) {
    switch (outcome) {
        case Outcome::CameTrue:
            return say(l, "came true");
        case Outcome::Partly:
            return say(l, "partly came true");
        case Outcome::Not:
            return say(l, "did not come true");
        case Outcome::CannotTell:
            return say(l, "cannot tell");
    }
    return {};
}

std::string movement(const PromisedMovement& movement, Language l) {
    const ExpectedMovement& expected = movement.expected;
    const std::string now = movement.now ? formatNumber(*movement.now, expected.unit)
                            : movement.missing.empty()
                                ? notApplicable(l)
                                : cleanText(formatMissing(movement.missing, l));
    return say(l, "{} → {} (promised {})", formatNumber(expected.from, expected.unit), now,
               targetWords(expected.from, expected.to, expected.unit));
}

std::string promiseResultWords(const Promise& promise, const DurationChange& duration, Language l) {
    std::string words;
    switch (promise.fate) {
        case Promise::Fate::Gone:
            words = say(l, "The finding is gone");
            break;
        case Promise::Fate::Minor:
            words = say(l, "The finding is now minor");
            break;
        case Promise::Fate::Still:
            words = say(l, "The finding is still there");
            break;
        case Promise::Fate::CannotTell:
            words = say(l, "It is unknown whether the finding is still there");
            break;
    }
    // Only state the saving if the edit was made.
    const bool made = promise.outcome == Outcome::CameTrue || promise.outcome == Outcome::Partly;
    if (!promise.gainBound.has()) return words + std::string(marksOf(l).stop);
    const std::string bound = boundWords(*promise.gainBound, promise.estimate, l);
    if (!made) return words + say(l, "; it promised {}.", bound);
    words += say(l, "; {} were promised, ", bound);
    if (promise.exceeded)
        return words +
               say(l, "the kernel saved {}: more than promised.", formatTime(duration.saved()));
    const double saved = duration.saved().value;
    const std::string amount = formatNumber(std::abs(saved), Unit::Seconds);
    if (duration.changed())
        return words + (saved > 0 ? say(l, "the kernel saved {}.", amount)
                                  : say(l, "the kernel lost {}.", amount));
    if (duration.state == DurationChange::State::WithinNoise)
        return words + say(l, "nothing beyond noise was saved.");
    return words + say(l, "the saving is unknown.");
}

std::string total(const View& view) {
    const auto& total = view.comparison.total;
    if (!total || view.comparison.kernels.size() < 2) return {};
    return say(view.language, "GPU time of all matched kernels: {} → {} ({})",
               formatTime(total->first), formatTime(total->second),
               signedShare(total->second / total->first - 1));
}

std::string incomparable(const View& view) {
    const Language l = view.language;
    if (view.baseline.kernels.empty())
        return say(l, "no kernel launch was measured in the baseline");
    if (view.candidate.kernels.empty())
        return say(l, "no kernel launch was measured in the candidate");
    if (view.comparison.kernels.empty())
        return say(l,
                   "no kernel of the baseline is in the candidate, not even under a similar name");
    for (const KernelComparison& kernel : view.comparison.kernels)
        if (!kernel.duration.reason.empty()) return sentence(kernel.duration.reason, l);
    return say(l, "no durations or counters are in both profiles");
}

}  // namespace roofscope::compare_words
