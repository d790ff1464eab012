// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/words.h"

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

std::string property(const LaunchProperty::Value& value, Unit unit, const Wording& w) {
    if (const auto* extents = std::get_if<Dim3>(&value)) return formatDim(*extents);
    if (const auto* number = std::get_if<std::uint64_t>(&value))
        return formatExact(static_cast<double>(*number)) + (unit == Unit::Bytes ? " B" : "");
    return w.common.notRecorded.str();
}

}  // namespace

std::string sentence(const Remark& remark, Language language) {
    const EscapeText clean = [](std::string_view text) { return cleanText(text, 120); };
    return fillPhrase(remark.phrase.in(language), remark.args, clean, language);
}

std::string outcome(const DurationChange& duration, const Wording& w) {
    using State = DurationChange::State;
    switch (duration.state) {
        case State::Faster:
            return w.compare.faster(formatNumber(duration.speedup(), Unit::Factor));
        case State::Slower:
            return w.compare.slower(formatNumber(1 / duration.speedup(), Unit::Factor));
        case State::WithinNoise:
            return w.compare.withinNoise.str();
        case State::NoiseUnknown:
            return w.compare.noiseUnknown.str();
        case State::NotComparable:
            return w.compare.notComparable.str();
        case State::NotMeasured:
            return w.compare.noDuration.str();
    }
    return {};
}

std::string consequence(const DurationChange& duration, const Wording& w) {
    std::string words;
    if (duration.changed()) {
        const double saved = duration.saved().value;
        const std::string amount = formatNumber(std::abs(saved), Unit::Seconds);
        words = saved > 0 ? w.compare.saved(amount) : w.compare.lost(amount);
    } else if (duration.state == DurationChange::State::WithinNoise ||
               duration.state == DurationChange::State::NoiseUnknown) {
        words = signedShare(duration.to / duration.from - 1);
    }
    if (!duration.reason.empty())
        words +=
            (words.empty() ? "" : w.common.semicolon.str()) + sentence(duration.reason, w.language);
    return words;
}

std::string outcomeInFull(const DurationChange& duration, const Wording& w) {
    const std::string more = consequence(duration, w);
    if (more.empty()) return outcome(duration, w);
    const bool judged = duration.changed() ||
                        duration.state == DurationChange::State::WithinNoise ||
                        duration.state == DurationChange::State::NoiseUnknown;
    return outcome(duration, w) + (judged ? w.common.comma : w.common.colon).str() + more;
}

std::string shortOutcome(const DurationChange& duration, const Wording& w) {
    using State = DurationChange::State;
    switch (duration.state) {
        case State::Faster:
        case State::Slower:
        case State::NotComparable:
            return outcome(duration, w);
        case State::WithinNoise:
        case State::NoiseUnknown:
            return signedShare(duration.to / duration.from - 1);
        case State::NotMeasured:
            return w.common.notMeasured.str();
    }
    return {};
}

std::string movedWords(const KernelComparison& kernel, const Wording& w) {
    std::string words;
    for (const Movement* movement : moved(kernel).shown) {
        words += (words.empty() ? "" : w.common.comma.str()) + movement->label.in(w.language) + " ";
        words += movement->from && movement->to
                     ? change(*movement->from, *movement->to, w)
                     : value(*movement, false, w) + " → " + value(*movement, true, w);
    }
    return words;
}

std::string side(Seconds median, const Band& band, const Wording& w) {
    if (band.repeats == 0) return w.common.notMeasured.str();
    const std::string middle = formatNumber(median.value, Unit::Seconds);
    if (band.repeats == 1) return w.kernel.single(middle);
    // Four digits: a narrow band would otherwise read as its middle.
    const auto digits = [](double seconds) {
        const double us = seconds * 1e6;
        return us >= 1e4 ? fmt::format("{:.4g} ms", us * 1e-3) : fmt::format("{:.4g} µs", us);
    };
    return w.compare.side(middle, digits(band.low), digits(band.high), band.repeats);
}

