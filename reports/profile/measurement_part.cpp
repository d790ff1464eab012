// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/roofline.h"
#include "reports/escape.h"
#include "reports/kernel_facts.h"
#include "reports/language/say.h"
#include "reports/number_format.h"
#include "reports/profile/parts.h"
#include "reports/profile/priority.h"

namespace roofscope::profile_report {

namespace {

std::string controlWords(const Capture& capture, Language l) {
    const auto& [cache, clock] = std::tie(capture.cacheControl, capture.clockControl);
    if (cache == clock && cache != "none")
        return say(l, "cache and clock control: {}", "缓存和频率控制：{}", cleanText(cache, 40));
    return (cache == "none" ? say(l, "caches not flushed between passes", "各遍之间不清空缓存")
                            : say(l, "cache control: {}", "缓存控制：{}", cleanText(cache, 40))) +
           std::string(marksOf(l).comma) +
           (clock == "none" ? say(l, "clocks not locked", "未锁定频率")
                            : say(l, "clock control: {}", "频率控制：{}", cleanText(clock, 40)));
}

std::string exitWords(const Capture& capture, Language l) {
    if (capture.termSignal)
        return say(l, "ended by signal {}", "被信号 {} 终止", *capture.termSignal);
    if (capture.exitCode) return say(l, "exit code {}", "退出码 {}", *capture.exitCode);
    return say(l, "exit code not recorded", "未记录退出码");
}

/// Lowest and highest clock of the kernels on a GPU: "1.76 GHz" or "1.62 GHz to 1.76 GHz".
std::string clockRange(const Analysis& analysis, std::uint32_t device,
                       Derived<Hertz> Quantities::*member, Language l) {
    // Launches on GPUs of one model are one group, named after the first of them.
    const auto ranThere = [&](const LaunchGroup& group) {
        return std::ranges::any_of(group.launches, [&](std::uint32_t launch) {
            return analysis.profile->launches[launch].device == device;
        });
    };
    double low = 0, high = 0;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const Derived<Hertz>& clock = kernel.quantities.*member;
        if (!clock.has() || !ranThere(kernel.group)) continue;
        low = low == 0 ? clock->value : std::min(low, clock->value);
        high = std::max(high, clock->value);
    }
    if (high == 0) return say(l, "not measured", "未测量");
    const std::string from = formatNumber(low, Unit::Hertz), to = formatNumber(high, Unit::Hertz);
    constexpr double kSame = 1.002;  // rounding must not make a range of one clock
    return high < low * kSame || from == to ? to : say(l, "{} to {}", "{} 至 {}", from, to);
}

doc::Text roofsText(const Analysis& analysis, std::uint32_t device, bool measured, Language l) {
    std::vector<doc::Text> roofs;
    for (const Roof& roof : analysis.roofs) {
        if (roof.device != device || roof.measured != measured) continue;
        const bool memory = roof.kind == Roof::Kind::Bandwidth;
        const std::string name = !memory                       ? arithmeticWords(roof.precision, l)
                                 : roof.level == Level::Shared ? say(l, "shared", "共享内存")
                                                               : std::string(toString(roof.level));
        roofs.emplace_back(name + " " +
                           (memory ? formatNumber(roof.rate, Unit::BytesPerSecond)
                                   : formatRate(roof.rate, roof.precision)));
    }
    return doc::joined(roofs, marksOf(l).comma);
}

doc::Text durationSource(const Analysis& analysis, Language l) {
    bool timed = false, counted = false;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const DurationStats& duration = kernel.quantities.duration;
        if (duration.count > 0) (duration.unprofiled ? timed : counted) = true;
    }
    if (timed && counted)
        return tell(l, "some from a timing run, others from the counter run (`gpu__time_duration`)",
                    "部分来自计时运行，其余来自计数器运行（`gpu__time_duration`）");
    if (timed)
        return tell(l,
                    "from a timing run without counters; shares and rates are those of the runs "
                    "with counters",
                    "来自不带计数器的计时运行；占比和速率则来自带计数器的运行");
    if (counted)
        return tell(l, "from the counter run (`gpu__time_duration`), no timing run",
                    "来自计数器运行（`gpu__time_duration`），没有计时运行");
    return tell(l, "not measured", "未测量");
}

