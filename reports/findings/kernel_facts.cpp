// SPDX-License-Identifier: Apache-2.0
#include "reports/findings/kernel_facts.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/diagnosis/rule.h"
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

std::string resourceWords(std::string_view limiter, Language language) {
    if (limiter == "shared pipe") return say(language, "shared pipe", "共享内存流水线");
    if (limiter == "L1 data pipe") return say(language, "L1 data pipe", "L1 数据流水线");
    if (limiter == "L2 tags") return say(language, "L2 tags", "L2 标签");
    if (limiter == "L2 atomics") return say(language, "L2 atomics", "L2 原子操作");
    if (limiter == "tensor") return say(language, "tensor", "张量核心");
    if (limiter == "instruction issue") return say(language, "instruction issue", "指令发射");
    if (limiter == "integer") return say(language, "integer", "整数");
    if (limiter == "special functions") return say(language, "special functions", "特殊函数");
    for (const Precision precision : kPrecisions)
        if (limiter == toString(precision)) return say(language, "{} pipe", "{} 流水线", limiter);
    return std::string(limiter);  // "DRAM": alike in all languages
}

std::string limiterWords(OccupancyLimiter limiter, Language language) {
    switch (limiter) {
        case OccupancyLimiter::None:
            return {};
        case OccupancyLimiter::Registers:
            return say(language, "registers", "寄存器");
        case OccupancyLimiter::SharedMemory:
            return say(language, "shared memory", "共享内存");
        case OccupancyLimiter::BlockSize:
            return say(language, "block size", "线程块大小");
        case OccupancyLimiter::BlocksPerSm:
            return say(language, "blocks per SM", "每个 SM 的线程块数上限");
    }
    return {};
}

std::string confidenceWords(Confidence confidence, Language language) {
    switch (confidence) {
        case Confidence::Low:
            return say(language, "low", "低");
        case Confidence::Medium:
            return say(language, "medium", "中");
        case Confidence::High:
            return say(language, "high", "高");
    }
    return {};
}

