// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <iterator>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyzer/chains/chains.h"
#include "analyzer/diagnosis/run_rules.h"
#include "analyzer/diagnosis/sibling_code.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/language/sentence.h"
#include "analyzer/launches/grouping.h"
#include "analyzer/launches/launch_gaps.h"
#include "analyzer/model/analysis.h"
#include "analyzer/names/distinct_names.h"
#include "analyzer/names/kernel_name.h"
#include "analyzer/over_time/over_time_analysis.h"
#include "analyzer/quantities/device_formulas.h"
#include "analyzer/quantities/impossible_shares.h"
#include "analyzer/quantities/quantities.h"
#include "analyzer/ranges/ranges.h"
#include "analyzer/roofline/measured_roofs.h"
#include "analyzer/roofline/roofline.h"
#include "analyzer/source/source_analysis.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"

namespace roofscope {

namespace {

/// Replaces the shown L2 and L1 numbers with those of another counting convention. Runs after the
/// rules, which always use our own counting.
void recount(const Profile& profile, const DeviceFormulas& formulas, KernelAnalysis& kernel) {
    Quantities counted = deriveQuantities(profile, kernel.group, formulas);
    Quantities& shown = kernel.quantities;
    for (const Level level : {Level::L2, Level::L1}) {
        shown.bytes[level] = std::move(counted.bytes[level]);
        shown.bandwidth[level] = std::move(counted.bandwidth[level]);
        shown.utilisation[level] = std::move(counted.utilisation[level]);
        for (const Precision precision : kPrecisions)
            shown.intensity[precision][level] = std::move(counted.intensity[precision][level]);
        for (std::size_t i = 0; i < shown.tensor.size(); ++i)  // same counters, so same types
            shown.tensor[i].intensity[level] = std::move(counted.tensor[i].intensity[level]);
    }
    kernel.points = rooflinePoints(shown);
}

/// The note that this build has no counter table for a chip.
Words noTableNote(const ChipTable& table) {
    return table.chip.empty()
               ? wordsOf(
                     "This build has no counter table for this chip; the one of {} is used, "
                     "unverified: some counters may be missing.",
                     table.family)
               : wordsOf(
                     "This build has no counter table for chip {}; the one of {} is used, "
                     "unverified: some counters may be missing.",
                     table.chip, table.family);
}

/// Adds notes about missing or unverified counter tables of the devices' chips, and the tables' own
/// notes.
void noteChips(const Profile& profile, const ProfileFormulas& formulas, std::vector<Words>& notes) {
    const auto note = [&notes](Words text) {
        if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
    };
    for (std::uint32_t i = 0; i < profile.devices.size(); ++i) {
        const Device& device = profile.devices[i];
        const std::string name = device.name.empty() ? fmt::format("GPU {}", i) : device.name;
        const Result<ChipTable>& table = formulas.chip(i);
        if (!table.ok()) {
            note(wordsOf("{}: bytes, operations and roofs are missing: {}", name,
                         table.error().message()));
            continue;
        }
        // Without counters, a missing counter table does not matter.
        const bool counted = !profile.counters.names().empty();
        if (counted && table->ofFamily)
            note(wordsOf("{}: {}", name, noTableNote(*table)));
        else if (counted && !table->verified)
            note(wordsOf("{}: no counter table for chip \"{}\"; that of {} is used, unverified",
                         name, device.chip, table->family));
        for (const std::string& text : table->notes)
            note(wordsOf("{}: {}", name, Words::translatable(text)));
    }
}

/// Notes that clocks were throttled during the timing run: the durations belong to lower clocks.
void noteClocks(const Profile& profile, std::vector<Words>& notes) {
    for (const Device& device : profile.devices) {
        if (!device.observed || device.observed->throttledSamples.value_or(0) == 0) continue;
        const ObservedClocks& seen = *device.observed;
        std::string reasons;
        for (const std::string& reason : seen.throttledBy)
            reasons += (reasons.empty() ? "" : ", ") + reason;
        std::string range;
        if (seen.smLowest && seen.smHighest)
            range = fmt::format("{:.0f}–{:.0f} MHz", seen.smLowest->value * 1e-6,
                                seen.smHighest->value * 1e-6);
        const Words reason =
            reasons.empty() ? Words("reason unknown") : Words::same(std::move(reasons));
        notes.push_back(
            range.empty()
                ? wordsOf("{}: clocks were throttled during the timing run: {} ({} of {} samples)",
                          device.name, reason, *seen.throttledSamples, seen.samples)
                : wordsOf("{}: clocks were throttled during the timing run: {} ({} of {} samples; "
                          "SM clock {})",
                          device.name, reason, *seen.throttledSamples, seen.samples, range));
    }
}

/// Notes kernels whose counters exceed what the GPU can do: the recording is faulty.
void noteImpossible(const std::vector<KernelAnalysis>& kernels, std::vector<Words>& notes) {
    std::size_t count = 0;
    std::vector<std::string_view> resources;
    for (const KernelAnalysis& kernel : kernels) {
        auto found = impossibleIn(kernel.quantities);
        if (kernel.overTime)
            found.insert(found.end(), kernel.overTime->impossible.begin(),
                         kernel.overTime->impossible.end());
        count += found.empty() ? 0 : 1;
        for (const std::string_view name : found)
            if (std::ranges::find(resources, name) == resources.end()) resources.push_back(name);
    }
    if (count == 0) return;
    const std::string names = fmt::format("{}", fmt::join(resources, ", "));
    notes.push_back(
        count == 1
            ? wordsOf("One kernel has counters beyond 105 % of what the GPU can do ({}): counters, "
                      "times or peaks of this recording are wrong. They count as not measured; "
                      "record again.",
                      names)
            : wordsOf("{} kernels have counters beyond 105 % of what the GPU can do ({}): "
                      "counters, times or peaks of this recording are wrong. They count as not "
                      "measured; record again.",
                      count, names));
}

/// Which tensor types ran on which GPU, and how many tensor-core kernels have unknown operations:
/// their counters were not recorded, or a type ran that was not counted.
class TensorUse {
public:
    explicit TensorUse(const Profile& profile)
        : m_profile(profile), m_types(profile.devices.size()) {}

