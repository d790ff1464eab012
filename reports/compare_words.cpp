// SPDX-License-Identifier: Apache-2.0
#include "reports/compare_words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/number_format.h"
#include "reports/phrase.h"

namespace roofscope::compare_words {

namespace {

/// A real change of less than this is counted, not shown.
constexpr double kShownChange = 0.02;
/// From this factor on "×" reads better than percent.
constexpr double kAsFactor = 2.0;
/// A roof that neither kernel uses this much is left out.
constexpr double kShownUse = 0.05;

std::string signedShare(double value) {
    return (value > 0 ? "+" : "") + formatNumber(value, Unit::Share);
}

std::string property(const LaunchProperty::Value& value, Unit unit) {
    if (const auto* extents = std::get_if<Dim3>(&value)) return formatDim(*extents);
    if (const auto* number = std::get_if<std::uint64_t>(&value))
        return formatExact(static_cast<double>(*number)) + (unit == Unit::Bytes ? " B" : "");
    return "not recorded";
}

}  // namespace

std::string sentence(const Sentence& sentence) {
    const EscapeText clean = [](std::string_view text) { return cleanText(text, 120); };
    return fillPhrase(sentence.phrase, sentence.args, clean);
}

std::string outcome(const DurationChange& duration) {
    using State = DurationChange::State;
    switch (duration.state) {
        case State::Faster:
            return formatNumber(duration.speedup(), Unit::Factor) + " faster";
        case State::Slower:
            return formatNumber(1 / duration.speedup(), Unit::Factor) + " slower";
        case State::WithinNoise:
            return "no change beyond noise";
        case State::NoiseUnknown:
            return "no verdict, noise unknown";
        case State::NotComparable:
            return "durations not comparable";
        case State::NotMeasured:
            return "duration not measured";
    }
    return {};
}

std::string consequence(const DurationChange& duration) {
    std::string words;
    if (duration.changed()) {
        const double saved = duration.saved().value;
        words = formatNumber(std::abs(saved), Unit::Seconds) + (saved > 0 ? " saved" : " more") +
                " per launch";
    } else if (duration.state == DurationChange::State::WithinNoise ||
               duration.state == DurationChange::State::NoiseUnknown) {
        words = signedShare(duration.to / duration.from - 1);
    }
    if (!duration.reason.empty()) words += (words.empty() ? "" : "; ") + sentence(duration.reason);
    return words;
}

std::string outcomeInFull(const DurationChange& duration) {
    const std::string more = consequence(duration);
    if (more.empty()) return outcome(duration);
    const bool judged = duration.changed() ||
                        duration.state == DurationChange::State::WithinNoise ||
                        duration.state == DurationChange::State::NoiseUnknown;
    return outcome(duration) + (judged ? ", " : ": ") + more;
}

std::string shortOutcome(const DurationChange& duration) {
    using State = DurationChange::State;
    switch (duration.state) {
        case State::Faster:
        case State::Slower:
            return outcome(duration);
        case State::WithinNoise:
        case State::NoiseUnknown:
            return signedShare(duration.to / duration.from - 1);
        case State::NotComparable:
            return "not comparable";
        case State::NotMeasured:
            return "not measured";
    }
    return {};
}

std::string movedWords(const KernelComparison& kernel) {
    std::string words;
    for (const Movement* movement : moved(kernel).shown) {
        words += (words.empty() ? "" : ", ") + movement->label + " ";
        words += movement->from && movement->to
                     ? change(*movement->from, *movement->to)
                     : value(*movement, false) + " → " + value(*movement, true);
    }
    return words;
}

std::string side(Seconds median, const Band& band) {
    if (band.repeats == 0) return "not measured";
    const std::string middle = formatNumber(median.value, Unit::Seconds);
    if (band.repeats == 1) return middle + " (1 launch)";
    // Four digits: a narrow band would otherwise read as its middle.
    const auto digits = [](double seconds) {
        const double us = seconds * 1e6;
        return us >= 1e4 ? fmt::format("{:.4g} ms", us * 1e-3) : fmt::format("{:.4g} µs", us);
    };
    return fmt::format("{} ({} to {}, {} launches)", middle, digits(band.low), digits(band.high),
                       band.repeats);
}

std::string change(double from, double to) {
    if (from == to) return "same";
    if (from == 0) return "new";
    if (to == 0) return "gone";
    const double ratio = to / from;
    if (ratio >= kAsFactor) return formatNumber(ratio, Unit::Factor) + " more";
    if (ratio > 0 && ratio <= 1 / kAsFactor) return formatNumber(1 / ratio, Unit::Factor) + " less";
    return signedShare(ratio - 1);
}

std::string cause(const Cause& cause) {
    switch (cause.state) {
        case Cause::State::Found:
            return sentence(cause.sentence);
        case Cause::State::NotVisible:
            return "cause not visible in the counters recorded";
        case Cause::State::NotSought:
            break;
    }
    return {};
}

std::string verdicts(const View& view, const KernelComparison& kernel) {
    const std::string before = verdictWords(view.from(kernel).verdict);
    const std::string after = verdictWords(view.to(kernel).verdict);
    return cleanText(before == after ? before + ", as before" : before + " → " + after);
}

std::string busy(const KernelComparison& kernel) {
    std::string line;
    for (const Movement& movement : kernel.movements) {
        if (!movement.rate || !movement.from || !movement.to ||
            movement.key == "sm_imbalance_ratio" ||
            std::max(*movement.from, *movement.to) < kShownUse)
            continue;
        line += (line.empty() ? "" : " · ") + movement.label + " " +
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
        // 0/0 on one side: the kernel began or ceased to do such a thing.
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

std::string value(const Movement& movement, bool candidate) {
    const auto& value = candidate ? movement.to : movement.from;
    if (value) return formatNumber(*value, movement.unit);
    return movement.missing.empty() ? "n/a" : "not measured";
}

std::string certainty(const Movement& movement) {
    if (!movement.from || !movement.to) return "n/a";
    if (movement.direction == Direction::Unknown) return "not judged";
    switch (movement.basis) {
        case Basis::Exact:
            return "exact";
        case Basis::Banded:
            return "beyond noise";
        case Basis::Unrepeated:
            return "few launches";
    }
    return {};
}

bool unchanged(const KernelComparison& kernel) {
    return kernel.duration.state == DurationChange::State::WithinNoise &&
           moved(kernel).shown.empty() && launchChanges(kernel).empty() &&
           kernel.newFindings.empty() && notCompared(kernel).empty() && kernel.notes.empty();
}

std::string unchangedWords(const KernelComparison& kernel) {
    std::string still;
    for (const Promise& promise : kernel.promises)
        if (promise.fate == Promise::Fate::Still)
            still += (still.empty() ? "" : ", ") + ruleTitle(promise.ruleId);
    return "nothing else moved" + (still.empty() ? still : "; findings still there: " + still);
}

std::string launchChanges(const KernelComparison& kernel) {
    std::string text;
    for (const LaunchProperty& property_ : kernel.launch)
        if (property_.changed())
            text += (text.empty() ? "" : "; ") + property_.label + " " +
                    property(property_.from, property_.unit) + " → " +
                    property(property_.to, property_.unit);
    return text;
}

std::vector<std::string> notCompared(const KernelComparison& kernel) {
    // Quantities that lack the same counters on the same side are named together.
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> byReason;
    for (const Movement& movement : kernel.movements) {
        if (movement.missing.empty()) continue;
        const char* where = movement.from ? "the candidate"
                            : movement.to ? "the baseline"
                                          : "either profile";
        byReason[{where, movement.missing}].push_back(movement.label);
    }
    std::vector<std::string> lines;
    constexpr std::size_t kMostNames = 4;
    for (const auto& [reason, labels] : byReason) {
        std::string names;
        for (std::size_t i = 0; i < std::min(labels.size(), kMostNames); ++i)
            names += (i ? ", " : "") + labels[i];
        if (labels.size() > kMostNames)
            names += fmt::format(" and {} more", labels.size() - kMostNames);
        lines.push_back(names + ": " + cleanText(formatMissing(reason.second)) + " in " +
                        reason.first);
    }
    for (const LaunchProperty& property_ : kernel.launch)
        if (!property_.known()) lines.push_back(property_.label + ": not recorded");
    return lines;
}

std::string outcome(Outcome outcome) {
    switch (outcome) {
        case Outcome::CameTrue:
            return "came true";
        case Outcome::Partly:
            return "partly came true";
        case Outcome::Not:
            return "did not come true";
        case Outcome::CannotTell:
            return "cannot tell";
    }
    return {};
}

std::string movement(const PromisedMovement& movement) {
    const ExpectedMovement& expected = movement.expected;
    std::string words = formatNumber(expected.from, expected.unit) + " → ";
    words += movement.now
                 ? formatNumber(*movement.now, expected.unit)
                 : cleanText(movement.missing.empty() ? "n/a" : formatMissing(movement.missing));
    return words + " (promised " + (expected.to > expected.from ? "≥ " : "≤ ") +
           formatNumber(expected.to, expected.unit) + ")";
}

std::string aftermath(const Promise& promise, const DurationChange& duration) {
    std::string words;
    switch (promise.fate) {
        case Promise::Fate::Gone:
            words = "The finding is gone";
            break;
        case Promise::Fate::Minor:
            words = "The finding is now minor";
            break;
        case Promise::Fate::Still:
            words = "The finding is still there";
            break;
        case Promise::Fate::CannotTell:
            words = "Whether the finding is still there cannot be told";
            break;
    }
    // What was saved belongs to an edit that was made.
    const bool made = promise.outcome == Outcome::CameTrue || promise.outcome == Outcome::Partly;
    if (!promise.gainBound.has()) return words + ".";
    if (!made)
        return words + "; it promised at most " +
               formatNumber(promise.gainBound->value, Unit::Seconds) + ".";
    words +=
        "; at most " + formatNumber(promise.gainBound->value, Unit::Seconds) + " were promised, ";
    const double saved = duration.saved().value;
    if (!duration.changed())
        return words + (duration.state == DurationChange::State::WithinNoise
                            ? "nothing beyond noise was saved."
                            : "what was saved cannot be told.");
    return words +
           (saved > 0 ? "the kernel saved " + formatNumber(saved, Unit::Seconds)
                      : "the kernel lost " + formatNumber(-saved, Unit::Seconds)) +
           ".";
}

std::string total(const View& view) {
    const auto& total = view.comparison.total;
    if (!total || view.comparison.kernels.size() < 2) return {};
    return "GPU time of all matched kernels: " + formatNumber(total->first.value, Unit::Seconds) +
           " → " + formatNumber(total->second.value, Unit::Seconds) + " (" +
           signedShare(total->second / total->first - 1) + ")";
}

std::string incomparable(const View& view) {
    if (view.baseline.kernels.empty() || view.candidate.kernels.empty())
        return std::string("no kernel launch was measured in the ") +
               (view.baseline.kernels.empty() ? "baseline" : "candidate");
    if (view.comparison.kernels.empty())
        return "no kernel of the baseline is in the candidate, not even under a similar name";
    for (const KernelComparison& kernel : view.comparison.kernels)
        if (!kernel.duration.reason.empty()) return sentence(kernel.duration.reason);
    return "neither durations nor counters are on both sides";
}

}  // namespace roofscope::compare_words
