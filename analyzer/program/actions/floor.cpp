// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/floor.h"

#include <algorithm>

#include "analyzer/diagnosis/joint_gain.h"
#include "analyzer/diagnosis/verdict.h"
#include "analyzer/program/actions/graph_inputs.h"
#include "analyzer/program/actions/optimizer_passes.h"
#include "analyzer/program/actions/repeated_copies.h"

namespace roofscope::program {
namespace {

/// Kernels without a bound may take at most this share of the kernels' time.
constexpr double kMostUnbounded = 0.05;
/// PCI Express 5.0 with 16 lanes, one direction, by its data sheet. If a faster rate was observed,
/// that one counts.
constexpr double kLinkRate = 63e9;

/// Least time of one launch, with the edits of all its findings; absent without a bound.
std::optional<double> floorOfLaunch(const KernelAnalysis& kernel) {
    if (kernel.quantities.duration.count == 0 || !kernel.jointGain.has()) return std::nullopt;
    return std::max(0.0, kernel.quantities.duration.judged().value - kernel.jointGain->value);
}

/// Least time of copies, without those that carry what the GPU already has.
Seconds leastCopyTime(const Analysis& analysis, const Program& program) {
    return linkTime(program.account, repeatedCopies(*analysis.profile, program).bytes);
}

}  // namespace

Seconds linkTime(const Account& account, Bytes spared) {
    Seconds longest;
    for (const TransferKind kind : {TransferKind::HostToDevice, TransferKind::DeviceToHost}) {
        double bytes = 0, rate = kLinkRate;
        for (const CopyTime& copy : account.copies) {
            if (copy.kind != kind) continue;
            bytes += copy.bytes.value;
            if (copy.time.value > 0) rate = std::max(rate, copy.bytes.value / copy.time.value);
        }
        if (kind == TransferKind::HostToDevice) bytes = std::max(0.0, bytes - spared.value);
        longest = std::max(longest, Seconds{bytes / rate});
    }
    return longest;
}

std::optional<Seconds> floorOf(const Analysis& analysis, const Program& program) {
    if (program.lanes.empty()) return std::nullopt;
    double floor = 0, all = 0, unbounded = 0;
    const KernelsPerWindow spared = graphInputs(analysis, program);
    const OptimizerPasses passes = optimizerPasses(analysis, program);
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[i];
        const double time = program.kernels[i].time.value;
        all += time;
        if (kernel.verdict.cls == VerdictClass::WaitsForPeers ||
            std::ranges::find(spared.kernels, i) != spared.kernels.end())
            continue;
        const bool inPasses = std::ranges::find(passes.kernels, i) != passes.kernels.end();
        const double left = inPasses ? 1 - passes.gain / passes.time : 1;
        if (const auto least = floorOfLaunch(kernel)) {
            const Seconds each{*least};
            Seconds part = partPerWindow(kernel, each, program.kernels[i]);
            // An empty launch takes no longer where launches have more work.
            if (each <= kEmptyLaunch) part = std::min(part, each * program.kernels[i].perWindow);
            floor += part.value * left;
        } else
            unbounded += time;
    }
    if (!(all > 0) || unbounded > kMostUnbounded * all) return std::nullopt;
    // Kernels that run side by side take less than their sum; copies can run beside all of them.
    const double busy = program.account.time[TimeClass::Kernels].value;
    return std::max(Seconds{std::min(floor, busy)}, leastCopyTime(analysis, program));
}

std::optional<Seconds> fusedFloorOf(const Analysis& analysis, const Program& program) {
    if (!program.floor) return std::nullopt;
    ArithmeticLeft left;
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[i];
        if (kernel.verdict.cls != VerdictClass::WaitsForPeers && floorOfLaunch(kernel))
            left.add(arithmeticLeft(kernel), program.kernels[i].perWindow);
    }
    return std::min(*program.floor, std::max(left.busiest(), leastCopyTime(analysis, program)));
}

}  // namespace roofscope::program
