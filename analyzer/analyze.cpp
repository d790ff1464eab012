// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "analyzer/analysis.h"
#include "analyzer/chains.h"
#include "analyzer/counter_sources.h"
#include "analyzer/foreign_edit.h"
#include "analyzer/grouping.h"
#include "analyzer/launch_gaps.h"
#include "analyzer/measured_roofs.h"
#include "analyzer/quantities.h"
#include "analyzer/ranges.h"
#include "analyzer/resources.h"
#include "analyzer/roofline.h"
#include "analyzer/rule_support.h"
#include "analyzer/source/source_analysis.h"
#include "analyzer/stalls.h"
#include "analyzer/verdict.h"
#include "profile/chip.h"

namespace roofscope {

namespace {

void runRules(const Profile& profile, const Chains& chains, KernelAnalysis& kernel) {
    // What such a kernel does while it waits is no fault, and few blocks are how it is meant.
    if (kernel.verdict.cls == VerdictClass::WaitsForPeers) return;
    const RuleInput input{.profile = profile, .kernel = kernel, .chains = chains};
    std::vector<Finding> findings;
    std::vector<RuledOut> ruledOut;
    std::vector<CannotTell> cannotTell;
    for (const Rule* rule : allRules()) {
        if (!rule->check) continue;
        RuleResult result = rule->check(input);
        if (auto* finding = std::get_if<Finding>(&result))
            findings.push_back(std::move(*finding));
        else if (auto* out = std::get_if<RuledOut>(&result)) {
            if (out->cost < rules::kMinorShare) ruledOut.push_back(std::move(*out));
        } else if (auto* unknown = std::get_if<CannotTell>(&result))
            cannotTell.push_back(std::move(*unknown));
    }
    // Most recoverable time first, minor ones last; a stable order for equal gains.
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
        if (a.minor != b.minor) return !a.minor;
        return (a.gain.has() ? a.gain->value : -1.0) > (b.gain.has() ? b.gain->value : -1.0);
    });
    // What was read in vain (the chip has no such counter) need not be read again.
    for (CannotTell& unknown : cannotTell)
        std::erase_if(unknown.groups, [&](CounterGroup group) {
            const auto& read = profile.capture.groups;
            return std::ranges::find(read, toString(group)) != read.end();
        });
    if (profile.capture.origin == "imported")
        for (CannotTell& unknown : cannotTell)
            unknown.advice = {"measure with ncu --set full, or with roofscope record",
                              "用 ncu --set full 或 roofscope record 测量"};
    // Rules name the counters that roofscope records; the reader has those that stood in for them.
    const auto& substitutes = kernel.quantities.substitutes;
    for (Finding& finding : findings) {
        for (Evidence& evidence : finding.evidence)
            evidence.formula = explainSubstitutes(std::move(evidence.formula), substitutes);
        for (ExpectedMovement& movement : finding.expected)
            movement.counter = explainSubstitutes(movement.counter, substitutes);
    }
    for (Finding& finding : findings)
        if (const Rule* rule = findRule(finding.ruleId);
            !rule || rule->editPlace == EditPlace::Kernel)
            finding.edit = foreignEdit(kernel.origin);
    for (const CannotTell& unknown : cannotTell)
        if (const Rule* rule = findRule(unknown.ruleId); rule && rule->canChangeVerdict)
            kernel.verdict.reason.undecided.emplace_back(rule->id);
    if (!kernel.verdict.reason.undecided.empty()) kernel.verdict.confidence = Confidence::Low;
    kernel.findings = std::move(findings);
    kernel.ruledOut = std::move(ruledOut);
    kernel.cannotTell = std::move(cannotTell);
}

void runSequenceRules(const Profile& profile, const LaunchGaps& gaps, Analysis& analysis) {
    const SequenceInput input{.profile = profile, .gaps = gaps};
    for (const Rule* rule : allRules()) {
        if (!rule->checkSequence) continue;
        RuleResult result = rule->checkSequence(input);
        if (auto* finding = std::get_if<Finding>(&result))
            analysis.sequenceFindings.push_back(std::move(*finding));
        else if (auto* unknown = std::get_if<CannotTell>(&result))
            analysis.sequenceCannotTell.push_back(std::move(*unknown));
    }
}