namespace {

std::string className(VerdictClass cls, Language language) {
    switch (cls) {
        case VerdictClass::LaunchBound:
            return say(language, "launch-bound", "启动开销瓶颈");
        case VerdictClass::Underfilled:
            return say(language, "underfilled", "未填满 GPU");
        case VerdictClass::NearRoof:
            return say(language, "near-roof", "接近屋顶");
        case VerdictClass::MemoryBound:
            return say(language, "memory-bound", "访存瓶颈");
        case VerdictClass::ComputeBound:
            return say(language, "compute-bound", "计算瓶颈");
        case VerdictClass::Balanced:
            return say(language, "balanced", "访存与计算均衡");
        case VerdictClass::LatencyBound:
            return say(language, "latency-bound", "延迟瓶颈");
        case VerdictClass::WaitsForPeers:
            return say(language, "waits for other GPUs", "等待其他 GPU");
        case VerdictClass::Unknown:
            return say(language, "cannot tell what limits it", "无法判断瓶颈");
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
    if (use.name == toString(Level::Dram) && use.busy != use.ofRoof) {
        std::string text = say(
            language,
            "DRAM at {} of its theoretical roof, {} of what this mix of reads and writes can reach",
            "DRAM 达到理论屋顶的 {}，即该读写比例可达值的 {}", percent(use.ofRoof),
            percent(use.busy));
        return use.measured
                   ? say(language, "{} (measured on this GPU)", "{}（在本 GPU 上实测）", text)
                   : text;
    }
    return say(language, "{} at {}", "{} 利用率 {}", resourceWords(use.name, language),
               percent(use.busy));
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

/// What helps a kernel at a roof, behind how near it is.
std::string nearRoofWords(const KernelAnalysis& kernel, const std::string& busy,
                          Language language) {
    const bool atRoof = isAtRoof(kernel.verdict);
    if (kernel.verdict.reason.leading->memory)
        return atRoof
                   ? say(language, "{}: only fewer bytes help", "{}：只有减少字节数才有用", busy)
                   : say(language, "{}: fewer bytes help most", "{}：最有用的是减少字节数", busy);
    if (mayBeDoneFaster(kernel))
        return say(language, "{}, without wgmma, which may do the same faster",
                   "{}，没有使用 wgmma，用它可能更快", busy);
    return atRoof ? say(language, "{}: only fewer operations help", "{}：只有减少运算才有用", busy)
                  : say(language, "{}: fewer operations help most", "{}：最有用的是减少运算", busy);
}

/// The first rule that cannot tell and might change the verdict, and the group that it lacks.
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
                        "{0} blocks on {1} SMs: {2} SMs have nothing to do",
                        "{0} 个线程块对 {1} 个 SM：{2} 个 SM 无事可做", reason.sms,
                        reason.sms - reason.blocks);
    if (verdict.cls == VerdictClass::LaunchBound)
        return say(language,
                   "a launch takes {}, then no kernel runs for {} (medians): the GPU waits for the "
                   "program to launch",
                   "一次启动耗时 {}，随后 {} 没有内核运行（中位数）：GPU 在等待程序启动",
                   formatTime(reason.time), formatTime(reason.gap));
    if (verdict.cls == VerdictClass::WaitsForPeers)
        return say(language, "communication: how long it takes depends on when the others come",
                   "通信内核：耗时取决于其他 GPU 何时到达");
    if (verdict.cls == VerdictClass::Unknown)
        return wasOnlyTimed(kernel)
                   ? say(language, "no counters were read of it", "没有读取它的计数器")
               : reason.missing.empty()
                   ? std::string()
                   : say(language, "these counters are missing: {}", "缺少以下计数器：{}",
                         namesOfMissing(reason.missing, language));
    if (!reason.leading) return {};
    std::string busy =
        verdict.cls == VerdictClass::LatencyBound
            ? say(language, "{} at {}", "{} 利用率 {}",
                  resourceWords(reason.leading->name, language), percent(reason.leading->busy))
            : describe(*reason.leading, language);
    // A finding below the sentence says what helps.
    if (verdict.cls == VerdictClass::NearRoof && explained && !isAtRoof(verdict)) return busy;
    if (verdict.cls == VerdictClass::NearRoof) return nearRoofWords(kernel, busy, language);
    if (reason.second && verdict.cls != VerdictClass::LatencyBound)
        busy += std::string(marksOf(language).semicolon) + describe(*reason.second, language);
    if (verdict.cls != VerdictClass::LatencyBound) return busy;
    return say(language, "no resource is above {} (busiest: {}): {}",
               "没有资源超过 {}（最忙：{}）：{}", percent(reason.busyFrom), busy,
               reason.emptyLaunch ? say(language, "it is as short as a launch that does nothing",
                                        "它与什么都不做的启动一样短")
               : reason.stall.empty()
                   ? (explained ? say(language, "warps wait; begin with finding 1",
                                      "线程束在等待；先处理发现 1")
                      : !openQuestion(kernel).rule.empty()
                          ? say(language,
                                "warps wait; the counter group \"{}\" would tell whether it is {}",
                                "线程束在等待；计数器组 \"{}\" 可以判断是否为 {}",
                                openQuestion(kernel).group, openQuestion(kernel).rule)
                      : isForeign(kernel.origin)
                          ? say(language, "warps wait", "线程束在等待")
                          : say(language,
                                "warps wait; record the counter group \"stalls\" to see for what",
                                "线程束在等待；录制计数器组 \"stalls\" 可以看出在等什么"))
                   : say(language, "warps wait most often for {} ({})", "线程束最常等待{}（{}）",
                         stallWords(reason.stall).in(language), reason.stall));
}

}  // namespace

std::string verdictWords(const Verdict& verdict, Language language) {
    std::string text = className(verdict.cls, language);
    if (!verdict.limiter.empty()) {
        const std::string limiter = resourceWords(verdict.limiter, language);
        const auto& second = verdict.reason.second;
        text = verdict.cls == VerdictClass::NearRoof
                   ? say(language, "near the {} roof", "接近 {} 屋顶", limiter)
               : verdict.cls == VerdictClass::Balanced && second
                   ? say(language, "bound by {} and {}", "受限于{}和{}", limiter,
                         resourceWords(second->name, language))
                   : say(language, "{} at {}", "{}（{}）", text, limiter);
    }
    return spaced(text, language);
}

