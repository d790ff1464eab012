// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "analyzer/analysis.h"
#include "analyzer/grouping.h"
#include "analyzer/quantities.h"
#include "analyzer/roofline.h"
#include "analyzer/rule.h"
#include "analyzer/verdict.h"
#include "profile/chip.h"

namespace roofscope {

namespace {

void runRules(const Profile& profile, KernelAnalysis& kernel) {
    const RuleInput input{.profile = profile, .kernel = kernel};
    std::vector<Finding> findings;
    std::vector<RuledOut> ruledOut;
    std::vector<CannotTell> cannotTell;
    for (const Rule* rule : allRules()) {
        RuleResult result = rule->check(input);
        if (auto* finding = std::get_if<Finding>(&result))
            findings.push_back(std::move(*finding));
        else if (auto* out = std::get_if<RuledOut>(&result))
            ruledOut.push_back(std::move(*out));
        else if (auto* unknown = std::get_if<CannotTell>(&result))
            cannotTell.push_back(std::move(*unknown));
    }
    // Most recoverable time first, minor ones last; a stable order for equal gains.
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
        if (a.minor != b.minor) return !a.minor;
        return (a.gain.has() ? a.gain->value : -1.0) > (b.gain.has() ? b.gain->value : -1.0);
    });
    kernel.findings = std::move(findings);
    kernel.ruledOut = std::move(ruledOut);
    kernel.cannotTell = std::move(cannotTell);
}

/// The verdict's headroom is to the roof at the present traffic. A finding that removes traffic
/// (replays, unused sectors) goes beyond; verdict and findings must not contradict each other.
void raiseHeadroom(KernelAnalysis& kernel) {
    Verdict& verdict = kernel.verdict;
    const DurationStats& duration = kernel.quantities.duration;
    for (const Finding& finding : kernel.findings) {
        if (finding.minor || !finding.gain.has() || !verdict.headroom.has()) continue;
        if (*finding.gain <= *verdict.headroom) continue;
        const Seconds left = duration.median - *finding.gain;
        const std::string how =
            "gain of " + finding.ruleId + ", which removes work that the roof counts as needed";
        verdict.headroom = Derived<Seconds>::of(*finding.gain, how);
        if (left.value > 0) verdict.speedupBound = Derived<double>::of(duration.median / left, how);
    }
}

/// The chip tables of all devices; notes say what is special about them.
std::vector<std::optional<ChipTable>> loadChips(const Profile& profile,
                                                std::vector<std::string>& notes) {
    std::vector<std::optional<ChipTable>> chips;
    const auto note = [&notes](std::string text) {
        if (std::find(notes.begin(), notes.end(), text) == notes.end())
            notes.push_back(std::move(text));
    };
    for (const Device& device : profile.devices) {
        auto table = chipTable(device.chip, device.computeMajor, device.computeMinor);
        if (!table.ok()) {
            note(fmt::format("{}: bytes, operations and roofs are missing: {}", device.name,
                             table.error().message()));
            chips.emplace_back();
            continue;
        }
        if (!table->verified)
            note(fmt::format("{}: no counter table for chip \"{}\"; that of {} is used, unverified",
                             device.name, device.chip, table->family));
        for (const std::string& text : table->notes) note(device.name + ": " + text);
        chips.push_back(std::move(*table));
    }
    return chips;
}

}  // namespace

Analysis analyze(std::shared_ptr<const Profile> profile) {
    Analysis analysis;
    analysis.profile = profile;
    if (!profile) return analysis;
    const auto chips = loadChips(*profile, analysis.notes);
    const auto chipOf = [&chips](std::uint32_t device) {
        return chips[device] ? &*chips[device] : nullptr;
    };
    for (std::uint32_t device = 0; device < profile->devices.size(); ++device)
        for (Roof& roof : theoreticalRoofs(*profile, device, chipOf(device)))
            analysis.roofs.push_back(std::move(roof));

    std::vector<std::string> names(profile->kernels.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = shortKernelName(profile->kernels[i].name);

    double total = 0;
    std::size_t onTensorCores = 0;
    for (LaunchGroup& group : groupLaunches(*profile)) {
        KernelAnalysis kernel;
        kernel.quantities = deriveQuantities(*profile, group, chipOf(group.device));
        kernel.verdict = decideVerdict(*profile, group, kernel.quantities);
        kernel.points = rooflinePoints(kernel.quantities);
        kernel.name = names[group.kernel];
        kernel.fullName = profile->kernels[group.kernel].name;
        if (group.range && *group.range < profile->ranges.size())
            kernel.range = profile->ranges[*group.range];
        kernel.group = std::move(group);
        const auto& tensor = kernel.quantities.tensorUtilisation;
        if (tensor.has() && tensor->value >= kTensorInUse) ++onTensorCores;
        total += kernel.quantities.duration.total.value;
        analysis.kernels.push_back(std::move(kernel));
    }
    for (KernelAnalysis& kernel : analysis.kernels) {
        constexpr const char* kHow = "time of these launches / time of all measured launches";
        const DurationStats& duration = kernel.quantities.duration;
        kernel.timeShare = duration.count == 0 ? Derived<Ratio>::absent("duration", kHow)
                           : total > 0 ? Derived<Ratio>::of({duration.total.value / total}, kHow)
                                       : Derived<Ratio>::none(kHow);
        runRules(*profile, kernel);
        raiseHeadroom(kernel);
    }
    std::stable_sort(analysis.kernels.begin(), analysis.kernels.end(),
                     [](const KernelAnalysis& a, const KernelAnalysis& b) {
                         return a.quantities.duration.total > b.quantities.duration.total;
                     });
    if (onTensorCores > 0)
        analysis.notes.push_back(fmt::format(
            "{} kernel{} on tensor cores: tensor operations are not in the default counters, so "
            "{} no roofline dot",
            onTensorCores, onTensorCores == 1 ? " runs" : "s run",
            onTensorCores == 1 ? "it has" : "they have"));
    return analysis;
}

}  // namespace roofscope
