// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/counters/chip_sums.h"
#include "analyzer/counters/counter_lookup.h"
#include "analyzer/model/analysis.h"
#include "analyzer/model/shared_text.h"
#include "analyzer/quantities/product_instruction.h"
#include "analyzer/roofline/measured_roofs.h"
#include "profile/chips/chip.h"
#include "profile/errors/result.h"

namespace roofscope {

/// A weighted sum of counters, the peak that it is compared with, and the texts of its formulas.
struct RoofFormula {
    ChipSum sum;
    PeakRate peak;
    SharedText how;    ///< of the sum
    SharedText rate;   ///< "(sum) / duration"
    SharedText share;  ///< "(sum) / (peak × clock × duration of the counter run)"
};

/// Operations per byte.
struct IntensityFormula {
    std::vector<std::string_view> counters;  ///< of the operations, then of the bytes
    SharedText how;                          ///< "(operations) / (bytes)"
};

/// What the formulas of all launch groups on one device have in common. Looking up sums and peaks
/// and writing their texts takes longer than computing a group's numbers, so it is done once per
/// device.
struct DeviceFormulas {
    /// `chip` is null if the chip is unknown; what needs its table is then missing. Chip, device
    /// and the lookup's table must outlive the formulas.
    DeviceFormulas(const ChipTable* chip, const Device& device, Convention convention,
                   std::shared_ptr<const CounterLookup> counters);

    const ChipTable* chip;
    Convention convention;
    std::shared_ptr<const CounterLookup> counters;
    PerLevel<RoofFormula> levels;
    RoofFormula l2Read, l2Write;  ///< the two directions of the L2, against its read peak
    RoofFormula dramRead, dramWrite;
    PerPrecision<RoofFormula> flops;
    PerPrecision<SharedText> pipe;  ///< share of the issue slots of a pipe
    PerPrecision<PerLevel<IntensityFormula>> intensity;
    PerTensorType<RoofFormula> tensor;
    PerTensorType<PerLevel<IntensityFormula>> tensorIntensity;
    /// The counters of a type's operations that no launch of the profile has; empty if it has all.
    PerTensorType<SharedText> tensorNotRecorded;
    SharedText inFlightNeed, l2Arrivals;
    std::optional<DramMix> dramMix;  ///< as measured on the device
    /// By kernel of the profile; null for ranges, which hold several.
    std::shared_ptr<const ProductInstructions> products = {};
    /// Chips without asynchronous copies have no counter for them; their number is 0.
    bool asyncCopies = true;
};

/// The chip tables and formulas of all devices of a profile, for callers that derive quantities of
/// many groups. The profile must outlive it. Not thread-safe.
class ProfileFormulas {
public:
    explicit ProfileFormulas(const Profile& profile, Convention convention = Convention::Roofscope);
    ProfileFormulas(ProfileFormulas&&) = default;  // the formulas point to the tables
    ProfileFormulas(const ProfileFormulas&) = delete;

    /// The same with another counting convention.
    [[nodiscard]] ProfileFormulas as(Convention convention) const;
    [[nodiscard]] const DeviceFormulas& of(std::uint32_t device) const {
        return m_formulas[device];
    }
    /// The lookup of the profile's counters, which all its devices share.
    [[nodiscard]] const CounterLookup& counters() const { return *m_counters; }
    /// The chip table of a device, or why there is none.
    [[nodiscard]] const Result<ChipTable>& chip(std::uint32_t device) const {
        return (*m_chips)[device];
    }

private:
    using Chips = std::vector<Result<ChipTable>>;
    ProfileFormulas(const Profile& profile, std::shared_ptr<const Chips> chips,
                    std::shared_ptr<const CounterLookup> counters,
                    std::shared_ptr<const ProductInstructions> products, Convention convention);

    const Profile* m_profile;
    std::shared_ptr<const Chips> m_chips;
    std::shared_ptr<const CounterLookup> m_counters;
    std::shared_ptr<const ProductInstructions> m_products;
    std::vector<DeviceFormulas> m_formulas;
};

}  // namespace roofscope
