// SPDX-License-Identifier: Apache-2.0
#include "reports/kernel_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyzer/resources.h"
#include "analyzer/roofline.h"
#include "analyzer/rule.h"
#include "reports/number_format.h"

namespace roofscope {

std::string formatDim(const Dim3& extents) {
    std::string text = fmt::format("{}", extents.x);
    if (extents.y != 1 || extents.z != 1) text += fmt::format(" × {}", extents.y);
    if (extents.z != 1) text += fmt::format(" × {}", extents.z);
    return text;
}

std::string verdictWords(const Verdict& verdict) {
    if (verdict.cls == VerdictClass::NearRoof && !verdict.limiter.empty())
        return "near the " + verdict.limiter + " roof";
    std::string words = toString(verdict.cls);
    if (verdict.cls == VerdictClass::Unknown) words = "cannot tell what limits it";
    if (!verdict.limiter.empty()) words += " at " + verdict.limiter;
    return words;
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
    // A twentieth of the time is within what clocks and runs differ by.
    constexpr double kSmallHeadroom = 1.05;
    switch (verdict.cls) {
        case VerdictClass::Unknown:
            return NoFindings::CannotTell;
        case VerdictClass::NearRoof:
            return NoFindings::NothingToFix;
        default:
            break;
    }
    if (verdict.speedupBound.has() && *verdict.speedupBound <= kSmallHeadroom)
        return NoFindings::NothingToFix;
    return NoFindings::NoKnownFault;
}

std::string ruleTitle(const std::string& ruleId) {
    const Rule* rule = findRule(ruleId);
    return rule && !rule->en.title.empty() ? std::string(rule->en.title) : ruleId;
}

std::vector<BusyResource> busyResources(const Quantities& q, Convention convention) {
    std::vector<BusyResource> all;
    const auto add = [&all](std::string name, const Derived<Ratio>& share, double atLeast,
                            std::string rate = {}) {
        if (share.has() && share->value >= atLeast)
            all.push_back({std::move(name), share->value, std::move(rate)});
    };
    // Tensor-core kernels may load through bulk copies (TMA), which the L1's counters do not see:
    // then next to nothing passes the L1 while the L2 delivers.
    constexpr double kNextToNothing = 0.01;
    const auto& throughL1 = q.bytes[Level::L1];
    const auto& throughL2 = q.bytes[Level::L2];
    const bool bulkCopies = q.tensorUtilisation.has() &&
                            q.tensorUtilisation->value >= kTensorInUse && throughL1.has() &&
                            throughL2.has() && throughL1->value < kNextToNothing * throughL2->value;
    for (const Level level : {Level::Dram, Level::L2, Level::L1}) {
        if (level == Level::L1 && bulkCopies) {
            all.push_back({"L1", std::nullopt, "bulk copies are not counted"});
            continue;
        }
        // Our L2's share is that of its busier direction, its rate counts both.
        const bool l2 = level == Level::L2, both = l2 && convention == Convention::Roofscope;
        const auto& rate = q.bandwidth[level];
        add(both ? "L2 (busier way)"
            : l2 ? "L2 (read return)"
                 : toString(level),
            q.utilisation[level], 0,
            rate.has()
                ? formatNumber(rate->value, Unit::BytesPerSecond) + (both ? " both ways" : "")
                : std::string());
    }
    add("LSU/shared pipe", q.sharedPipeUtilisation, 0);
    for (const Precision precision : kPrecisions) {
        // FP16 operations include conversions: an upper bound that often means nothing.
        const bool bound = precision == Precision::Fp16;
        if (bound && !fp16CanMatter(q)) continue;
        const auto& rate = q.flopRate[precision];
        add(bound ? "FP16 ≤" : toString(precision), q.computeUtilisation[precision],
            precision == Precision::Fp32 ? 0 : 1e-6,
            rate.has() ? formatNumber(rate->value, Unit::FlopsPerSecond) : std::string());
    }
    add("tensor pipe", q.tensorUtilisation, 1e-6);
    add("instruction issue", q.issueUtilisation, 0);
    return all;
}

std::string strategyWords(const Capture& capture) {
    std::string words = capture.strategy == "kernel" ? "each launch replayed (kernel replay)"
                        : capture.strategy.empty()   ? "strategy not recorded"
                                                     : capture.strategy + " strategy";
    if (capture.passes > 0)
        words +=
            fmt::format(", {} pass{} per launch", capture.passes, capture.passes == 1 ? "" : "es");
    return words;
}

std::string cudaVersion(std::uint32_t version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::vector<std::string> missingFeatures(const Device& device) {
    const int cc = device.computeMajor * 10 + device.computeMinor;
    std::vector<std::string> lacks;
    if (cc == 0) return lacks;
    if (cc < 80) {
        lacks.emplace_back("asynchronous copies to shared memory (cp.async)");
        lacks.emplace_back("bf16 and TF32 tensor cores");
    }
    if (cc < 89) lacks.emplace_back("FP8 tensor cores");
    if (cc < 90) {
        lacks.emplace_back("tensor memory accelerator (TMA, bulk copies)");
        lacks.emplace_back("thread block clusters and distributed shared memory");
    }
    if (device.computeMajor != 9)
        lacks.emplace_back("warp-group matrix products (wgmma, CC 9.0 only)");
    if (device.computeMajor < 10) lacks.emplace_back("FP4 tensor cores");
    if (device.computeMajor != 10 && device.computeMajor != 11)
        lacks.emplace_back("tensor memory (tcgen05)");
    return lacks;
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
