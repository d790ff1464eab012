// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/kernels.h"

#include <memory>
#include <stdexcept>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "profile/chips/chip.h"
#include "tests/support/placeholders.h"

namespace roofscope::test {

using namespace counter;

Device testDevice() {
    Device device = SyntheticProfile::h200();
    device.peaks["lts__lts2xbar_cycles_active.sum.peak_sustained"] = 188.0;
    return device;
}

Device turingDevice() {
    Device device = testDevice();
    device.chip = "TU102";
    device.computeMajor = 7;
    device.computeMinor = 5;
    return device;
}

LaunchRef idle(SyntheticProfile& p, std::string_view name, Dim3 grid, Dim3 block,
               double microseconds) {
    static const ChipTable chip = chipTable("GH100").value();
    const auto kernel = p.kernel(name, 32);
    auto launch = p.launch(kernel, grid, block);
    launch.setAll(chip.groups.at("default").counters, 0.0).counterDurationUs(microseconds);
    const double cycles = microseconds * 1e-6 * SyntheticProfile::kSmClockHz;
    launch.set(kSmCyclesActiveAvg, cycles).set(kSmCyclesActiveMax, cycles);
    launch.set(kSmCyclesActiveMin, cycles);
    launch.set(kWarpInstructions, 1e6).set(kThreadInstructions, 32e6).set(kWarpsActive, 48);
    launch.set(kThreadInstructionsOn, 32e6);
    return launch;
}

LaunchRef copy(SyntheticProfile& p, std::string_view name, double bytes, int width,
               double microseconds) {
    const double threads = bytes / width, requests = threads / 32;
    auto launch =
        idle(p, name, {static_cast<std::uint32_t>(threads / 256), 1, 1}, {256, 1, 1}, microseconds);
    launch.set("dram__bytes_read.sum", bytes).set("dram__bytes_write.sum", bytes);
    launch.set("lts__lts2xbar_cycles_active.sum", bytes / 32);
    launch.set(kGlobalLoadBytes, bytes).set(kGlobalStoreBytes, bytes);
    launch.set(kGlobalLoadSectors, bytes / 32).set(kGlobalStoreSectors, bytes / 32);
    launch.set(kGlobalSectors, bytes / 16);
    launch.set(kGlobalLoads, requests).set(kGlobalStores, requests);
    launch.set(width == 16 ? kWidth128 : width == 8 ? kWidth64 : kWidth32, 2 * requests);
    return launch.set(kLsuPipe, 15.0).set(kLsuWavefronts, bytes / 128);
}

LaunchRef strided(SyntheticProfile& p) {
    constexpr double kElements = 1 << 21;
    auto launch = idle(p, "strided(float const*, float*, unsigned long, int)", {8192, 1, 1},
                       {256, 1, 1}, 96.4);
    // The DRAM reads far more than the requested sectors, because it fetches larger pieces.
    launch.set("dram__bytes_read.sum", 199426560).set("dram__bytes_write.sum", 66370304);
    launch.set("lts__lts2xbar_cycles_active.sum", kElements);
    launch.set(kGlobalLoadBytes, 4 * kElements).set(kGlobalStoreBytes, 4 * kElements);
    launch.set(kGlobalLoadSectors, kElements).set(kGlobalStoreSectors, kElements);
    launch.set(kGlobalSectors, 2 * kElements);
    launch.set(kGlobalLoads, kElements / 32).set(kGlobalStores, kElements / 32);
    launch.set(kWidth32, kElements / 16);
    return launch.set(kLsuPipe, 17.84).set(kLsuWavefronts, 34168.53 * 132);
}

LaunchRef transpose(SyntheticProfile& p, bool padded) {
    constexpr double kBytes = 8192.0 * 8192 * 4, kWarps = kBytes / 128;
    auto launch = idle(p, padded ? "tr<true>" : "tr<false>", {256, 256, 1}, {32, 8, 1},
                       padded ? 142.6 : 329.2);
    launch.set("dram__bytes_read.sum", kBytes).set("dram__bytes_write.sum", 0.92 * kBytes);
    launch.set("lts__lts2xbar_cycles_active.sum", kBytes / 32);
    launch.set(kGlobalLoadBytes, kBytes).set(kGlobalStoreBytes, kBytes);
    launch.set(kGlobalLoadSectors, kBytes / 32).set(kGlobalStoreSectors, kBytes / 32);
    launch.set(kGlobalSectors, kBytes / 16).set(kGlobalLoads, kWarps).set(kGlobalStores, kWarps);
    launch.set(kSharedLoads, kWarps).set(kSharedStores, kWarps);
    launch.set(kSharedLoadBytes, kBytes).set(kSharedStoreBytes, kBytes);
    launch.set(kSharedLoadWavefronts, padded ? kWarps : 32 * kWarps);
    launch.set(kSharedStoreWavefronts, kWarps).set(kWidth32, 4 * kWarps);
    launch.set(kLsuPipe, padded ? 28.3 : 87.9);
    return launch.set(kLsuWavefronts, padded ? 79931.64 * 132 : 571213.04 * 132);
}

KernelAnalysis analyzeOne(const SyntheticProfile& p) {
    Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    if (analysis.kernels.size() != 1) throw std::logic_error("expected one launch group");
    return std::move(analysis.kernels.front());
}

const Finding* find(const KernelAnalysis& kernel, std::string_view ruleId) {
    for (const Finding& finding : kernel.findings)
        if (finding.ruleId == ruleId) return &finding;
    return nullptr;
}

bool isRuledOut(const KernelAnalysis& kernel, std::string_view ruleId) {
    for (const RuledOut& out : kernel.ruledOut)
        if (out.ruleId == ruleId) return true;
    return false;
}

namespace {
std::string unfilledIn(std::string_view text, const std::vector<Arg>& args) {
    for (const std::string& name : placeholders(text)) {
        bool known = false;
        for (const Arg& arg : args) known = known || arg.name == name;
        if (!known) return name;
    }
    return {};
}
}  // namespace

std::string unfilled(const Finding& finding) {
    const Rule* rule = findRule(finding.ruleId);
    if (!rule) return finding.ruleId;
    for (const Language language : languages()) {
        const RuleText& text = rule->text(language);
        const std::string instead = finding.edit.in(language);
        for (const std::string_view phrase :
             {text.sentence, text.mechanism, text.edit, std::string_view(instead)})
            if (auto name = unfilledIn(phrase, finding.args); !name.empty()) return name;
    }
    return {};
}

std::string unfilled(const KernelAnalysis& kernel) {
    for (const Finding& finding : kernel.findings)
        if (auto name = unfilled(finding); !name.empty()) return name;
    for (const RuledOut& out : kernel.ruledOut)
        if (auto name = unfilledIn(findRule(out.ruleId)->en.ruledOut, out.args); !name.empty())
            return name;
    return {};
}

const CannotTell* unknown(const KernelAnalysis& kernel, std::string_view ruleId) {
    for (const CannotTell& cannot : kernel.cannotTell)
        if (cannot.ruleId == ruleId) return &cannot;
    return nullptr;
}

}  // namespace roofscope::test
