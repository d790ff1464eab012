// SPDX-License-Identifier: Apache-2.0
#include "gate/program_time.h"

#include <algorithm>
#include <utility>

#include "analyzer/compare/parts.h"
#include "analyzer/language/sentence.h"
#include "analyzer/program/program.h"

namespace roofscope::gate {

std::optional<Fact> durationFact(std::vector<double> seconds) {
    std::erase_if(seconds, [](double s) { return !(s > 0); });  // NaN too
    const Band band = compare::bandOf(seconds);                 // sorts them
    if (band.repeats == 0) return std::nullopt;
    const std::size_t half = seconds.size() / 2;
    const double median =
        seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
    return Fact{median, band};
}

std::optional<BaselineProgram> programTime(const Analysis& analysis,
                                           const PrivateDataFilter& privateParts) {
    // Always judge the loop, even if the report judges the whole run: its start and end vary too
    // much.
    const Program program = analyzeProgram(analysis, WindowChoice::Loop, Stretches::Kept);
    if (program.lanes.empty()) return std::nullopt;
    const Lane& lane = program.lanes.front();
    const Window& window = lane.window;
    if (window.isWhole() || window.rounds > 0 || lane.occurrences.size() < kLeastRepeats ||
        !(window.seconds.value > 0))
        return std::nullopt;
    std::vector<double> repeats;
    double all = 0;
    for (const TimeSpan& span : lane.occurrences) {
        repeats.push_back(static_cast<double>(span.length()) * 1e-9);
        all += repeats.back();
    }
    // Scale the repeats to the window's time, from which the cost of tracing is subtracted.
    const double scale = window.seconds.value * static_cast<double>(repeats.size()) / all;
    for (double& seconds : repeats) seconds *= scale;
    const auto time = durationFact(std::move(repeats));
    if (!time) return std::nullopt;
    return BaselineProgram{.window = toString(window.kind),
                           .name = baselineName(window.name, privateParts),
                           .time = *time};
}

void judgeProgram(const Baseline& before, const Baseline& now, const Demands& demands,
                  Judgement& out) {
    const auto ignored = demands.ignored.find(kWindowKey);
    if ((ignored != demands.ignored.end() && ignored->second) || !before.program) return;
    const auto say = [&](Words words) { out.notes.push_back({std::move(words), {}}); };
    if (before.devices != now.devices) return;  // the check of each kernel says so
    if (!now.program)
        return say(
            Words("the profile has no times of what the program repeats, so they are not "
                  "judged"));
    if (before.program->window != now.program->window || before.program->name != now.program->name)
        return say(
            Words("the program repeats something else than in the baseline, so the times of "
                  "its repeats are not judged"));
    const Fact &from = before.program->time, &to = now.program->time;
    const auto demanded = demands.growth.find(kWindowKey);
    Check check{.id = SharedText(std::string(kWindowKey)),
                .label = Words("time of a repeat of the program's loop"),
                .unit = Unit::Seconds,
                .from = from.value,
                .to = to.value,
                .bound = demanded == demands.growth.end() ? kWindowGrowth : demanded->second};
    const bool apart = compare::apart(from.band, to.band);
    if (apart && *check.growth() > *check.bound) {
        check.status = Status::Fail;
        check.reason = {Words("slower, beyond noise"), {}};
    }
    check.improved = apart && to.value * (1 + kWindowGrowth) < from.value;
    out.checks.push_back(std::move(check));
}

}  // namespace roofscope::gate
