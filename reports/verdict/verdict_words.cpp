// SPDX-License-Identifier: Apache-2.0
#include "reports/verdict/verdict_words.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/source/stalls.h"
#include "reports/language/number_format.h"
#include "reports/language/phrase.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"
#include "reports/verdict/major_findings.h"
#include "reports/verdict/no_findings.h"

namespace roofscope {

namespace {

std::string className(VerdictClass cls, Language language) {
    switch (cls) {
        case VerdictClass::LaunchBound:
            return say(language, "launch-bound");
        case VerdictClass::Underfilled:
            return say(language, "underfilled");
        case VerdictClass::NearRoof:
            return say(language, "near-roof");
        case VerdictClass::MemoryBound:
            return say(language, "memory-bound");
        case VerdictClass::ComputeBound:
            return say(language, "compute-bound");
        case VerdictClass::Balanced:
            return say(language, "balanced");
        case VerdictClass::LatencyBound:
            return say(language, "latency-bound");
        case VerdictClass::WaitsForPeers:
            return say(language, "waits for other GPUs");
        case VerdictClass::WaitsForPages:
            return say(language, "waits for pages of managed memory");
        case VerdictClass::Unknown:
            return say(language, "cannot tell what limits it");
    }
    return {};
}

std::string percent(Ratio share) {
    // Above ten times a roof this is no share any more; the general format keeps it short.
    constexpr double kMost = 10;
    if (!(std::abs(share.value) < kMost)) return formatNumber(share.value, Unit::Share);
    return fmt::format("{:.0f} %", share.value * 100);
}

std::string describe(const ResourceUse& use, Language language) {
    if (use.id == ResourceId::Dram && use.busy != use.ofRoof) {
        std::string text =
            say(language, "DRAM at {} of its theoretical roof, {} of the attainable bandwidth",
                percent(use.ofRoof), percent(use.busy));
        return use.measured ? say(language, "{} (measured on this GPU)", text) : text;
    }
    return say(language, "{} at {}", resourceWords(use.id, language), percent(use.busy));
}

/// How near the roof a kernel is (`busy`), and what would help it.
std::string nearRoofWords(const KernelAnalysis& kernel, const std::string& busy,
                          Language language) {
    const bool atRoof = isAtRoof(kernel.verdict);
    const ResourceId leading = kernel.verdict.reason.leading->id;
    if (leading == ResourceId::MemoryTotal || leading == ResourceId::SmTotal) return busy;
    if (leading == ResourceId::LsuRequests)
        return atRoof ? say(language, "{}: only fewer memory instructions help", busy)
                      : say(language, "{}: fewer memory instructions help most", busy);
    if (kernel.verdict.reason.leading->memory)
        return atRoof ? say(language, "{}: only fewer bytes help", busy)
                      : say(language, "{}: fewer bytes help most", busy);
    const auto lacksSource = [](const CannotTell& unknown) {
        const Rule* rule = findRule(unknown.ruleId);
        return rule && rule->canBeatItsRoof &&
               std::ranges::find(unknown.groups, CounterGroup::Source) != unknown.groups.end();
    };
    if (std::ranges::any_of(kernel.cannotTell, lacksSource))
        return say(language,
                   "{}: fewer operations help most; machine code and source lines would show which "
                   "take them",
                   busy);
    if (mayUseWgmma(kernel))
        return say(language, "{} without wgmma, which may do the same work faster", busy);
    return atRoof ? say(language, "{}: only fewer operations help", busy)
                  : say(language, "{}: fewer operations help most", busy);
}

/// The first undecided rule that might change the verdict, and the counter group that it lacks.
struct OpenQuestion {
    std::string rule, group;
};
OpenQuestion openQuestion(const KernelAnalysis& kernel) {
    for (const std::string& rule : kernel.verdict.reason.undecided)
        for (const CannotTell& unknown : kernel.cannotTell)
            if (unknown.ruleId == rule && !unknown.groups.empty() &&
                isNamedGroup(unknown.groups.front()))
                return {.rule = rule, .group = toString(unknown.groups.front())};
    return {};
}

/// "; in the program 807 µs instead of 614 µs, …", where the GPU lowered its clocks.
std::string clockWords(const VerdictReason& reason, Language language) {
    return std::string(marksOf(language).semicolon) +
           say(language, "in the program {} instead of {}, because the GPU lowers its clocks there",
               formatTime(reason.time), formatTime(*reason.whileCounted));
}

/// The reason of a verdict that a resource decides, or that none does.
std::string reasonByResources(const KernelAnalysis& kernel, Language language) {
    const Verdict& verdict = kernel.verdict;
    const bool explained = !majorFindings(kernel).empty();
    const VerdictReason& reason = verdict.reason;
    if (!reason.leading) return {};
    std::string busy = verdict.cls == VerdictClass::LatencyBound
                           ? say(language, "{} at {}", resourceWords(reason.leading->id, language),
                                 percent(reason.leading->busy))
                           : describe(*reason.leading, language);
    if (!reason.counter.empty()) busy = say(language, "{} ({})", busy, reason.counter.str());
    // The finding below says what helps.
    if (verdict.cls == VerdictClass::NearRoof && explained && !isAtRoof(verdict)) return busy;
    if (verdict.cls == VerdictClass::NearRoof) return nearRoofWords(kernel, busy, language);
    if (reason.second && verdict.cls != VerdictClass::LatencyBound)
        busy += std::string(marksOf(language).semicolon) + describe(*reason.second, language);
    if (verdict.cls != VerdictClass::LatencyBound) return busy;
    return say(language, "no resource is above {} (busiest: {}): {}", percent(reason.busyFrom),
               busy,
               reason.emptyLaunch ? say(language, "it is as short as the launch of an empty kernel")
               : reason.stall.empty()
                   ? (explained ? say(language, "warps wait; begin with finding 1")
                      : !openQuestion(kernel).rule.empty()
                          ? say(language,
                                "warps wait; the counter group \"{}\" would tell whether it is {}",
                                openQuestion(kernel).group, openQuestion(kernel).rule)
                      : isForeign(kernel.origin)
                          ? say(language, "warps wait")
                          : say(language,
                                "warps wait; record the counter group \"stalls\" to see for what"))
                   : say(language, "warps wait most often for {} ({})",
                         stallWords(reason.stall).in(language), reason.stall));
}

std::string reasonWords(const KernelAnalysis& kernel, Language language) {
    const Verdict& verdict = kernel.verdict;
    const VerdictReason& reason = verdict.reason;
    if (verdict.cls == VerdictClass::Underfilled)
        return sayCount(language, reason.blocks, "{0} block on {1} SMs: {2} SMs have nothing to do",
                        "{0} blocks on {1} SMs: {2} SMs have nothing to do", reason.sms,
                        reason.sms - reason.blocks);
    if (verdict.cls == VerdictClass::LaunchBound)
        return say(language,
                   "a launch takes {}, then no kernel runs for {} (medians): the GPU waits for the "
                   "program to launch",
                   formatTime(reason.time), formatTime(reason.gap));
    if (verdict.cls == VerdictClass::WaitsForPeers)
        return say(language, "communication: its duration depends on when the other ranks arrive");
    if (verdict.cls == VerdictClass::WaitsForPages)
        return say(language,
                   "launches that took {} in the program took {} while their counters were read, "
                   "with all pages on the GPU",
                   formatTime(reason.time), formatTime(*reason.whileCounted));
    if (reason.clocksLowered)
        return reasonByResources(kernel, language) + clockWords(reason, language);
    if (reason.whileCounted && reason.time >= *reason.whileCounted * kWaitsLong)
        return say(
            language,
            "it took {} in the program but {} while its counters were read: it waits for "
            "something that counting does not show, such as pages of managed memory (managed "
            "variables, too), other work on the GPU, or data that was in the caches only "
            "then",
            formatTime(reason.time), formatTime(*reason.whileCounted));
    if (reason.whileCounted)
        return say(language,
                   "it took {} in the program but {} while its counters were read: the counters do "
                   "not show what it waits for in the program",
                   formatTime(reason.time), formatTime(*reason.whileCounted));
    if (verdict.cls == VerdictClass::Unknown)
        return wasOnlyTimed(kernel)     ? say(language, "its counters were not read")
               : reason.missing.empty() ? std::string()
                                        : say(language, "these counters are missing: {}",
                                              namesOfMissing(reason.missing, language));
    return reasonByResources(kernel, language);
}

}  // namespace

std::string verdictWords(const Verdict& verdict, Language language) {
    std::string text = className(verdict.cls, language);
    if (verdict.limiter) {
        const std::string limiter = resourceWords(*verdict.limiter, language);
        const auto& second = verdict.reason.second;
        text =
            verdict.cls == VerdictClass::NearRoof ? say(language, "near the {} roof", limiter)
            : verdict.cls == VerdictClass::Balanced && second
                ? say(language, "bound by {} and {}", limiter, resourceWords(second->id, language))
                : say(language, inContext("a resource in brackets", "{} at {}"), text, limiter);
    }
    return spaced(text, language);
}

std::string verdictReasonPart(const KernelAnalysis& kernel, Language language) {
    return spaced(reasonWords(kernel, language), language);
}

std::string verdictReason(const KernelAnalysis& kernel, Language language) {
    std::string text = verdictReasonPart(kernel, language);
    // Start the sentence with a capital: resource names are in lower case ("shared pipe").
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

}  // namespace roofscope
