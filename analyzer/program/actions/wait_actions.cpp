// SPDX-License-Identifier: Apache-2.0
/// Waits for the GPU in the middle of a step: the CPU cannot run ahead.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/language/joined_sentences.h"
#include "analyzer/program/account/sites.h"
#include "analyzer/program/actions/action_finder.h"
#include "analyzer/program/actions/launch_pattern.h"
#include "analyzer/program/actions/step_waits.h"

namespace roofscope::program {
namespace {

/// By name of the function: whether the CPU waits in it for results.
std::map<std::string, bool> waitingCalls(const Timeline& timeline) {
    std::map<std::string, bool> waits;
    for (const CallName& name : timeline.callNames)
        waits[name.name] =
            name.kind == CallKind::Wait ||
            (name.kind == CallKind::Transfer && name.name.find("HtoD") == std::string::npos);
    return waits;
}

// Reports have room for 260 letters of an edit.
Words removalOfWaits(const Frameworks& frameworks) {
    if (frameworks.torch)
        return Words(
            "Keep numbers that the CPU needs on the host from the start (tolist() once), and read "
            "errors at the end: a GPU tensor as a slice bound, index, condition or in range() is a "
            "hidden .item().");
    if (frameworks.cupy)
        return Words(
            "Keep numbers that the CPU needs on the host from the start, and read errors at the "
            "end: .get(), .item(), float() and conditions on arrays wait for the GPU.");
    return Words(
        "Keep numbers that only kernels need on the GPU, issue the next work before results are "
        "read, and read errors at the end.");
}

Words captureOf(const Frameworks& frameworks) {
    return frameworks.torch
               ? Words("Then capture the step (torch.compile(mode=\"reduce-overhead\")).")
               : Words("Then capture the launches that repeat in a CUDA graph.");
}

}  // namespace

std::string ActionFinder::linesOfWaits(const std::vector<ActionSite>& sites, double waits) const {
    constexpr double kNear = 0.1;  // a count that is no whole number is of other repeats, too
    constexpr std::size_t kMostLines = 2, kLongest = 40;
    const double repeats = repeatsWithSites();
    const std::map<std::string, bool> calls = waitingCalls(m_analysis.profile->timeline);
    std::string lines;
    std::size_t told = 0;
    for (const ActionSite& site : sites) {
        const std::string place = site.text.substr(0, site.text.find(" ("));
        if (told == kMostLines || place.size() > kLongest || place.find("+0x") != place.npos)
            continue;
        ++told;
        std::map<std::string, double> counts;  // a copy and its wait are of one place
        for (const CallSite& at : m_analysis.profile->callSites) {
            const auto call = calls.find(at.call);
            // Sizes were noted of copies to the GPU only.
            if (!at.kernel && at.hostCopies.empty() && call != calls.end() && call->second &&
                (placeText(at) == site.text || siteText(at) == site.text))
                counts[at.call] += static_cast<double>(at.count);
        }
        double count = 0;
        for (const auto& [name, times] : counts) count = std::max(count, times);
        const double each = repeats > 0 ? count / repeats : 0, whole = std::round(each);
        lines += (lines.empty() ? "" : ", ") + place;
        if (whole >= 1 && whole <= waits + kNear && std::abs(each - whole) < kNear * whole)
            lines += " " + std::to_string(static_cast<int>(whole)) + "×";
    }
    return lines;
}

bool ActionFinder::waitsWithin() {
    if (!m_account.causesKnown || !m_account.cpuBusy || m_program.window.isWhole() ||
        m_frameworks.xla || m_program.lanes.empty() || !waitsInside())
        return false;
    const StepWaits found = stepWaits(*m_analysis.profile, m_program.lanes.front());
    if (!found.areWithin()) return false;
    const Seconds window = m_program.window.seconds;
    const Seconds afterWaits = m_account.time[TimeClass::IdleSync];
    const Seconds launching = waitsForLaunches().value_or(Seconds{});
    // Without waits, the CPU issues ahead of the GPU, and the busier of the two decides. Before
    // that, each wait also delays the launches that follow it.
    const Seconds cpu{std::max(0.0, (*m_account.cpuBusy - found.copies).value)};
    const Seconds alone =
        std::min(afterWaits + m_account.hostAfterSync + launching, window - std::max(busy(), cpu));
    const LaunchPattern pattern = launchPattern();
    const Seconds issuing{std::max(0.0, launching.value - pattern.perWindow * kGraphGap.value)};
    // The CPU would take most of the time without waits, too, so the step must also be captured.
    const bool captured = issuing > alone;
    if (captured && hasOwnEdit(pattern)) return false;
    const Seconds bound = captured ? afterWaits + issuing : alone;
    constexpr double kLeast = 0.05;  // less is not what the program waits for
    if (bound < window * kLeast) return false;
    const Seconds idle =
        captured ? afterWaits + launching : afterWaits + m_account.hostAfterSync + launching;
    std::vector<ActionSite> sites = sitesOf(CallKind::Wait, TimeClass::IdleSync, bound);
    if (sites.empty()) sites = sitesOfCopies(TransferKind::DeviceToHost, bound);
    const std::string lines = linesOfWaits(sites, found.waits);
    if (!lines.empty()) sites.clear();  // the sentence has them
    constexpr double kMostlyLaunches = 3;
    const bool byLaunches = captured && launching >= afterWaits * kMostlyLaunches;
    Action action{
        .rule = captured ? "launch-bound-program" : "sync-stops-queue",
        .timeClass = captured ? TimeClass::IdleLaunch : TimeClass::IdleSync,
        .alwaysExplained = true,
        .bound = bound,
        .sites = std::move(sites),
        .title = byLaunches ? Words("The GPU waits for launches")
                            : Words("The CPU waits for the GPU within each repeat"),
        .sentence = byLaunches
                        ? Words("The GPU is idle for {idle} while the CPU issues {launches} "
                                "launches; and the CPU waits {waits} times in each repeat{at}, "
                                "which keeps the step from being captured.")
                    : lines.empty()
                        ? Words("The CPU waits {waits} times in each repeat and cannot run ahead: "
                                "the GPU is idle for {idle}.")
                        : Words("The CPU waits {waits} times in each repeat ({lines}) and cannot "
                                "run ahead: the GPU is idle for {idle}."),
        .edit = captured ? joinedSentences(removalOfWaits(m_frameworks), captureOf(m_frameworks))
                         : removalOfWaits(m_frameworks),
        .args = {words("call", callsOf({CallKind::Wait, CallKind::Transfer})),
                 number("waits", std::round(found.waits), Unit::Count),
                 number("idle", idle.value, Unit::Seconds),
                 number("launches", pattern.perWindow, Unit::Count)}};
    if (!lines.empty()) action.args.push_back(words("lines", Words::same(lines)));
    if (byLaunches)
        action.args.push_back(
            words("at", Words::same(lines.empty() ? std::string() : " (" + lines + ")")));
    if (!captured) {
        action.hostFunctions = functionsIn(TimeClass::IdleSync, "libcuda.so");
        action.sampledTime = afterWaits;
    }
    if (!add(std::move(action))) return false;
    if (!captured) launches(window - alone - busy());
    return true;
}

}  // namespace roofscope::program
