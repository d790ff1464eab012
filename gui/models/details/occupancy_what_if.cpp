// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/occupancy_what_if.h"

#include <QCoreApplication>
#include <algorithm>

#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "reports/language/term_words.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct OccupancyWhatIf {
    Q_DECLARE_TR_FUNCTIONS(OccupancyWhatIf)
};

/// Uses only the formula: the driver's number holds only for the block as launched.
Occupancy occupancyOf(const Device& device, const BlockResources& block) {
    Kernel kernel;
    kernel.registersPerThread = block.registersPerThread;
    LaunchGroup group;
    group.grid = {1, 1, 1};
    group.block = {static_cast<std::uint32_t>(block.threads), 1, 1};
    group.dynamicSharedBytes = block.sharedBytes;
    return launchOccupancy(device, kernel, group, std::nullopt);
}

}  // namespace

OccupancyStart occupancyStart(const Analysis& analysis, std::optional<std::size_t> kernel) {
    const auto none = [](const QString& reason) { return OccupancyStart{{}, reason}; };
    if (!analysis.profile || !kernel || *kernel >= analysis.kernels.size()) return none({});
    const Profile& profile = *analysis.profile;
    const LaunchGroup& group = analysis.kernels[*kernel].group;
    if (group.device >= profile.devices.size() || group.kernel >= profile.kernels.size())
        return none({});
    const Device& device = profile.devices[group.device];
    const Kernel& function = profile.kernels[group.kernel];
    if (!function.registersPerThread || !function.staticSharedBytes)
        return none(OccupancyWhatIf::tr("The resources of this kernel are not known."));
    const BlockResources launched{
        .threads = group.block.total(),
        .registersPerThread = *function.registersPerThread,
        .sharedBytes = *function.staticSharedBytes + group.dynamicSharedBytes};
    const auto own = occupancyTerms(device, launched).resident();
    if (!own || !device.maxThreadsPerSm || device.warpSize == 0)
        return none(OccupancyWhatIf::tr("The limits of this GPU are not known."));
    // Trust the formula for other blocks only if it agrees with the driver for this one.
    const auto& resident = analysis.kernels[*kernel].quantities.occupancy.residentBlocksPerSm;
    if (!resident.has() || *resident != static_cast<double>(*own))
        return none(
            OccupancyWhatIf::tr("For this launch the driver and our formula disagree, so no "
                                "estimate is given for other blocks."));
    OccupancyQuestion question{.device = device, .launched = launched};
    question.mostThreads =
        std::max<std::uint64_t>(device.maxThreadsPerBlock.value_or(1024), launched.threads);
    question.mostRegisters = std::max(question.mostRegisters, launched.registersPerThread);
    question.mostSharedBytes = std::max<std::uint64_t>(
        device.sharedPerBlockOptinBytes.value_or(device.sharedPerSmBytes.value_or(0)),
        launched.sharedBytes);
    return {question, {}};
}

QString occupancyAnswer(const OccupancyQuestion& question, const BlockResources& block) {
    const auto warps = [&](const BlockResources& of, std::uint64_t blocks) {
        return blocks * ((of.threads + question.device.warpSize - 1) / question.device.warpSize);
    };
    const std::uint64_t slots = *question.device.maxThreadsPerSm / question.device.warpSize;
    const std::uint64_t blocks = occupancyTerms(question.device, block).resident().value_or(0);
    if (blocks == 0) return OccupancyWhatIf::tr("Such a block does not fit into an SM");
    const Occupancy occupancy = occupancyOf(question.device, block);
    QString answer = OccupancyWhatIf::tr("%1, %2 of %3 warps: %4")
                         .arg(counted(blocks, OccupancyWhatIf::tr("%1 block per SM"),
                                      OccupancyWhatIf::tr("%1 blocks per SM")),
                              text(double(std::min(warps(block, blocks), slots))),
                              text(double(slots)), text(occupancy.theoretical));
    const Occupancy launched = occupancyOf(question.device, question.launched);
    if (launched.theoretical.has() && occupancy.theoretical.has() &&
        launched.theoretical->value != occupancy.theoretical->value)
        answer += OccupancyWhatIf::tr(" (as launched %1)").arg(text(launched.theoretical));
    const std::string limiter = limiterWords(occupancy.limiter, shownLanguage());
    if (!limiter.empty())
        answer += OccupancyWhatIf::tr(", limited by %1").arg(QString::fromStdString(limiter));
    return answer;
}

}  // namespace roofscope::gui
