// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "analyzer/compare/parts.h"

namespace roofscope {

namespace compare {

Arg number(std::string name, double value, Unit unit) {
    return {.name = std::move(name), .value = value, .unit = unit};
}

Arg word(std::string name, Words text) {
    // An empty text would read as "show the number".
    if (text.empty()) text = Words("(no name)");
    return {.name = std::move(name), .value = 0, .unit = Unit::Count, .text = std::move(text)};
}

Arg word(std::string name, const std::string& text) {
    return word(std::move(name), Words::same(text));
}

namespace {

std::vector<Remark> notesOf(const Side& from, const Side& to) {
    std::vector<Remark> notes;
    const auto& before = from.kernel.quantities.stores.requested;
    const auto& after = to.kernel.quantities.stores.requested;
    if (const double share =
            before.has() && after.has() ? differenceShare(before->value, after->value) : 0;
        share > kOtherWork)
        notes.push_back(
            {Words("global stores differ by {share} ({from} and {to} per launch): are "
                   "these the same problem?"),
             {number("share", share, Unit::Share), number("from", before->value, Unit::Bytes),
              number("to", after->value, Unit::Bytes)}});
    if (!sameGpu(from, to))
        notes.push_back(
            {Words("counters of different chips are shown side by side, not judged"), {}});
    const bool timedBefore = from.kernel.quantities.duration.unprofiled();
    const bool timedAfter = to.kernel.quantities.duration.unprofiled();
    if (timedBefore != timedAfter && from.kernel.quantities.duration.count > 0 &&
        to.kernel.quantities.duration.count > 0)
        notes.push_back(
            {Words("only the {side} has a timing run, so the durations of the counter runs "
                   "are compared"),
             {word("side", timedBefore ? Words("baseline") : Words("candidate"))}});
    return notes;
}

std::vector<Remark> notesOf(const Profile& from, const Profile& to) {
    std::vector<Remark> notes;
    const auto differs = [&](const Words& what, const std::string& a, const std::string& b) {
        if (a != b)
            notes.push_back(
                {Words("the profiles were recorded with different {what}: {from} and {to}"),
                 {word("what", what), word("from", a), word("to", b)}});
    };
    differs(Words("strategies"), from.capture.strategy, to.capture.strategy);
    differs(Words("cache control"), from.capture.cacheControl, to.capture.cacheControl);
    differs(Words("clock control"), from.capture.clockControl, to.capture.clockControl);
    return notes;
}

double launches(const KernelComparison& kernel, const Analysis& baseline) {
    return static_cast<double>(baseline.kernels[kernel.match.baseline].group.launches.size());
}

}  // namespace
}  // namespace compare

std::optional<double> Movement::ratio() const {
    if (!from || !to || *from == 0) return std::nullopt;
    return *to / *from;
}

bool KernelComparison::comparable() const {
    using State = DurationChange::State;
    if (duration.state != State::NotComparable && duration.state != State::NotMeasured) return true;
    return sameGpu &&
           std::ranges::any_of(movements, [](const Movement& m) { return m.from && m.to; });
}

bool Comparison::comparable() const {
    return std::ranges::any_of(kernels,
                               [](const KernelComparison& kernel) { return kernel.comparable(); });
}

/// The two analyses, and the formulas that comparisons of their kernels share.
struct KernelComparer::Both {
    Both(const Analysis& first, const Analysis& second) : baseline(first), candidate(second) {}

    const Analysis &baseline, &candidate;
    ProfileFormulas before{*baseline.profile}, after{*candidate.profile};