std::string change(double from, double to, const Wording& w) {
    if (from == to) return w.compare.same.str();
    if (from == 0) return w.compare.new_.str();
    if (to == 0) return w.compare.gone.str();
    const double ratio = to / from;
    if (ratio >= kAsFactor) return w.compare.more(formatNumber(ratio, Unit::Factor));
    if (ratio > 0 && ratio <= 1 / kAsFactor)
        return w.compare.less(formatNumber(1 / ratio, Unit::Factor));
    return signedShare(ratio - 1);
}

std::string cause(const Cause& cause, const Wording& w) {
    switch (cause.state) {
        case Cause::State::Found:
            return sentence(cause.sentence, w.language);
        case Cause::State::NotVisible:
            return w.compare.causeNotVisible.str();
        case Cause::State::NotSought:
            break;
    }
    return {};
}

std::string verdicts(const View& view, const KernelComparison& kernel) {
    const std::string before = verdictWords(view.from(kernel).verdict, view.w.language);
    const std::string after = verdictWords(view.to(kernel).verdict, view.w.language);
    return cleanText(before == after ? view.w.compare.asBefore(before) : before + " → " + after);
}

std::string busy(const KernelComparison& kernel, const Wording& w) {
    std::string line;
    for (const Movement& movement : kernel.movements) {
        if (!movement.rate || !movement.from || !movement.to ||
            movement.key == "sm_imbalance_ratio" ||
            std::max(*movement.from, *movement.to) < kShownUse)
            continue;
        line += (line.empty() ? "" : " · ") + movement.label.in(w.language) + " " +
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

std::string value(const Movement& movement, bool candidate, const Wording& w) {
    const auto& value = candidate ? movement.to : movement.from;
    if (value) return formatNumber(*value, movement.unit);
    return (movement.missing.empty() ? w.compare.notApplicable : w.common.notMeasured).str();
}

std::string certainty(const Movement& movement, const Wording& w) {
    if (!movement.from || !movement.to) return w.compare.notApplicable.str();
    if (movement.direction == Direction::Unknown) return w.compare.notJudged.str();
    switch (movement.basis) {
        case Basis::Exact:
            return w.compare.exact.str();
        case Basis::Banded:
            return w.compare.beyondNoise.str();
        case Basis::Unrepeated:
            return w.compare.fewLaunches.str();
    }
    return {};
}

bool unchanged(const KernelComparison& kernel) {
    return kernel.duration.state == DurationChange::State::WithinNoise &&
           moved(kernel).shown.empty() && launchChanges(kernel, englishWording()).empty() &&
           kernel.newFindings.empty() && notCompared(kernel, englishWording()).empty() &&
           kernel.notes.empty();
}

std::string unchangedWords(const KernelComparison& kernel, const Wording& w) {
    std::string still;
    for (const Promise& promise : kernel.promises)
        if (promise.fate == Promise::Fate::Still)
            still += (still.empty() ? "" : w.common.listComma.str()) +
                     ruleTitle(promise.ruleId, w.language);
    return w.compare.nothingElse + (still.empty() ? still : w.compare.stillThere(still));
}

std::string launchChanges(const KernelComparison& kernel, const Wording& w) {
    std::string text;
    for (const LaunchProperty& property_ : kernel.launch)
        if (property_.changed())
            text += (text.empty() ? "" : w.common.semicolon.str()) +
                    property_.label.in(w.language) + " " +
                    property(property_.from, property_.unit, w) + " → " +
                    property(property_.to, property_.unit, w);
    return text;
}

std::vector<std::string> notCompared(const KernelComparison& kernel, const Wording& w) {
    // Quantities that lack the same counters on the same side are named together.
    enum class Where { Either, Baseline, Candidate };
    std::map<std::pair<Where, std::string>, std::vector<std::string>> byReason;
    for (const Movement& movement : kernel.movements) {
        if (movement.missing.empty()) continue;
        const Where where = movement.from ? Where::Candidate
                            : movement.to ? Where::Baseline
                                          : Where::Either;
        byReason[{where, movement.missing}].push_back(movement.label.in(w.language));
    }
    std::vector<std::string> lines;
    constexpr std::size_t kMostNames = 4;
    for (const auto& [reason, labels] : byReason) {
        std::string names;
        for (std::size_t i = 0; i < std::min(labels.size(), kMostNames); ++i)
            names += (i ? w.common.listComma.str() : std::string()) + labels[i];
        if (labels.size() > kMostNames)
            names = w.common.namesAndMore(names, labels.size() - kMostNames);
        const std::string missing = cleanText(formatMissing(reason.second, w.language));
        const auto& line = reason.first == Where::Candidate  ? w.compare.notInCandidate
                           : reason.first == Where::Baseline ? w.compare.notInBaseline
                                                             : w.compare.notInEither;
        lines.push_back(line(names, missing));
    }
    for (const LaunchProperty& property_ : kernel.launch)
        if (!property_.known())
            lines.push_back(property_.label.in(w.language) + w.common.colon +
                            w.common.notRecorded.str());
    return lines;
}

std::string outcome(Outcome outcome, const Wording& w) {
    switch (outcome) {
        case Outcome::CameTrue:
            return w.compare.cameTrue.str();
        case Outcome::Partly:
            return w.compare.partly.str();
        case Outcome::Not:
            return w.compare.didNot.str();
        case Outcome::CannotTell:
            return w.compare.cannotTell.str();
    }
    return {};
}

std::string movement(const PromisedMovement& movement, const Wording& w) {
    const ExpectedMovement& expected = movement.expected;
    std::string words = formatNumber(expected.from, expected.unit) + " → ";
    words += movement.now ? formatNumber(*movement.now, expected.unit)
                          : cleanText(movement.missing.empty()
                                          ? w.compare.notApplicable.str()
                                          : formatMissing(movement.missing, w.language));
    return w.compare.promised(words, (expected.to > expected.from ? "≥ " : "≤ ") +
                                         formatNumber(expected.to, expected.unit));
}

std::string aftermath(const Promise& promise, const DurationChange& duration, const Wording& w) {
    std::string words;
    switch (promise.fate) {
        case Promise::Fate::Gone:
            words = w.compare.findingGone.str();
            break;
        case Promise::Fate::Minor:
            words = w.compare.findingMinor.str();
            break;
        case Promise::Fate::Still:
            words = w.compare.findingStill.str();
            break;
        case Promise::Fate::CannotTell:
            words = w.compare.findingUnknown.str();
            break;
    }
    // What was saved belongs to an edit that was made.
    const bool made = promise.outcome == Outcome::CameTrue || promise.outcome == Outcome::Partly;
    if (!promise.gainBound.has()) return words + w.common.stop;
    const std::string bound = formatNumber(promise.gainBound->value, Unit::Seconds);
    if (!made) return words + w.compare.itPromised(bound);
    words += w.compare.wasPromised(bound);
    const double saved = duration.saved().value;
    if (!duration.changed())
        return words + (duration.state == DurationChange::State::WithinNoise
                            ? w.compare.nothingSaved
                            : w.compare.savedUnknown);
    return words + (saved > 0 ? w.compare.kernelSaved(formatNumber(saved, Unit::Seconds))
                              : w.compare.kernelLost(formatNumber(-saved, Unit::Seconds)));
}

std::string total(const View& view) {
    const auto& total = view.comparison.total;
    if (!total || view.comparison.kernels.size() < 2) return {};
    return view.w.compare.total(formatNumber(total->first.value, Unit::Seconds),
                                formatNumber(total->second.value, Unit::Seconds),
                                signedShare(total->second / total->first - 1));
}

std::string incomparable(const View& view) {
    const Wording& w = view.w;
    if (view.baseline.kernels.empty() || view.candidate.kernels.empty())
        return (view.baseline.kernels.empty() ? w.compare.emptyBaseline : w.compare.emptyCandidate)
            .str();
    if (view.comparison.kernels.empty()) return w.compare.nothingInCommon.str();
    for (const KernelComparison& kernel : view.comparison.kernels)
        if (!kernel.duration.reason.empty()) return sentence(kernel.duration.reason, w.language);
    return w.compare.nothingOnBoth.str();
}

}  // namespace roofscope::compare_words
