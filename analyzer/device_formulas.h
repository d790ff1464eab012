// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analyzer/analysis.h"
#include "analyzer/chip_sums.h"
#include "analyzer/shared_text.h"
#include "profile/chip.h"

namespace roofscope {

/// A weighted sum of counters, the peak that it is held against, and the words for what comes of
/// them.
struct RoofFormula {
    ChipSum sum;
    PeakRate peak;
    SharedText how;    ///< of the sum
    SharedText rate;   ///< "(sum) / duration"
    SharedText share;  ///< "(sum) / (peak × clock × duration of the counter run)"
};

/// What the formulas of all launch groups on one device have in common. To look sums and peaks up
/// and to put them into words takes longer than to work out a group's numbers, so it is done once
/// per device.
struct DeviceFormulas {
    /// `chip` is null when the chip is unknown: what needs its table is then missing. Chip and
    /// device must outlive the formulas.
    DeviceFormulas(const ChipTable* chip, const Device& device, Convention convention);

    const ChipTable* chip;
    Convention convention;
    PerLevel<RoofFormula> levels;
    RoofFormula l2Read, l2Write;  ///< the two directions of the L2, against its read peak
    RoofFormula dramRead, dramWrite;
    PerPrecision<RoofFormula> flops;
    PerPrecision<SharedText> pipe;                 ///< share of the issue slots of a pipe
    PerPrecision<PerLevel<SharedText>> intensity;  ///< "(operations) / (bytes)"
    PerTensorType<RoofFormula> tensor;
    PerTensorType<PerLevel<SharedText>> tensorIntensity;
    SharedText inFlightNeed;
};

/// The formulas of all devices of a profile with their chip tables, for who derives quantities of
/// many groups. The profile must outlive it.
class ProfileFormulas {
public:
    explicit ProfileFormulas(const Profile& profile, Convention convention = Convention::Roofscope);
    ProfileFormulas(ProfileFormulas&&) = default;  // the formulas point to the tables
    ProfileFormulas(const ProfileFormulas&) = delete;

    [[nodiscard]] const DeviceFormulas& of(std::uint32_t device) const {
        return m_formulas[device];
    }

private:
    std::vector<std::optional<ChipTable>> m_chips;
    std::vector<DeviceFormulas> m_formulas;
};

}  // namespace roofscope