/// A problem that was met while recording.
doc::Text issueText(const Issue& issue, Language l) {
    const doc::Text code = doc::code(issue.code, 60),
                    message = doc::fromProfile(issue.message, 400);
    doc::Text text =
        issue.severity == Severity::Error
            ? tell(l, "**Error** ({}): {}", "**错误**（{}）：{}", code, message)
        : issue.severity == Severity::DataLoss
            ? tell(l, "**Data lost** ({}): {}", "**数据丢失**（{}）：{}", code, message)
            : tell(l, "Note ({}): {}", "提示（{}）：{}", code, message);
    if (!issue.advice.empty()) text += " → " + doc::fromProfile(issue.advice, 300);
    return text;
}

std::vector<doc::Text> issueTexts(const Profile& profile, bool notes, Language l) {
    constexpr std::size_t kMost = 20;
    std::vector<doc::Text> texts;
    std::size_t all = 0;
    for (const Issue& issue : profile.issues)
        if ((issue.severity == Severity::Info) == notes && ++all <= kMost)
            texts.push_back(issueText(issue, l));
    if (all > kMost) texts.emplace_back(say(l, "… and {} more", "……另有 {} 条", all - kMost));
    return texts;
}

/// What this recording lacks.
doc::Text notCollected(const Profile& profile, Language l) {
    const bool gaps = std::ranges::any_of(
        profile.launches, [](const Launch& launch) { return launch.start.has_value(); });
    std::vector<doc::Text> lacking;
    if (profile.sources.empty())
        lacking.push_back(
            tell(l, "source lines and SASS, so no place in the code is named (`--source top:3`)",
                 "源代码行和 SASS，因此无法指出代码位置（`--source top:3`）"));
    if (!gaps)
        lacking.emplace_back(say(l,
                                 "gaps between launches, so nothing is said about launch overhead",
                                 "启动之间的间隙，因此对启动开销不作判断"));
    if (profile.argumentLists.empty())
        lacking.emplace_back(
            say(l, "which kernel reads what another wrote, so nothing is said about fusion",
                "哪个内核读取了另一个内核写出的数据，因此对融合不作判断"));
    if (lacking.empty()) return {};
    return tell(l, "Not recorded: {}.", "未采集：{}。", doc::joined(lacking, marksOf(l).semicolon));
}

void addDeviceFacts(std::vector<doc::Text>& facts, const View& view, std::uint32_t device) {
    const Language l = view.language;
    facts.push_back(tell(l, "GPU: {}; while measuring, SM clock {}, DRAM clock {}",
                         "GPU：{}；测量时 SM 频率 {}，DRAM 频率 {}",
                         deviceText(view.analysis.profile->devices[device], l),
                         clockRange(view.analysis, device, &Quantities::smClock, l),
                         clockRange(view.analysis, device, &Quantities::dramClock, l)));
    if (const doc::Text roofs = roofsText(view.analysis, device, false, l); !roofs.empty())
        facts.push_back(tell(l, "Theoretical roofs: {}", "理论屋顶：{}", roofs));
    if (const doc::Text roofs = roofsText(view.analysis, device, true, l); !roofs.empty())
        facts.push_back(tell(l, "Measured roofs, at their own clocks: {}",
                             "实测屋顶（测量时的频率）：{}", roofs));
    if (const doc::Text limits = limitsText(view.analysis, device, l); !limits.empty())
        facts.push_back(limits);
}

