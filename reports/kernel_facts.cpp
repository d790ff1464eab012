// SPDX-License-Identifier: Apache-2.0
#include "reports/kernel_facts.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/resources.h"
#include "analyzer/roofline.h"
#include "analyzer/rule.h"
#include "analyzer/stalls.h"
#include "reports/language/wording.h"
#include "reports/number_format.h"
#include "reports/phrase.h"

namespace roofscope {

std::string formatDim(const Dim3& extents) {
    std::string text = fmt::format("{}", extents.x);
    if (extents.y != 1 || extents.z != 1) text += fmt::format(" × {}", extents.y);
    if (extents.z != 1) text += fmt::format(" × {}", extents.z);
    return text;
}

std::string resourceWords(std::string_view limiter, Language language) {
    const VerdictWords& words = wordingOf(language).verdict;
    if (limiter == "shared pipe") return words.sharedPipe.str();
    if (limiter == "L1 data pipe") return words.l1DataPipe.str();
    if (limiter == "L2 atomics") return words.l2Atomics.str();
    if (limiter == "tensor") return words.tensor.str();
    if (limiter == "instruction issue") return words.instructionIssue.str();
    if (limiter == "integer") return words.integer.str();
    if (limiter == "special functions") return words.specialFunctions.str();
    for (const Precision precision : kPrecisions)
        if (limiter == toString(precision)) return words.arithmeticPipe(limiter);
    return std::string(limiter);  // "DRAM": alike in all languages
}

std::string limiterWords(OccupancyLimiter limiter, Language language) {
    const VerdictWords& words = wordingOf(language).verdict;
    switch (limiter) {
        case OccupancyLimiter::None:
            return {};
        case OccupancyLimiter::Registers:
            return words.registers.str();
        case OccupancyLimiter::SharedMemory:
            return words.sharedMemory.str();
        case OccupancyLimiter::BlockSize:
            return words.blockSize.str();
        case OccupancyLimiter::BlocksPerSm:
            return words.blocksPerSm.str();
    }
    return {};
}

std::string confidenceWords(Confidence confidence, Language language) {
    const VerdictWords& words = wordingOf(language).verdict;
    switch (confidence) {
        case Confidence::Low:
            return words.low.str();
        case Confidence::Medium:
            return words.medium.str();
        case Confidence::High:
            return words.high.str();
    }
    return {};
}

namespace {

std::string className(VerdictClass cls, const VerdictWords& words) {
    switch (cls) {
        case VerdictClass::LaunchBound:
            return words.launchBound.str();
        case VerdictClass::Underfilled:
            return words.underfilled.str();
        case VerdictClass::NearRoof:
            return words.nearRoof.str();
        case VerdictClass::MemoryBound:
            return words.memoryBound.str();
        case VerdictClass::ComputeBound:
            return words.computeBound.str();
        case VerdictClass::Balanced:
            return words.balanced.str();
        case VerdictClass::LatencyBound:
            return words.latencyBound.str();
        case VerdictClass::WaitsForPeers:
            return words.waitsForPeers.str();
        case VerdictClass::Unknown:
            return words.unknown.str();
    }
    return {};
}

std::string percent(Ratio share) {
    // Beyond ten times a roof the number is no share any more; the general form keeps it short.
    constexpr double kMost = 10;
    if (!(std::abs(share.value) < kMost)) return formatNumber(share.value, Unit::Share);
    return fmt::format("{:.0f} %", share.value * 100);
}

std::string describe(const ResourceUse& use, Language language) {
    const VerdictWords& words = wordingOf(language).verdict;
    if (use.name == toString(Level::Dram) && use.busy != use.ofRoof) {
        std::string text = words.dramAt(percent(use.ofRoof), percent(use.busy));
        return use.measured ? words.measuredHere(text) : text;
    }
    return words.resourceAt(resourceWords(use.name, language), percent(use.busy));
}

/// Whether the same work may be done faster by other instructions of the same pipe: then a roof
/// does not mean that there is nothing to fix.
bool mayBeDoneFaster(const KernelAnalysis& kernel) {
    const auto is = [&](const auto& result) {
        const Rule* const rule = findRule(result.ruleId);
        return rule && rule->roofIsNotTheEnd;
    };
    return std::ranges::any_of(kernel.findings, is) || std::ranges::any_of(kernel.cannotTell, is);
}

/// Whether the same work could not be done faster. A twentieth of the time is within what clocks
/// and runs differ by.
bool isAtRoof(const Verdict& verdict) {
    constexpr double kSmallHeadroom = 1.05;
    return verdict.speedupBound.has() && *verdict.speedupBound <= kSmallHeadroom;
}

std::string reasonWords(const KernelAnalysis& kernel, Language language, bool explained) {
    const Verdict& verdict = kernel.verdict;
    const Wording& wording = wordingOf(language);
    const VerdictWords& words = wording.verdict;
    const VerdictReason& reason = verdict.reason;
    if (verdict.cls == VerdictClass::Underfilled)
        return words.fewBlocks(reason.blocks, reason.sms, reason.sms - reason.blocks);
    if (verdict.cls == VerdictClass::LaunchBound)
        return words.waitsForLaunch(formatNumber(reason.time.value, Unit::Seconds),
                                    formatNumber(reason.gap.value, Unit::Seconds));
    if (verdict.cls == VerdictClass::WaitsForPeers) return words.timeOfOthers.str();
    if (verdict.cls == VerdictClass::Unknown)
        return reason.missing.empty() ? std::string() : words.missingCounters(reason.missing);
    if (!reason.leading) return {};
    std::string busy = describe(*reason.leading, language);
    // A finding below the sentence says what helps.
    if (verdict.cls == VerdictClass::NearRoof && explained && !isAtRoof(verdict)) return busy;
    if (verdict.cls == VerdictClass::NearRoof)
        return reason.leading->memory
                   ? (isAtRoof(verdict) ? words.onlyMovingLess : words.mostlyMovingLess)(busy)
               : mayBeDoneFaster(kernel)
                   ? words.maybeByWgmma(busy)
                   : (isAtRoof(verdict) ? words.onlyDoingLess : words.mostlyDoingLess)(busy);
    if (reason.second) busy += wording.common.semicolon + describe(*reason.second, language);
    if (verdict.cls != VerdictClass::LatencyBound) return busy;
    return words.nothingBusy(
        percent(reason.busyFrom), busy,
        reason.emptyLaunch ? words.emptyLaunch.str()
        : reason.stall.empty()
            ? (explained ? words.waitsExplained : words.waits).str()
            : words.waitsFor(stallWords(reason.stall).in(language), reason.stall));
}

}  // namespace

std::string verdictWords(const Verdict& verdict, Language language) {
    const VerdictWords& words = wordingOf(language).verdict;
    std::string text = className(verdict.cls, words);
    if (!verdict.limiter.empty()) {
        const std::string limiter = resourceWords(verdict.limiter, language);
        text = verdict.cls == VerdictClass::NearRoof ? words.nearRoofOf(limiter)
                                                     : words.classAt(text, limiter);
    }
    return spaced(text, language);
}

std::string verdictReason(const KernelAnalysis& kernel, Language language, bool explained) {
    std::string text = spaced(reasonWords(kernel, language, explained), language);
    // A sentence: resource names start in lower case ("shared pipe").
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
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
    switch (verdict.cls) {
        case VerdictClass::Unknown:
            return NoFindings::CannotTell;
        case VerdictClass::WaitsForPeers: {
            // Rules leave these kernels alone, so their silence says nothing.
            const Quantities& q = kernel.quantities;
            return q.duration.count > 0 && !q.counterDuration.has() ? NoFindings::OnlyTimed
                                                                    : NoFindings::CannotTell;
        }
        case VerdictClass::NearRoof:
            if (mayBeDoneFaster(kernel)) return NoFindings::CannotTell;
            return isAtRoof(verdict) ? NoFindings::NothingToFix : NoFindings::LittleToFix;
        default:
            break;
    }
    return isAtRoof(verdict) ? NoFindings::NothingToFix : NoFindings::NoKnownFault;
}

bool hasOnlyTimes(const Profile& profile) {
    return !profile.launches.empty() && profile.counters.names().empty();
}

std::string effectiveWords(const Quantities& q, Language language) {
    if (!q.effectiveBandwidth.has() || q.bandwidth[Level::Dram].has()) return {};
    const KernelWords& w = wordingOf(language).kernel;
    const Label& roof = q.effectiveRoofMeasured ? w.copyRoof : w.dramRoof;
    return w.effective(
        formatNumber(q.effectiveBandwidth->value, Unit::BytesPerSecond),
        q.effectiveShare.has()
            ? w.effectiveShare(formatNumber(q.effectiveShare->value, Unit::Share), roof.str())
            : std::string());
}

std::string ruleTitle(const std::string& ruleId, Language language) {
    const Rule* rule = findRule(ruleId);
    return rule ? std::string(rule->text(language).title) : ruleId;
}

std::string arithmeticWords(const Arithmetic& arithmetic, Language language) {
    const TensorType* const type = arithmetic.tensor();
    return type ? wordingOf(language).facts.tensorType(toString(*type)) : toString(arithmetic);
}

std::vector<BusyResource> busyResources(const Quantities& q, Convention convention,
                                        Language language) {
    const FactWords& words = wordingOf(language).facts;
    std::vector<BusyResource> all;
    const auto add = [&all](std::string name, const Derived<Ratio>& share, double atLeast,
                            std::string rate = {}) {
        if (share.has() && share->value >= atLeast)
            all.push_back({std::move(name), share->value, std::move(rate)});
    };
    const bool bulkCopies = bypassesL1(q);
    for (const Level level : {Level::Dram, Level::L2, Level::L1}) {
        if (level == Level::L1 && bulkCopies) {
            // Nsight Compute's formula leaves out cp.async as well, ours only what passes the L1
            // by.
            const Label& why = convention == Convention::Roofscope ? words.bulkNotCounted
                                                                   : words.asynchronousNotCounted;
            all.push_back({"L1", std::nullopt, why.str()});
            continue;
        }
        // Our L2's share is that of its busier direction, its rate counts both.
        const bool l2 = level == Level::L2, both = l2 && convention == Convention::Roofscope;
        const auto& rate = q.bandwidth[level];
        add(both ? words.l2BusierWay.str()
            : l2 ? words.l2ReadReturn.str()
                 : toString(level),
            q.utilisation[level], 0,
            !rate.has() ? std::string()
            : both      ? words.bothWays(formatNumber(rate->value, Unit::BytesPerSecond))
                        : formatNumber(rate->value, Unit::BytesPerSecond));
    }
    add(words.lsuPipe.str(), q.sharedPipeUtilisation, 0);
    for (const Precision precision : kPrecisions) {
        // FP16 operations include conversions: an upper bound that often means nothing.
        constexpr double kShown = 1e-4;  // "≤ < 0.01 %" says nothing
        const bool bound = precision == Precision::Fp16;
        if (bound && !fp16CanMatter(q)) continue;
        const auto& rate = q.flopRate[precision];
        add(bound ? words.operationsAtMost(toString(precision))
                  : words.operations(toString(precision)),
            q.computeUtilisation[precision],
            precision == Precision::Fp32 ? 0
            : bound                      ? kShown
                                         : 1e-6,
            rate.has() ? formatNumber(rate->value, Unit::FlopsPerSecond) : std::string());
    }
    // Of types without a roof the rate stands beside the pipe.
    std::string rates;
    for (const TensorWork* work : tensorWork(q)) {
        if (!work->rate.has()) continue;
        const std::string rate = formatRate(work->rate->value, work->type);
        if (work->utilisation.has())
            add(arithmeticWords(work->type, language), work->utilisation, 0, rate);
        else
            rates += (rates.empty() ? std::string() : wordingOf(language).common.comma.str()) +
                     toString(work->type) + " " + rate;
    }
    add(words.tensorPipe.str(), q.tensorUtilisation, 1e-6, rates);
    add(wordingOf(language).verdict.instructionIssue.str(), q.issueUtilisation, 0);
    return all;
}

std::string strategyWords(const Capture& capture, Language language) {
    const Wording& wording = wordingOf(language);
    const FactWords& words = wording.facts;
    std::string text = capture.strategy.empty()            ? words.strategyNotRecorded.str()
                       : capture.origin == "imported"      ? capture.strategy
                       : capture.strategy == "kernel"      ? words.kernelReplay.str()
                       : capture.strategy == "application" ? words.applicationReplay.str()
                       : capture.strategy == "multiplex"   ? words.multiplex.str()
                       : capture.strategy == "timing"      ? words.timingOnly.str()
                                                           : words.strategy(capture.strategy);
    if (capture.passes > 0)
        text += wording.common.comma + words.passes(static_cast<std::size_t>(capture.passes));
    return text;
}

std::string cudaVersion(std::uint32_t version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::vector<std::string> missingFeatures(const Device& device, Language language) {
    const FactWords& words = wordingOf(language).facts;
    const int cc = device.computeMajor * 10 + device.computeMinor;
    std::vector<std::string> lacks;
    if (cc == 0) return lacks;
    if (cc < 80) {
        lacks.emplace_back(words.asyncCopies.str());
        lacks.emplace_back(words.bf16Tensor.str());
    }
    if (cc < 89) lacks.emplace_back(words.fp8Tensor.str());
    if (cc < 90) {
        lacks.emplace_back(words.tma.str());
        lacks.emplace_back(words.clusters.str());
    }
    if (device.computeMajor != 9) lacks.emplace_back(words.wgmma.str());
    if (device.computeMajor < 10) lacks.emplace_back(words.fp4Tensor.str());
    if (device.computeMajor != 10 && device.computeMajor != 11)
        lacks.emplace_back(words.tensorMemory.str());
    return lacks;
}

std::string deviceNumbers(const std::vector<std::uint32_t>& devices) {
    std::string text;
    for (std::size_t first = 0; first < devices.size();) {
        std::size_t last = first;
        while (last + 1 < devices.size() && devices[last + 1] == devices[last] + 1) ++last;
        // Two that follow each other are no stretch yet.
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