std::string verdictReason(const KernelAnalysis& kernel, Language language) {
    std::string text = spaced(reasonWords(kernel, language), language);
    // A sentence: resource names start in lower case ("shared pipe").
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
    if (isAtRoof(verdict)) return NoFindings::NothingToFix;
    return verdict.reason.undecided.empty() ? NoFindings::NoKnownFault : NoFindings::Undecided;
}

bool hasOnlyTimes(const Profile& profile) {
    return !profile.launches.empty() && profile.counters.names().empty();
}

std::string effectiveWords(const Quantities& q, Language language) {
    if (!q.effectiveBandwidth.has() || q.bandwidth[Level::Dram].has()) return {};

    const std::string roof = q.effectiveRoofMeasured
                                 ? say(language, "what a DRAM copy reaches on this GPU",
                                       "本 GPU 上 DRAM 拷贝实测所达带宽")
                                 : say(language, "the theoretical DRAM roof", "DRAM 理论屋顶");
    return say(language, "Effective bandwidth, of declared bytes (not measured): {}{}.",
               "按声明字节数计算的有效带宽（非实测）：{}{}。",
               formatNumber(q.effectiveBandwidth->value, Unit::BytesPerSecond),
               q.effectiveShare.has()
                   ? say(language, ", {} of {}", "，为{1}的 {0}",
                         formatNumber(q.effectiveShare->value, Unit::Share), roof)
                   : std::string());
}

std::string ruleTitle(const std::string& ruleId, Language language) {
    const Rule* rule = findRule(ruleId);
    return rule ? std::string(rule->text(language).title) : ruleId;
}

std::string arithmeticWords(const Arithmetic& arithmetic, Language language) {
    const TensorType* const type = arithmetic.tensor();
    return type ? say(language, "{} tensor", "{} 张量核心", toString(*type)) : toString(arithmetic);
}

namespace {
/// What is hardly used decides nothing; that the DRAM is not, does.
constexpr double kShown = 0.01;
}  // namespace

std::vector<BusyResource> busyResources(const Quantities& q, Convention convention,
                                        Language language) {
    std::vector<BusyResource> all;
    const auto add = [&all](std::string name, const Derived<Ratio>& share, std::string rate = {},
                            double atLeast = kShown) {
        if (share.has() && share->value >= atLeast)
            all.push_back({std::move(name), share->value, std::move(rate)});
    };
    const bool bulkCopies = bypassesL1(q);
    for (const Level level : {Level::Dram, Level::L2, Level::L1}) {
        if (level == Level::L1 && bulkCopies) {
            // Nsight Compute's formula leaves out cp.async as well, ours only what passes the L1
            // by.
            const std::string why =
                convention == Convention::Roofscope
                    ? say(language, "bulk copies are not counted", "不统计批量拷贝")
                    : say(language, "asynchronous copies are not counted", "不统计异步拷贝");
            all.push_back({"L1", std::nullopt, why});
            continue;
        }
        // Our L2's share is that of its busier direction.
        const bool l2 = level == Level::L2, both = l2 && convention == Convention::Roofscope;
        const auto& rate = q.bandwidth[level];
        const bool dram = level == Level::Dram;
        add(l2 && !both ? say(language, "L2 (read return)", "L2（读返回）") : toString(level),
            q.utilisation[level],
            dram && rate.has() ? formatNumber(rate->value, Unit::BytesPerSecond) : std::string(),
            dram ? 0 : kShown);
    }
    add(say(language, "LSU/shared pipe", "LSU/共享内存流水线"), q.sharedPipeUtilisation);
    for (const Precision precision : kPrecisions) {
        // FP16 operations include conversions and constants: a small upper bound says nothing.
        constexpr double kBoundShown = 0.05;
        const bool bound = precision == Precision::Fp16;
        if (bound && !fp16CanMatter(q)) continue;
        const auto& rate = q.flopRate[precision];
        add(bound ? say(language, "{} operations ≤", "{} 运算 ≤", toString(precision))
                  : toString(precision),
            q.computeUtilisation[precision],
            rate.has() ? formatNumber(rate->value, Unit::FlopsPerSecond) : std::string(),
            bound ? kBoundShown : kShown);
    }
    // Of types without a roof the rate stands beside the pipe.
    std::string rates;
    for (const TensorWork* work : tensorWork(q)) {
        if (!work->rate.has()) continue;
        const std::string rate = formatRate(work->rate->value, work->type);
        if (work->utilisation.has())
            add(arithmeticWords(work->type, language), work->utilisation, rate, 0);
        else
            rates += (rates.empty() ? std::string() : std::string(marksOf(language).comma)) +
                     toString(work->type) + " " + rate;
    }
    // On Hopper packed FP16 instructions run on that pipe, too; a few are constants.
    const bool tensorCores = usesTensorCores(q) || !q.tensorInstructions.has() || !rates.empty();
    add(tensorCores ? say(language, "tensor pipe", "张量流水线")
                    : say(language, "tensor pipe (by HFMA2)", "张量流水线（HFMA2）"),
        q.tensorUtilisation, rates, tensorCores ? kShown : kTensorInUse);
    add(say(language, "issue", "发射"), q.issueUtilisation);
    return all;
}