/// Every resource keeps what the edits leave of its load, and the busiest of them is the floor.
Derived<Seconds> jointGain(const KernelAnalysis& kernel) {
    constexpr const char* kHow =
        "duration − duration × busiest resource after the edits of all findings, not below an "
        "empty launch";
    const DurationStats& duration = kernel.quantities.duration;
    if (!kernel.verdict.headroom.has()) return Derived<Seconds>::absent("headroom", kHow);
    double floor = 0;
    for (const Resource& resource : resourcesOf(kernel.quantities).items) {
        double busy = resource.busy;
        for (const Finding& finding : kernel.findings)
            for (const Relief& relief : finding.relief)
                if (relief.resource == resource.id) busy *= relief.left;
        floor = std::max(floor, busy);
    }
    const double time = duration.median.value;
    double gain = time - std::min(time, std::max(time * floor, kEmptyLaunch.value));
    for (const Finding& finding : kernel.findings)
        if (finding.gain.has()) gain = std::max(gain, finding.gain->value);
    return Derived<Seconds>::of({gain}, kHow);
}

/// The verdict's headroom is to the roof at the present traffic. A finding that removes traffic
/// (replays, unused sectors) goes beyond; verdict and findings must not contradict each other. Not
/// so one that takes away the launch itself: by itself the kernel is where its roof puts it.
void raiseHeadroom(KernelAnalysis& kernel) {
    Verdict& verdict = kernel.verdict;
    const DurationStats& duration = kernel.quantities.duration;
    for (const Finding& finding : kernel.findings) {
        if (finding.minor || !finding.gain.has() || !verdict.headroom.has()) continue;
        if (const Rule* rule = findRule(finding.ruleId); rule && rule->removesLaunch) continue;
        if (*finding.gain <= *verdict.headroom) continue;
        const Seconds left = duration.median - *finding.gain;
        const std::string how =
            "gain of " + finding.ruleId + ", which removes work that the roof counts as needed";
        verdict.headroom = Derived<Seconds>::of(*finding.gain, how);
        verdict.headroomFrom = finding.ruleId;
        if (left.value > 0) verdict.speedupBound = Derived<double>::of(duration.median / left, how);
    }
}

/// Replaces what is shown of the L2 and the L1 by another way of counting. Runs after the rules.
void recount(const Profile& profile, const DeviceFormulas& formulas, KernelAnalysis& kernel) {
    Quantities counted = deriveQuantities(profile, kernel.group, formulas);
    Quantities& shown = kernel.quantities;
    for (const Level level : {Level::L2, Level::L1}) {
        shown.bytes[level] = std::move(counted.bytes[level]);
        shown.bandwidth[level] = std::move(counted.bandwidth[level]);
        shown.utilisation[level] = std::move(counted.utilisation[level]);
        for (const Precision precision : kPrecisions)
            shown.intensity[precision][level] = std::move(counted.intensity[precision][level]);
        for (std::size_t i = 0; i < shown.tensor.size(); ++i)  // of the same counters
            shown.tensor[i].intensity[level] = std::move(counted.tensor[i].intensity[level]);
    }
    kernel.points = rooflinePoints(shown);
}

/// The chip tables of all devices; notes say what is special about them.
std::vector<std::optional<ChipTable>> loadChips(const Profile& profile, std::vector<Words>& notes) {
    std::vector<std::optional<ChipTable>> chips;
    const auto note = [&notes](Words text) {
        if (std::find(notes.begin(), notes.end(), text) == notes.end())
            notes.push_back(std::move(text));
    };
    for (const Device& device : profile.devices) {
        auto table = chipTable(device.chip, device.computeMajor, device.computeMinor);
        if (!table.ok()) {
            note({fmt::format("{}: bytes, operations and roofs are missing: {}", device.name,
                              table.error().message()),
                  fmt::format("{}：缺少字节数、运算数和屋顶：{}", device.name,
                              table.error().message())});
            chips.emplace_back();
            continue;
        }
        if (!table->verified)
            note(
                {fmt::format("{}: no counter table for chip \"{}\"; that of {} is used, unverified",
                             device.name, device.chip, table->family),
                 fmt::format("{}：没有芯片 \"{}\" 的计数器表；使用 {} 的表，未经验证", device.name,
                             device.chip, table->family)});
        for (const ChipNote& text : table->notes)
            note({device.name + ": " + text.en, device.name + "：" + text.zh});
        chips.push_back(std::move(*table));
    }
    return chips;
}

std::vector<DeviceFormulas> formulasOfDevices(const Profile& profile,
                                              const std::vector<std::optional<ChipTable>>& chips,
                                              Convention convention) {
    std::vector<DeviceFormulas> formulas;
    for (std::size_t i = 0; i < chips.size(); ++i)
        formulas.emplace_back(chips[i] ? &*chips[i] : nullptr, profile.devices[i], convention);
    return formulas;
}