std::vector<doc::Text> facts(const View& view) {
    const Language l = view.language;
    const Analysis& analysis = view.analysis;
    const Profile& profile = *analysis.profile;
    std::vector<doc::Text> facts;
    for (std::uint32_t device = 0; device < profile.devices.size(); ++device)
        addDeviceFacts(facts, view, device);
    std::uint64_t seen = 0;
    for (const Process& process : profile.processes) seen += process.launchesSeen;
    facts.push_back(tell(l, "Measured: {}; {} of {} launches",
                         "测量方式：{0}；{2} 次启动中的 {1} 次", measuredText(profile, l),
                         profile.launches.size(),
                         std::max<std::uint64_t>(seen, profile.launches.size())));
    facts.push_back(tell(l, "Durations: {}", "耗时来源：{}", durationSource(analysis, l)));
    facts.push_back(tell(l, "Software: {}; the program: {}", "软件：{}；程序：{}",
                         softwareText(profile, l), exitWords(profile.capture, l)));
    if (!view.options.profilePath.empty()) {
        const doc::Text path = doc::code(view.options.profilePath, 200);
        facts.push_back(profile.capture.createdUtc.empty()
                            ? tell(l, "Profile: {}", "剖析文件：{}", path)
                            : tell(l, "Profile: {}, recorded {}", "剖析文件：{}，录制于 {}", path,
                                   doc::fromProfile(profile.capture.createdUtc, 40)));
    }
    for (const Words& note : analysis.notes) facts.push_back(doc::fromProfile(note.in(l), 400));
    for (doc::Text& issue : issueTexts(profile, true, l)) facts.push_back(std::move(issue));
    facts.push_back(
        tell(l,
             "For every edit: keep the results (within the tolerance of the existing "
             "tests) and a kernel's name, signature and argument meaning",
             "每次修改：结果须保持不变（在现有测试的容差内），内核的名称、签名和参数含义也须"
             "保持不变"));
    return facts;
}

/// What stood in for counters that the profile lacks.
doc::Nodes substitutes(const Analysis& analysis, Language l) {
    if (analysis.substitutes.empty()) return {};
    std::vector<doc::Text> items;
    for (const Substitute& substitute : analysis.substitutes)
        items.push_back(doc::code(substitute.wanted, 200) + " = " +
                        doc::code(substitute.formula, 400));
    const std::string title = say(l, "Obtained from other counters", "由其他计数器换算得到");
    return {doc::forReader(
        doc::Audience::Assistant,
        doc::section(
            title,
            {doc::paragraph(
                 say(l,
                     "The profile lacks these; where several formulas are known, this one came "
                     "first whose counters it has.",
                     "剖析文件缺少以下各项；若有多个已知公式，取所需计数器齐全的第一个。")),
             doc::list(items)},
            kSubstitutes, title))};
}

}  // namespace

doc::Text deviceText(const Device& device, Language l) {
    doc::Text text =
        device.name.empty() ? say(l, "unknown GPU", "未知 GPU") : doc::fromProfile(device.name, 80);
    std::vector<doc::Text> remarks{doc::fromProfile(device.chip, 20)};
    if (device.computeMajor > 0)
        remarks.emplace_back(say(l, "compute capability {}.{}", "计算能力 {}.{}",
                                 device.computeMajor, device.computeMinor));
    if (const doc::Text remark = doc::joined(remarks, marksOf(l).comma); device.computeMajor > 0)
        text = bracketed(l, text, remark);
    if (device.smCount > 0)
        text += doc::Text(marksOf(l).comma) + say(l, "{} SMs", "{} 个 SM", device.smCount);
    return text;
}

doc::Text softwareText(const Profile& profile, Language l) {
    if (profile.processes.empty())
        return say(l, "driver and CUPTI versions not recorded", "未记录驱动和 CUPTI 版本");
    const Process& process = profile.processes.front();
    return (process.driverVersion > 0 ? say(l, "driver for CUDA {}", "支持 CUDA {} 的驱动",
                                            cudaVersion(process.driverVersion))
                                      : say(l, "driver version not recorded", "未记录驱动版本")) +
           std::string(marksOf(l).comma) +
           (process.cuptiVersion > 0 ? fmt::format("CUPTI {}", process.cuptiVersion)
                                     : say(l, "CUPTI version not recorded", "未记录 CUPTI 版本"));
}

doc::Text measuredText(const Profile& profile, Language l) {
    std::vector<doc::Text> groups;
    for (const std::string& group : profile.capture.groups)
        groups.push_back(doc::fromProfile(group, 40));
    std::vector<doc::Text> parts{doc::fromProfile(strategyWords(profile.capture, l), 120),
                                 controlWords(profile.capture, l)};
    if (!groups.empty())
        parts.push_back(tell(l, "counter groups: {}", "计数器组：{}",
                             doc::joined(groups, marksOf(l).listComma)));
    return doc::joined(parts, marksOf(l).semicolon);
}