    [[nodiscard]] compare::Side from(const KernelMatch& match) const {
        return {baseline, baseline.kernels[match.baseline], before};
    }
    [[nodiscard]] compare::Side to(const KernelMatch& match) const {
        return {candidate, candidate.kernels[match.candidate], after};
    }
};

namespace {

/// Only the part that is needed to sort the kernels.
KernelComparison compareDurations(const compare::Side& from, const compare::Side& to,
                                  const KernelMatch& match) {
    KernelComparison result;
    result.match = match;
    result.sameGpu = compare::sameGpu(from, to);
    result.duration = compare::durationChange(from, to);
    result.inFull = false;
    return result;
}

KernelComparison compareInFull(const compare::Side& from, const compare::Side& to,
                               const KernelMatch& match) {
    KernelComparison result = compareDurations(from, to, match);
    result.inFull = true;
    result.movements = compare::movements(from, to);
    result.launch = compare::launchProperties(from, to);
    if (!result.sameGpu)
        for (Movement& movement : result.movements) movement.direction = Direction::Unknown;
    result.cause = compare::findCause(from, to, result.duration);
    // A promise holds only for the GPU that it was made for.
    if (result.sameGpu) {
        result.promises = compare::checkPromises(from, to);
        for (Promise& promise : result.promises)
            promise.exceeded =
                promise.gainBound.has() && result.duration.changed() &&
                compare::outcomeOf(*promise.gainBound, result.duration.saved(),
                                   result.duration.from) == PromisedSaving::Outcome::Exceeded;
        result.newFindings = compare::newFindings(from, to);
    }
    result.notes = compare::notesOf(from, to);
    return result;
}

}  // namespace

KernelComparer::KernelComparer(const Analysis& baseline, const Analysis& candidate)
    : m_both(std::make_shared<const Both>(baseline, candidate)) {}

KernelComparison KernelComparer::operator()(const KernelMatch& match) const {
    return compareInFull(m_both->from(match), m_both->to(match), match);
}

KernelComparison KernelComparer::durations(const KernelMatch& match) const {
    return compareDurations(m_both->from(match), m_both->to(match), match);
}

KernelComparison compareKernels(const Analysis& baseline, const Analysis& candidate,
                                const KernelMatch& match) {
    return KernelComparer(baseline, candidate)(match);
}

Comparison compareProfiles(const Analysis& baseline, const Analysis& candidate, Matching matching,
                           std::size_t most) {
    Comparison result;
    if (baseline.profile != candidate.profile)
        result.program = std::make_shared<const ProgramComparison>(
            comparePrograms(baseline, candidate, matching));
    result.gone = matching.gone;
    result.added = matching.added;
    if (baseline.profile != candidate.profile)
        result.notes = compare::notesOf(*baseline.profile, *candidate.profile);
    if (!matching.allNamesCompared)
        result.notes.push_back(
            {Words("very many unmatched kernels have names with common words; each was compared "
                   "with only some of them, so a similar name may have been missed"),
             {}});
    const KernelComparer compare(baseline, candidate);
    result.kernels.reserve(matching.matches.size());
    for (const KernelMatch& match : matching.matches)
        result.kernels.push_back(compare.durations(match));
    const auto weight = [&](const KernelComparison& kernel) {
        if (!kernel.duration.changed()) return 0.0;
        return std::abs(kernel.duration.saved().value) * compare::launches(kernel, baseline);
    };
    std::ranges::stable_sort(result.kernels, std::greater{}, weight);

    std::pair<Seconds, Seconds> total;
    bool whole = !result.kernels.empty();
    for (const KernelComparison& kernel : result.kernels) {
        const double count = compare::launches(kernel, baseline);
        const auto& other = candidate.kernels[kernel.match.candidate].group.launches;
        whole = whole && kernel.duration.measured() &&
                kernel.duration.state != DurationChange::State::NotComparable &&
                count == static_cast<double>(other.size());
        total.first += kernel.duration.from * count;
        total.second += kernel.duration.to * count;
    }
    if (whole) result.total = total;
    // If no duration can be judged, counters may still tell: compare pairs in full until one can be
    // judged.
    bool judged = result.comparable();
    for (std::size_t i = 0; i < result.kernels.size() && (i < most || !judged); ++i) {
        result.kernels[i] = compare(result.kernels[i].match);
        judged = judged || result.kernels[i].comparable();
    }
    return result;
}

const char* toString(Basis basis) {
    switch (basis) {
        case Basis::Exact:
            return "exact";
        case Basis::Banded:
            return "banded";
        case Basis::Unrepeated:
            return "unrepeated";
    }
    return "unrepeated";
}

const char* toString(Direction direction) {
    switch (direction) {
        case Direction::Same:
            return "same";
        case Direction::Lower:
            return "lower";
        case Direction::Higher:
            return "higher";
        case Direction::Unknown:
            return "unknown";
    }
    return "unknown";
}

const char* toString(DurationChange::State state) {
    using State = DurationChange::State;
    switch (state) {
        case State::Faster:
            return "faster";
        case State::Slower:
            return "slower";
        case State::WithinNoise:
            return "within-noise";
        case State::NoiseUnknown:
            return "noise-unknown";
        case State::NotComparable:
            return "not-comparable";
        case State::NotMeasured:
            return "not-measured";
    }
    return "not-measured";
}

const char* toString(Outcome outcome) {
    switch (outcome) {
        case Outcome::CameTrue:
            return "came-true";
        case Outcome::Partly:
            return "partly";
        case Outcome::Not:
            return "not";
        case Outcome::CannotTell:
            return "cannot-tell";
    }
    return "cannot-tell";
}

const char* toString(Promise::Fate fate) {
    switch (fate) {
        case Promise::Fate::Gone:
            return "gone";
        case Promise::Fate::Minor:
            return "minor";
        case Promise::Fate::Still:
            return "still";
        case Promise::Fate::CannotTell:
            return "cannot-tell";
    }
    return "cannot-tell";
}

}  // namespace roofscope