/// What held clocks back while the launches were timed: their durations are of slower clocks.
void noteClocks(const Profile& profile, std::vector<Words>& notes) {
    for (const Device& device : profile.devices) {
        if (!device.observed || device.observed->heldBackSamples.value_or(0) == 0) continue;
        const ObservedClocks& seen = *device.observed;
        std::string reasons;
        for (const std::string& reason : seen.heldBackBy)
            reasons += (reasons.empty() ? "" : ", ") + reason;
        std::string range;
        if (seen.smLowest && seen.smHighest)
            range = fmt::format("{:.0f}–{:.0f} MHz", seen.smLowest->value * 1e-6,
                                seen.smHighest->value * 1e-6);
        notes.push_back(
            {fmt::format("{}: clocks were held back during the timing run: {} ({} of {} samples{})",
                         device.name, reasons.empty() ? "reason unknown" : reasons,
                         *seen.heldBackSamples, seen.samples,
                         range.empty() ? "" : "; SM clock " + range),
             fmt::format("{}：计时运行期间频率受限：{}（{} / {} 次采样{}）", device.name,
                         reasons.empty() ? "原因未知" : reasons, *seen.heldBackSamples,
                         seen.samples, range.empty() ? "" : "；SM 频率 " + range)});
    }
}

std::string dimText(const Dim3& d) {
    if (d.z > 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
    return d.y > 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == text.npos) return parts;
        text.remove_prefix(end + 1);
    }
}

using Texts = std::vector<std::string>;

std::size_t distinct(const Texts& texts) {
    return std::set<std::string>(texts.begin(), texts.end()).size();
}

/// The shortest end of each range that tells the ranges apart: "outer > naive/B=1,H=64" → "B=1".
Texts rangeTexts(const Texts& ranges) {
    const auto endsAfter = [&](std::string_view separator) {
        Texts ends;
        for (const std::string& range : ranges) {
            const auto at = range.rfind(separator);
            ends.push_back(at == range.npos ? range : range.substr(at + separator.size()));
        }
        return ends;
    };
    const std::size_t wanted = distinct(ranges);
    Texts texts = endsAfter("/");
    if (distinct(texts) < wanted) texts = endsAfter(" > ");
    if (distinct(texts) < wanted) return ranges;
    // Of "key=value" lists only the values that differ are worth their room.
    std::vector<std::vector<std::string_view>> lists;
    for (const std::string& text : texts) lists.push_back(split(text, ','));
    const auto& first = lists.front();
    if (std::any_of(lists.begin(), lists.end(),
                    [&](const auto& list) { return list.size() != first.size(); }))
        return texts;
    Texts shorter(texts.size());
    for (std::size_t field = 0; field < first.size(); ++field) {
        if (std::all_of(lists.begin(), lists.end(),
                        [&](const auto& list) { return list[field] == first[field]; }))
            continue;
        for (std::size_t i = 0; i < lists.size(); ++i)
            shorter[i] += (shorter[i].empty() ? "" : ",") + std::string(lists[i][field]);
    }
    return shorter;
}

/// What sets kernels of one name apart, in as few words as do it; one text each, maybe empty.
Texts differences(const std::vector<KernelAnalysis*>& same) {
    std::vector<Texts> ways;
    const auto add = [&](const std::function<std::string(const KernelAnalysis&)>& text) {
        Texts texts;
        for (const KernelAnalysis* kernel : same) texts.push_back(text(*kernel));
        if (distinct(texts) > 1) ways.push_back(std::move(texts));
    };
    add([](const KernelAnalysis& k) { return k.range; });
    if (!ways.empty()) ways.front() = rangeTexts(ways.front());
    add([](const KernelAnalysis& k) { return "grid " + dimText(k.group.grid); });
    add([](const KernelAnalysis& k) { return "block " + dimText(k.group.block); });
    add([](const KernelAnalysis& k) {
        return fmt::format("shared {} B", k.group.dynamicSharedBytes);
    });
    add([](const KernelAnalysis& k) {
        return k.group.cluster ? "cluster " + dimText(*k.group.cluster) : std::string();
    });
    add([](const KernelAnalysis& k) { return fmt::format("GPU {}", k.group.device); });
    add([](const KernelAnalysis& k) {
        const auto& work = k.quantities.warpInstructions;
        return work.has() ? fmt::format("{:.3g} M instructions", *work * 1e-6) : std::string();
    });
    for (const Texts& way : ways)
        if (distinct(way) == same.size()) return way;
    Texts together(same.size());
    std::size_t known = 1;
    for (const Texts& way : ways) {
        Texts more = together;
        for (std::size_t i = 0; i < more.size(); ++i)
            if (!way[i].empty()) more[i] += (more[i].empty() ? "" : ", ") + way[i];
        if (distinct(more) == known) continue;
        known = distinct(more);
        together = std::move(more);
    }
    return together;
}