    void add(const KernelAnalysis& kernel) {
        const auto work = tensorWork(kernel.quantities);
        if (work.empty() && usesTensorCores(kernel.quantities))
            ++(kernel.quantities.tensor.empty() &&
                       !wasRead(m_profile.capture, kernel.group, CounterGroup::Tensor)
                   ? m_notCounted
                   : m_otherType);
        if (work.empty()) return;
        // A group's launches may be on several GPUs of one model.
        for (const std::uint32_t launch : kernel.group.launches)
            for (const TensorWork* part : work)
                m_types[m_profile.launches[launch].device][part->type] = true;
    }

    [[nodiscard]] const PerTensorType<bool>& typesOf(std::uint32_t device) const {
        return m_types[device];
    }

    void note(std::vector<Words>& notes) const {
        if (m_notCounted > 0)
            notes.push_back(
                m_notCounted == 1
                    ? Words("1 kernel runs on tensor cores: tensor operations are not in the "
                            "default counters, so it has no roofline dot; record with --groups "
                            "default,tensor")
                    : wordsOf("{} kernels run on tensor cores: tensor operations are not in the "
                              "default counters, so they have no roofline dot; record with "
                              "--groups default,tensor",
                              m_notCounted));
        if (m_otherType > 0)
            notes.push_back(
                m_otherType == 1
                    ? Words("1 kernel runs on tensor cores with a type whose operations were not "
                            "counted, so it has no roofline dot")
                    : wordsOf("{} kernels run on tensor cores with a type whose operations were "
                              "not counted, so they have no roofline dot",
                              m_otherType));
    }

private:
    const Profile& m_profile;
    std::vector<PerTensorType<bool>> m_types;  ///< by device
    std::size_t m_notCounted = 0, m_otherType = 0;
};

/// Who wrote each kernel, by index.
std::vector<KernelOrigin> originsOf(const Profile& profile) {
    const Frameworks frameworks = frameworksOf(profile);
    const std::vector<bool> byPyTorch = launchedByPyTorch(profile);
    std::vector<KernelOrigin> origins;
    origins.reserve(profile.kernels.size());
    for (const Kernel& kernel : profile.kernels) {
        const KernelOrigin byName = originOf(frameworks, kernel);
        // cuSOLVER's and MAGMA's kernels have names that a program's own could have.
        origins.push_back(byName == KernelOrigin::Own && byPyTorch[origins.size()]
                              ? KernelOrigin::Library
                              : byName);
    }
    return origins;
}

/// Analyses one launch group on its own. Fills `kernel` in place, because it is kilobytes large.
void analyzeGroup(const Profile& profile, LaunchGroup group, const DeviceFormulas& formulas,
                  const LaunchGaps& gaps, KernelOrigin origin, KernelAnalysis& kernel) {
    kernel.quantities = deriveQuantities(profile, group, formulas);
    kernel.verdict = decideVerdict(profile, group, kernel.quantities, gaps.medianAfter(group));
    kernel.points = rooflinePoints(kernel.quantities);
    const Kernel& recorded = profile.kernels[group.kernel];
    kernel.fullName = recorded.name;
    kernel.registersPerThread = recorded.registersPerThread;
    kernel.origin = origin;
    if (group.range && *group.range < profile.ranges.size())
        kernel.range = profile.ranges[*group.range];
    kernel.group = std::move(group);
}

/// Adds source lines, activity over time and, for latency-bound kernels, the dominant stall reason.
void addDetails(const Profile& profile, std::span<const Roof> roofs,
                std::vector<KernelAnalysis>& kernels) {
    std::vector<std::size_t> groupsOf(profile.kernels.size());
    for (const KernelAnalysis& kernel : kernels) ++groupsOf[kernel.group.kernel];
    for (KernelAnalysis& kernel : kernels) {
        const bool only = groupsOf[kernel.group.kernel] == 1;
        kernel.source = analyzeSource(profile, kernel.group, only);
        kernel.overTime = analyzeOverTime(profile, kernel.group, kernel.quantities, roofs, only);
        if (kernel.verdict.cls != VerdictClass::LatencyBound) continue;
        const Stalls stalls = stallsOf(profile, kernel);
        if (!stalls.reasons.empty()) kernel.verdict.reason.stall = stalls.reasons.front().reason;
    }
    lendCode(kernels);
}

/// What share of all measured time each kernel takes.
void addTimeShares(std::vector<KernelAnalysis>& kernels) {
    constexpr const char* kHow = "time of these launches / time of all measured launches";
    double total = 0;
    for (const KernelAnalysis& kernel : kernels) total += kernel.quantities.duration.total.value;
    for (KernelAnalysis& kernel : kernels) {
        const DurationStats& duration = kernel.quantities.duration;
        kernel.timeShare = duration.count == 0 ? Derived<Ratio>::absent("duration", kHow)
                           : total > 0 ? Derived<Ratio>::of({duration.total.value / total}, kHow)
                                       : Derived<Ratio>::none(kHow);
    }
}

}  // namespace

Analysis analyze(std::shared_ptr<const Profile> profile, const AnalyzeOptions& options) {
    Analysis analysis;
    analysis.profile = profile;
    analysis.convention = options.convention;
    analysis.window = options.window;
    analysis.trials = options.trials;
    if (!profile) return analysis;
    const auto tell = [&options](double share) {
        if (options.progress) options.progress(share);
    };
    const ProfileFormulas formulas(*profile);
    noteChips(*profile, formulas, analysis.notes);
    noteClocks(*profile, analysis.notes);
    const auto chipOf = [&formulas](std::uint32_t device) { return formulas.of(device).chip; };
    analysis.ranges = analyzeRanges(*profile, chipOf, options.convention);
    const LaunchGaps gaps = findLaunchGaps(*profile);
    runSequenceRules(*profile, gaps, analysis);
    tell(0.2);

    // There may be thousands of groups but only a few kernels: shorten each name once.
    std::vector<std::string> plain(profile->kernels.size()), names(plain.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        plain[i] = plainKernelName(profile->kernels[i].name);
        names[i] = cutKernelName(plain[i], kShownName);
    }
    std::vector<LaunchGroup> groups = groupLaunches(*profile);
    tell(0.3);
    analysis.kernels.reserve(groups.size());
    const std::vector<KernelOrigin> origins = originsOf(*profile);
    TensorUse tensor(*profile);
    for (LaunchGroup& group : groups) {
        const DeviceFormulas& ofDevice = formulas.of(group.device);
        KernelAnalysis& kernel = analysis.kernels.emplace_back();
        const KernelOrigin origin = origins[group.kernel];
        analyzeGroup(*profile, std::move(group), ofDevice, gaps, origin, kernel);
        kernel.name = names[kernel.group.kernel];
        kernel.wholeName = plain[kernel.group.kernel];
        for (const Substitute& substitute : kernel.quantities.substitutes)
            if (std::ranges::find(analysis.substitutes, substitute) == analysis.substitutes.end())
                analysis.substitutes.push_back(substitute);
        tensor.add(kernel);
        constexpr std::size_t kTellEvery = 64;
        if (analysis.kernels.size() % kTellEvery == 0)
            tell(0.3 + 0.4 * double(analysis.kernels.size()) / double(groups.size()));
    }
    for (std::uint32_t device = 0; device < profile->devices.size(); ++device) {
        const PerTensorType<bool>& types = tensor.typesOf(device);
        std::ranges::move(theoreticalRoofs(*profile, device, chipOf(device), types),
                          std::back_inserter(analysis.roofs));
        std::ranges::move(measuredRoofs(*profile, device, types),
                          std::back_inserter(analysis.roofs));
    }
    addDetails(*profile, analysis.roofs, analysis.kernels);
    noteImpossible(analysis.kernels, analysis.notes);
    addTimeShares(analysis.kernels);
    tell(0.8);
    const Chains chains = findChains(*profile, analysis.kernels);
    for (KernelAnalysis& kernel : analysis.kernels)
        runRules(*profile, *formulas.of(kernel.group.device).counters, chains, options.trials.get(),
                 kernel);
    if (options.convention != Convention::Roofscope) {
        const ProfileFormulas shown = formulas.as(options.convention);
        for (KernelAnalysis& kernel : analysis.kernels)
            recount(*profile, shown.of(kernel.group.device), kernel);
        analysis.notes.emplace_back(conventionNote(options.convention));
    }
    std::ranges::stable_sort(analysis.kernels, std::greater{}, [](const KernelAnalysis& kernel) {
        return kernel.quantities.duration.total;
    });
    makeNamesUnique(analysis.kernels, plain);
    tensor.note(analysis.notes);
    tell(1);
    return analysis;
}

}  // namespace roofscope