doc::Text onlyTimesText(Language l) {
    return tell(
        l,
        "Times only, no counters: shapes of launches and gaps between them can be judged, "
        "what limits a kernel cannot; record without `--timing-only` for that",
        "只有时间，没有计数器：可以判断启动形状和启动之间的间隙，无法判断内核的瓶颈；要判断瓶颈，"
        "请不带 `--timing-only` 重新录制");
}

doc::Text limitsText(const Analysis& analysis, std::uint32_t deviceIndex, Language l) {
    const auto& devices = analysis.profile->devices;
    if (deviceIndex >= devices.size()) return {};
    const Device& device = devices[deviceIndex];
    std::vector<doc::Text> limits, lacks, sentences;
    if (device.maxThreadsPerBlock)
        limits.emplace_back(say(l, "{} threads per block", "每个线程块 {} 个线程",
                                formatExact(*device.maxThreadsPerBlock)));
    if (device.sharedPerBlockOptinBytes)
        limits.emplace_back(
            say(l, "{} B shared memory per block", "每个线程块 {} B 共享内存",
                formatExact(static_cast<double>(*device.sharedPerBlockOptinBytes))));
    if (device.registersPerSm)
        limits.emplace_back(say(l, "{} registers per SM", "每个 SM {} 个寄存器",
                                formatExact(*device.registersPerSm)));
    for (const std::string& feature : missingFeatures(device, l)) lacks.emplace_back(feature);
    if (!limits.empty())
        sentences.push_back(tell(l, "This GPU allows at most {}.", "此 GPU 至多允许{}。",
                                 doc::joined(limits, marksOf(l).listComma)));
    if (!lacks.empty())
        sentences.push_back(tell(l, "It has no {}.", "它不具备以下功能：{}。",
                                 doc::joined(lacks, marksOf(l).listComma)));
    double fp64 = 0, fp32 = 0;
    for (const Roof& roof : analysis.roofs) {
        if (roof.device != deviceIndex || roof.kind != Roof::Kind::Compute || roof.measured)
            continue;
        if (roof.precision == Precision::Fp64) fp64 = roof.rate;
        if (roof.precision == Precision::Fp32) fp32 = roof.rate;
    }
    constexpr double kWeak = 8;  // data-centre GPUs have 1/2
    if (fp64 > 0 && fp32 / fp64 >= kWeak)
        sentences.emplace_back(say(l, "FP64 runs at 1/{:.0f} of the FP32 rate.",
                                   "FP64 速率是 FP32 的 1/{:.0f}。", fp32 / fp64));
    return doc::joined(sentences, marksOf(l).gap);
}

doc::Nodes problemsPart(const View& view) {
    const auto problems = issueTexts(*view.analysis.profile, false, view.language);
    doc::Nodes nodes;
    if (!problems.empty())
        nodes.push_back(doc::section(say(view.language, "Problems while recording", "录制中的问题"),
                                     {doc::list(problems)}, 0));
    if (hasOnlyTimes(*view.analysis.profile))
        nodes.push_back(
            doc::paragraph(onlyTimesText(view.language) + marksOf(view.language).stop, kProblems));
    return nodes;
}

doc::Nodes measurementPart(const View& view) {
    const Language l = view.language;
    const std::string title = say(l, "About this measurement", "关于本次测量");
    doc::Nodes nodes{doc::list(facts(view))};
    if (const doc::Text lacking = notCollected(*view.analysis.profile, l); !lacking.empty())
        nodes.push_back(doc::paragraph(lacking, kNotCollected,
                                       say(l, "what was not recorded", "未采集的内容")));
    doc::Nodes part{doc::section(title, std::move(nodes), kMeasurement, title)};
    std::get<doc::Section>(part.front().body).id = "measurement";
    for (doc::Node& node : substitutes(view.analysis, l)) part.push_back(std::move(node));
    return part;
}

}  // namespace roofscope::profile_report