std::size_t lengthOf(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// At most `maxLength` characters; never cut inside a UTF-8 sequence.
std::string cutEnd(std::string text, std::size_t maxLength) {
    if (lengthOf(text) <= maxLength) return text;
    while (lengthOf(text) >= maxLength) {
        while (text.size() > 1 && (text.back() & 0xC0) == 0x80) text.pop_back();
        text.pop_back();
    }
    return text + "…";
}

/// Rows of one name cannot be told apart: such kernels also say their range or launch shape. The
/// full names stay as they are.
void nameApart(std::vector<KernelAnalysis>& kernels) {
    // Tables give a name 60 characters; the words in brackets must not be what they cut.
    constexpr std::size_t kLongest = 60, kLongestWords = 32, kRangeBytes = 2000;
    std::map<std::string, std::vector<KernelAnalysis*>> byName;
    for (KernelAnalysis& kernel : kernels) byName[kernel.name].push_back(&kernel);
    std::unordered_set<std::string> taken;
    std::unordered_map<std::string, std::size_t> numbers;  // of a shortened name: the last one
    for (const auto& [name, same] : byName)
        if (same.size() == 1) taken.insert(name);
    for (const auto& [name, same] : byName) {
        if (same.size() == 1) continue;
        const Texts words = differences(same);
        for (std::size_t i = 0; i < same.size(); ++i) {
            std::string suffix;
            if (!words[i].empty())
                suffix = " [" + cutEnd(words[i].substr(0, kRangeBytes), kLongestWords) + "]";
            std::string named = name + suffix;
            if (lengthOf(named) > kLongest)
                named = shortKernelName(same[i]->fullName, kLongest - lengthOf(suffix)) + suffix;
            // Different functions can have one short name and one shape: a number is all that is
            // left.
            if (!taken.insert(named).second) {
                const std::string base = shortKernelName(same[i]->fullName, kLongest - 8);
                std::size_t& number = numbers.try_emplace(base, 1).first->second;
                do named = base + fmt::format(" #{}", ++number);
                while (!taken.insert(named).second);
            }
            same[i]->name = named;
        }
    }
}

/// Longest first; equals stay in their order. By index, because the values are kilobytes each.
void sortByTime(std::vector<KernelAnalysis>& kernels) {
    std::vector<std::size_t> from(kernels.size());
    std::iota(from.begin(), from.end(), std::size_t{0});
    std::stable_sort(from.begin(), from.end(), [&kernels](std::size_t a, std::size_t b) {
        return kernels[a].quantities.duration.total > kernels[b].quantities.duration.total;
    });
    for (std::size_t start = 0; start < from.size(); ++start) {
        if (from[start] == start) continue;
        KernelAnalysis first = std::move(kernels[start]);
        std::size_t to = start;
        while (from[to] != start) {
            const std::size_t next = from[to];
            kernels[to] = std::move(kernels[next]);
            from[to] = to;
            to = next;
        }
        kernels[to] = std::move(first);
        from[to] = to;
    }
}

}  // namespace