std::string strategyWords(const Capture& capture, Language language) {
    std::string text =
        capture.strategy.empty()       ? say(language, "strategy not recorded", "未记录策略")
        : capture.origin == "imported" ? capture.strategy
        : capture.strategy == "kernel"
            ? say(language, "each launch replayed (kernel replay)", "逐次启动重放（kernel replay）")
        : capture.strategy == "application"
            ? say(language, "the program run once per group of counters (application replay)",
                  "每组计数器各运行一次程序（应用重放）")
        : capture.strategy == "multiplex"
            ? say(language, "one run, groups of counters in turn over the launches (multiplexing)",
                  "单次运行，各组计数器在多次启动间轮流采集（多路复用）")
        : capture.strategy == "timing"
            ? say(language, "without counters (timing only)", "不读计数器（仅计时）")
            : say(language, "{} strategy", "{} 策略", capture.strategy);
    if (capture.passes > 0)
        text += std::string(marksOf(language).comma) +
                sayCount(language, static_cast<std::size_t>(capture.passes), "{} pass per launch",
                         "{} passes per launch", "每次启动 {} 遍");
    return text;
}

std::string cudaVersion(std::uint32_t version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::vector<std::string> missingFeatures(const Device& device, Language language) {
    static constexpr struct {
        ChipFeature feature;
        const char *en, *zh;
    } kFeatures[]{
        {ChipFeature::AsyncCopies, "asynchronous copies to shared memory (cp.async)",
         "到共享内存的异步拷贝（cp.async）"},
        {ChipFeature::Bf16TensorCores, "bf16 and TF32 tensor cores", "bf16 和 TF32 张量核心"},
        {ChipFeature::Fp8TensorCores, "FP8 tensor cores", "FP8 张量核心"},
        {ChipFeature::BulkCopies, "tensor memory accelerator (TMA, bulk copies)",
         "张量内存加速器（TMA，批量拷贝）"},
        {ChipFeature::Clusters, "thread block clusters and distributed shared memory",
         "线程块簇和分布式共享内存"},
        {ChipFeature::Wgmma, "warp-group matrix products (wgmma, CC 9.0 only)",
         "线程束组矩阵乘法（wgmma，仅 CC 9.0）"},
        {ChipFeature::Fp4TensorCores, "FP4 tensor cores", "FP4 张量核心"},
        {ChipFeature::TensorMemory, "tensor memory (tcgen05)", "张量内存（tcgen05）"}};
    std::vector<std::string> lacks;
    for (const auto& [feature, en, zh] : kFeatures)
        if (!chipHas(device, feature).value_or(true))
            lacks.emplace_back(language == Language::En ? en : zh);
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
