// SPDX-License-Identifier: Apache-2.0
#include "reports/findings/kernel_facts.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/roofline/roofline.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "reports/language/number_format.h"
#include "reports/language/phrase.h"
#include "reports/language/say.h"

namespace roofscope {

std::string formatDim(const Dim3& extents) {
    std::string text = fmt::format("{}", extents.x);
    if (extents.y != 1 || extents.z != 1) text += fmt::format(" × {}", extents.y);
    if (extents.z != 1) text += fmt::format(" × {}", extents.z);
    return text;
}

std::string resourceWords(ResourceId resource, Language language) {
    switch (resource) {
        case ResourceId::SharedPipe:
            return say(language, "shared pipe");
        case ResourceId::L1DataPipe:
            return say(language, "L1 data pipe");
        case ResourceId::L2Tags:
            return say(language, "L2 tags");
        case ResourceId::L2Atomics:
            return say(language, "L2 atomics");
        case ResourceId::Tensor:
            return say(language, "tensor");
        case ResourceId::Issue:
            return say(language, "instruction issue");
        case ResourceId::BlockStarts:
            return say(language, "block start rate");
        case ResourceId::Integer:
            return say(language, "integer");
        case ResourceId::SpecialFunction:
            return say(language, "special functions");
        case ResourceId::Fp64:
        case ResourceId::Fp32:
        case ResourceId::Fp16:
            return say(language, "{} pipe", toString(resource));
        case ResourceId::Dram:
        case ResourceId::L2:
        case ResourceId::L1:
            break;  // the same in all languages
    }
    return toString(resource);
}

std::string durationSourceWords(DurationSource source, Language language) {
    switch (source) {
        case DurationSource::TimingRun:
            return say(language, "from the timing run");
        case DurationSource::CounterRun:
            return say(language, "from the counter run");
        case DurationSource::Trace:
            break;
    }
    return say(language, "from the imported trace");
}

std::string limiterWords(OccupancyLimiter limiter, Language language) {
    switch (limiter) {
        case OccupancyLimiter::None:
            return {};
        case OccupancyLimiter::Registers:
            return say(language, "registers");
        case OccupancyLimiter::SharedMemory:
            return say(language, "shared memory");
        case OccupancyLimiter::BlockSize:
            return say(language, "block size");
        case OccupancyLimiter::BlocksPerSm:
            return say(language, "blocks per SM");
    }
    return {};
}

std::string confidenceWords(Confidence confidence, Language language) {
    switch (confidence) {
        case Confidence::Low:
            return say(language, "low");
        case Confidence::Medium:
            return say(language, "medium");
        case Confidence::High:
            return say(language, "high");
    }
    return {};
}

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

/// Whether other instructions of the same pipe might do the same work faster. Then being at the
/// roof does not mean that there is nothing to fix.
bool mayUseFasterInstructions(const KernelAnalysis& kernel) {
    const auto is = [&](const auto& result) {
        const Rule* const rule = findRule(result.ruleId);
        return rule && rule->canBeatItsRoof;
    };
    return std::ranges::any_of(kernel.findings, is) || std::ranges::any_of(kernel.cannotTell, is);
}

/// Whether the same work could not be done faster, within 5 % of the time: clocks and runs vary by
/// as much.
bool isAtRoof(const Verdict& verdict) {
    constexpr double kSmallHeadroom = 1.05;
    return verdict.speedupBound.has() && *verdict.speedupBound <= kSmallHeadroom;
}

/// How near the roof a kernel is (`busy`), and what would help it.
std::string nearRoofWords(const KernelAnalysis& kernel, const std::string& busy,
                          Language language) {
    const bool atRoof = isAtRoof(kernel.verdict);
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
    if (mayUseFasterInstructions(kernel))
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

std::string reasonWords(const KernelAnalysis& kernel, Language language) {
    const Verdict& verdict = kernel.verdict;
    const bool explained = !majorFindings(kernel).empty();
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
    if (!reason.leading) return {};
    std::string busy = verdict.cls == VerdictClass::LatencyBound
                           ? say(language, "{} at {}", resourceWords(reason.leading->id, language),
                                 percent(reason.leading->busy))
                           : describe(*reason.leading, language);
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

std::string verdictReason(const KernelAnalysis& kernel, Language language) {
    std::string text = spaced(reasonWords(kernel, language), language);
    // Start the sentence with a capital: resource names are in lower case ("shared pipe").
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

bool wasOnlyTimed(const KernelAnalysis& kernel) {
    const Quantities& q = kernel.quantities;
    return q.duration.count > 0 && !q.counterDuration.has() && !q.warpInstructions.has() &&
           !q.bytes[Level::Dram].has();
}

std::vector<const Finding*> majorFindings(const KernelAnalysis& kernel) {
    std::vector<const Finding*> found;
    for (const Finding& finding : kernel.findings)
        if (!finding.minor) found.push_back(&finding);
    return found;
}

std::vector<const Finding*> minorFindings(const KernelAnalysis& kernel) {
    std::vector<const Finding*> found;
    for (const Finding& finding : kernel.findings)
        if (finding.minor) found.push_back(&finding);
    return found;
}

NoFindings explainNoFindings(const KernelAnalysis& kernel) {
    const Verdict& verdict = kernel.verdict;
    if (verdict.reason.whileCounted) return NoFindings::OtherState;
    switch (verdict.cls) {
        case VerdictClass::Unknown:
            return NoFindings::CannotTell;
        case VerdictClass::WaitsForPeers: {
            // Rules skip these kernels, so having no findings means nothing.
            const Quantities& q = kernel.quantities;
            return q.duration.count > 0 && !q.counterDuration.has() ? NoFindings::OnlyTimed
                                                                    : NoFindings::CannotTell;
        }
        case VerdictClass::NearRoof:
            if (mayUseFasterInstructions(kernel)) return NoFindings::CannotTell;
            return isAtRoof(verdict) ? NoFindings::NothingToFix : NoFindings::LittleToFix;
        default:
            break;
    }
    if (isAtRoof(verdict)) return NoFindings::NothingToFix;
    return verdict.reason.undecided.empty() ? NoFindings::NoKnownFault : NoFindings::Undecided;
}

bool hasOnlyTimes(const Profile& profile) {
    return !profile.launches.empty() && profile.counters.names().empty();
}

std::string effectiveWords(const Quantities& q, Language language) {
    if (!q.effectiveBandwidth.has() || q.bandwidth[Level::Dram].has()) return {};

    const std::string roof = q.effectiveRoofMeasured
                                 ? say(language, "the rate of a DRAM copy on this GPU")
                                 : say(language, "the theoretical DRAM roof");
    return say(
        language, "Effective bandwidth from declared bytes (not measured): {}{}.",
        formatNumber(q.effectiveBandwidth->value, Unit::BytesPerSecond),
        q.effectiveShare.has()
            ? say(language, ", {} of {}", formatNumber(q.effectiveShare->value, Unit::Share), roof)
            : std::string());
}

std::string ruleTitle(const std::string& ruleId, Language language) {
    const Rule* rule = findRule(ruleId);
    return rule ? std::string(rule->text(language).title) : ruleId;
}

std::string arithmeticWords(const Arithmetic& arithmetic, Language language) {
    const TensorType* const type = arithmetic.tensor();
    return type ? say(language, "{} tensor", toString(*type)) : toString(arithmetic);
}

std::string strategyWords(const Capture& capture, Language language) {
    std::string text =
        capture.strategy.empty()       ? say(language, "strategy not recorded")
        : capture.origin == "imported" ? capture.strategy
        : capture.strategy == "kernel" ? say(language, "each launch replayed (kernel replay)")
        : capture.strategy == "application"
            ? say(language, "the program run once per group of counters (application replay)")
        : capture.strategy == "multiplex"
            ? say(language, "one run, counter groups rotate over the launches (multiplexing)")
        : capture.strategy == "timing" ? say(language, "without counters (timing only)")
                                       : say(language, "{} strategy", capture.strategy);
    if (capture.passes > 0)
        text += std::string(marksOf(language).comma) +
                sayCount(language, static_cast<std::size_t>(capture.passes), "{} pass per launch",
                         "{} passes per launch");
    return text;
}

std::string cudaVersion(std::uint32_t version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::vector<std::string> missingFeatures(const Device& device, Language language) {
    static const struct {
        ChipFeature feature;
        Words words;
    } kFeatures[]{
        {ChipFeature::AsyncCopies, Words("asynchronous copies to shared memory (cp.async)")},
        {ChipFeature::Bf16TensorCores, Words("bf16 and TF32 tensor cores")},
        {ChipFeature::Fp8TensorCores, Words("FP8 tensor cores")},
        {ChipFeature::BulkCopies, Words("tensor memory accelerator (TMA, bulk copies)")},
        {ChipFeature::Clusters, Words("thread block clusters and distributed shared memory")},
        {ChipFeature::Wgmma, Words("warp-group matrix products (wgmma, CC 9.0 only)")},
        {ChipFeature::Fp4TensorCores, Words("FP4 tensor cores")},
        {ChipFeature::TensorMemory, Words("tensor memory (tcgen05)")}};
    std::vector<std::string> lacks;
    for (const auto& [feature, words] : kFeatures)
        if (!chipHas(device, feature).value_or(true)) lacks.push_back(words.in(language));
    return lacks;
}

std::string deviceNumbers(const std::vector<std::uint32_t>& devices) {
    std::string text;
    for (std::size_t first = 0; first < devices.size();) {
        std::size_t last = first;
        while (last + 1 < devices.size() && devices[last + 1] == devices[last] + 1) ++last;
        // Two consecutive numbers are not written as a range.
        if (last == first + 1) last = first;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", devices[first]);
        if (last > first) text += fmt::format("–{}", devices[last]);
        first = last + 1;
    }
    return text;
}

const Device& deviceOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    static const Device kNone;
    const auto& devices = analysis.profile->devices;
    return kernel.group.device < devices.size() ? devices[kernel.group.device] : kNone;
}

const Kernel& functionOf(const Analysis& analysis, const KernelAnalysis& kernel) {
    static const Kernel kNone;
    const auto& kernels = analysis.profile->kernels;
    return kernel.group.kernel < kernels.size() ? kernels[kernel.group.kernel] : kNone;
}

}  // namespace roofscope