Analysis analyze(std::shared_ptr<const Profile> profile, const AnalyzeOptions& options) {
    Analysis analysis;
    analysis.profile = profile;
    analysis.convention = options.convention;
    if (!profile) return analysis;
    const auto chips = loadChips(*profile, analysis.notes);
    noteClocks(*profile, analysis.notes);
    const auto chipOf = [&chips](std::uint32_t device) {
        return chips[device] ? &*chips[device] : nullptr;
    };
    std::vector<std::string> names(profile->kernels.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = shortKernelName(profile->kernels[i].name);

    analysis.ranges = analyzeRanges(*profile, chipOf, options.convention);
    const LaunchGaps gaps = findLaunchGaps(*profile);
    runSequenceRules(*profile, gaps, analysis);
    double total = 0;
    // Kernels on tensor cores whose operations are not known: nobody recorded them, or a type ran
    // that was not counted.
    std::size_t notCounted = 0, otherType = 0;
    const bool recordedTensor =
        std::ranges::find(profile->capture.groups, "tensor") != profile->capture.groups.end();
    std::vector<PerTensorType<bool>> tensorTypes(profile->devices.size());
    std::vector<LaunchGroup> groups = groupLaunches(*profile);
    analysis.kernels.reserve(groups.size());
    const std::vector<DeviceFormulas> formulas =
        formulasOfDevices(*profile, chips, Convention::Roofscope);
    for (LaunchGroup& group : groups) {
        KernelAnalysis& kernel = analysis.kernels.emplace_back();
        kernel.quantities = deriveQuantities(*profile, group, formulas[group.device]);
        for (const Substitute& substitute : kernel.quantities.substitutes)
            if (std::find(analysis.substitutes.begin(), analysis.substitutes.end(), substitute) ==
                analysis.substitutes.end())
                analysis.substitutes.push_back(substitute);
        kernel.verdict = decideVerdict(*profile, group, kernel.quantities, gaps.medianAfter(group));
        kernel.points = rooflinePoints(kernel.quantities);
        kernel.name = names[group.kernel];
        kernel.fullName = profile->kernels[group.kernel].name;
        kernel.origin = originOf(*profile, profile->kernels[group.kernel]);
        if (group.range && *group.range < profile->ranges.size())
            kernel.range = profile->ranges[*group.range];
        kernel.group = std::move(group);
        const auto tensor = tensorWork(kernel.quantities);
        if (usesTensorCores(kernel.quantities) && tensor.empty())
            ++(kernel.quantities.tensor.empty() && !recordedTensor ? notCounted : otherType);
        // A group's launches may be on several GPUs of one model.
        if (!tensor.empty())
            for (const std::uint32_t launch : kernel.group.launches)
                for (const TensorWork* work : tensor)
                    tensorTypes[profile->launches[launch].device][work->type] = true;
        total += kernel.quantities.duration.total.value;
    }
    for (std::uint32_t device = 0; device < profile->devices.size(); ++device) {
        const PerTensorType<bool>& types = tensorTypes[device];
        for (Roof& roof : theoreticalRoofs(*profile, device, chipOf(device), types))
            analysis.roofs.push_back(std::move(roof));
        for (Roof& roof : measuredRoofs(*profile, device, types))
            analysis.roofs.push_back(std::move(roof));
    }
    std::vector<std::size_t> groupsOf(profile->kernels.size());
    for (const KernelAnalysis& kernel : analysis.kernels) ++groupsOf[kernel.group.kernel];
    for (KernelAnalysis& kernel : analysis.kernels) {
        kernel.source = analyzeSource(*profile, kernel.group, groupsOf[kernel.group.kernel] == 1);
        if (kernel.verdict.cls != VerdictClass::LatencyBound) continue;
        const Stalls stalls = stallsOf(*profile, kernel);
        if (!stalls.reasons.empty()) kernel.verdict.reason.stall = stalls.reasons.front().reason;
    }
    const Chains chains = findChains(*profile, analysis.kernels);
    for (KernelAnalysis& kernel : analysis.kernels) {
        constexpr const char* kHow = "time of these launches / time of all measured launches";
        const DurationStats& duration = kernel.quantities.duration;
        kernel.timeShare = duration.count == 0 ? Derived<Ratio>::absent("duration", kHow)
                           : total > 0 ? Derived<Ratio>::of({duration.total.value / total}, kHow)
                                       : Derived<Ratio>::none(kHow);
        runRules(*profile, chains, kernel);
        kernel.jointGain = jointGain(kernel);
        raiseHeadroom(kernel);
    }
    if (options.convention != Convention::Roofscope) {
        const auto shown = formulasOfDevices(*profile, chips, options.convention);
        for (KernelAnalysis& kernel : analysis.kernels)
            recount(*profile, shown[kernel.group.device], kernel);
        analysis.notes.emplace_back(conventionNote(options.convention));
    }
    sortByTime(analysis.kernels);
    nameApart(analysis.kernels);
    if (notCounted > 0)
        analysis.notes.emplace_back(
            fmt::format("{} kernel{} on tensor cores: tensor operations are not in the default "
                        "counters, so {} no roofline dot; record with --groups default,tensor",
                        notCounted, notCounted == 1 ? " runs" : "s run",
                        notCounted == 1 ? "it has" : "they have"),
            fmt::format(
                "{} 个内核在张量核心上运行：默认计数器不含张量运算，因此屋顶线图上没有它们的圆点；"
                "录制时请使用 --groups default,tensor",
                notCounted));
    if (otherType > 0)
        analysis.notes.emplace_back(
            fmt::format(
                "{} kernel{} on tensor cores with a type whose operations were not counted, "
                "so {} no roofline dot",
                otherType, otherType == 1 ? " runs" : "s run",
                otherType == 1 ? "it has" : "they have"),
            fmt::format(
                "{} 个内核在张量核心上运行，但其类型的运算未被计数，因此屋顶线图上没有它们的"
                "圆点",
                otherType));
    return analysis;
}

}  // namespace roofscope
