// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "analyzer/honesty/args.h"
#include "analyzer/honesty/checks.h"

namespace roofscope::honesty {
namespace {

/// Waiting for a whole device takes microseconds more than waiting for an event.
constexpr Seconds kLate{20e-6};
constexpr double kLateShare = 0.05;
/// Work may depend on values: with other values, the same work may differ by this factor.
constexpr double kSameWork = 1.05;
/// From this share of kernel time on, kernels other than the timed one are suspicious.
constexpr double kBeside = 0.1;

/// Launches outside of the ranges around calls.
struct Outside {
    std::size_t launches = 0;
    std::string kernel;  ///< of the first one
};
Outside outsideOfCalls(const Analysis& analysis) {
    Outside outside;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        if (kernel.range.starts_with(kCallRange)) continue;
        if (outside.launches == 0) outside.kernel = kernel.name;
        outside.launches += kernel.group.launches.size();
    }
    return outside;
}

double timeOf(const KernelAnalysis& kernel) { return kernel.quantities.duration.total.value; }

}  // namespace

Check laterWork(const Evidence& e) {
    Check check{.id = "work-on-other-stream",
                .title = Words("Work that the timed stream does not wait for")};
    if (!e.facts.eventTime || !e.facts.lateTime)
        return cannotTell(std::move(check), Words("calls were not timed"));
    const double late = e.facts.lateTime->value, event = e.facts.eventTime->value;
    if (late < kLate.value || late < kLateShare * event) return clear(std::move(check));
    std::set<std::uint32_t> streams;
    if (e.profiles.candidate)
        for (const Launch& launch : e.profiles.candidate->profile->launches)
            streams.insert(launch.stream);
    return suspicious(
        std::move(check),
        Words(
            "Events around a call on the caller's stream are {event} apart, and the GPU works for "
            "{late} after the second one; the call uses {streams} {streams?stream:streams}."),
        Words("A stream of its own that the caller is meant to wait for."),
        {secondsArg("event", e.facts.eventTime->value), secondsArg("late", e.facts.lateTime->value),
         countArg("streams", static_cast<double>(streams.size()))});
}

Check otherThread(const Evidence& e) {
    Check check{.id = "work-from-other-thread",
                .title = Words("Work that another thread launches")};
    if (!e.profiles.candidate || !e.profiles.baseline)
        return cannotTell(std::move(check), Words("calls were not recorded"));
    const Outside outside = outsideOfCalls(*e.profiles.candidate);
    if (outside.launches == 0 || outsideOfCalls(*e.profiles.baseline).launches > 0)
        return clear(std::move(check));
    return suspicious(std::move(check),
                      Words("{launches} {launches?launch:launches} of a call (first {kernel}) "
                            "{launches?does:do} not "
                            "come from the thread that calls, or {launches?comes:come} after the "
                            "call has returned; "
                            "all of the baseline's do."),
                      Words("A thread pool that the call waits for."),
                      {countArg("launches", static_cast<double>(outside.launches)),
                       nameArg("kernel", outside.kernel)});
}

Check keptWork(const Evidence& e) {
    Check check{.id = "kept-work", .title = Words("Repeated calls do less work")};
    const auto &repeated = e.calls.candidate, &fresh = e.calls.fresh;
    if (!repeated || !fresh)
        return cannotTell(std::move(check), Words("calls with new inputs were not recorded"));
    const Words innocent{"Constant weights that are prepared once, on purpose."};
    const bool fewer = fresh->launches > repeated->launches;
    const bool less = fresh->instructions && repeated->instructions &&
                      *fresh->instructions > kSameWork * *repeated->instructions;
    if (!fewer && !less) {
        const auto counted = [](const CallFacts& call) {
            return call.launches == 0 || call.instructions;
        };
        if (!counted(*fresh) || !counted(*repeated))
            return cannotTell(std::move(check), Words("instructions were not counted"));
        return clear(std::move(check));
    }
    std::vector<Arg> args{countArg("few", static_cast<double>(repeated->launches)),
                          countArg("many", static_cast<double>(fresh->launches))};
    if (!less)
        return suspicious(std::move(check),
                          Words("With the same inputs again a call launches {few} "
                                "{few?kernel:kernels}, with new ones "
                                "{many}: part of the work is kept from an earlier call."),
                          innocent, std::move(args));
    args.push_back(
        shareArg("share", 1 - repeated->instructions.value_or(0) / *fresh->instructions));
    return suspicious(
        std::move(check),
        Words("With the same inputs again a call executes {share} fewer instructions than "
              "with new ones ({few} {few?launch:launches} instead of {many}): part of the work is "
              "kept "
              "from an earlier call."),
        innocent, std::move(args));
}

std::optional<Check> otherKernel(const Evidence& e) {
    if (e.facts.kernel.empty()) return std::nullopt;
    Check check{.id = "work-in-other-kernel", .title = Words("Work in kernels that are not timed")};
    if (!e.profiles.candidate)
        return cannotTell(std::move(check), Words("calls were not recorded"));
    double own = 0, beside = 0, most = -1;
    std::string other;
    for (const KernelAnalysis& kernel : e.profiles.candidate->kernels) {
        const double time = timeOf(kernel);
        if (kernel.fullName.find(e.facts.kernel) != std::string::npos) {
            own += time;
            continue;
        }
        beside += time;
        if (time > most) {
            most = time;
            other = kernel.name;
        }
    }
    if (own == 0) return cannotTell(std::move(check), Words("no kernel of that name was launched"));
    if (beside < kBeside * (own + beside)) return clear(std::move(check));
    return suspicious(std::move(check),
                      Words("The timed kernel takes {own} of a call; {share} of the call's kernel "
                            "time is in others, "
                            "most in {other}."),
                      Words("Kernels that the baseline needs as well."),
                      {secondsArg("own", own), shareArg("share", beside / (own + beside)),
                       nameArg("other", other)});
}

Check replacedTimer(const Evidence& e) {
    Check check{.id = "replaced-timer", .title = Words("Timing functions were replaced")};
    if (!e.facts.replacedTimers)
        return cannotTell(std::move(check), Words("they were not looked at"));
    if (e.facts.replacedTimers->empty()) return clear(std::move(check));
    std::string list;
    for (const std::string& name : *e.facts.replacedTimers)
        list += (list.empty() ? "" : ", ") + name;
    return suspicious(std::move(check), Words("The candidate's code replaced: {names}."),
                      Words("A profiler or a mock that was imported with it."),
                      {nameArg("names", list)});
}

}  // namespace roofscope::honesty
