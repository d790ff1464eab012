// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "analyzer/compare/parts.h"
#include "analyzer/roofline/resources.h"

namespace roofscope::compare::causes {

/// A smaller change of an amount is not worth a sentence.
inline constexpr double kLeastAmountChange = 0.05;
/// Two kernels do the same work if the bytes that they request differ by at most this share.
inline constexpr double kSameWork = 0.10;
/// If DRAM traffic is the same, requests may differ by this share and still come from the same
/// loads.
inline constexpr double kSameLoads = 0.50;
/// From this factor on an access is wider.
inline constexpr double kWider = 1.5;

/// An amount of the slower kernel and of the faster one.
struct Both {
    double slow = 0, fast = 0;
    [[nodiscard]] Both swapped() const { return {fast, slow}; }
    /// Whether the two differ by at most this share of the larger one.
    [[nodiscard]] bool within(double share) const;
};
/// Nothing unless both are known.
[[nodiscard]] std::optional<Both> joined(std::optional<double> slow, std::optional<double> fast);

/// The number of a quantity, in its unit.
[[nodiscard]] inline std::optional<double> known(const Derived<double>& d) { return d.value; }
template <class Tag>
[[nodiscard]] std::optional<double> known(const Derived<Quantity<Tag>>& d) {
    return d.has() ? std::optional(d->value) : std::nullopt;
}
/// Nothing unless both are known.
[[nodiscard]] std::optional<double> sum(std::optional<double> a, std::optional<double> b);

struct MemoryLevel {
    Level level;
    ResourceId resource;
};
inline constexpr MemoryLevel kDram{Level::Dram, ResourceId::Dram}, kL2{Level::L2, ResourceId::L2},
    kL1{Level::L1, ResourceId::L1};

/// What was measured of both kernels, in the form that the causes need.
struct Measured {
    /// `wasSlow`: the first kernel is the slower one.
    Measured(const Side& from, const Side& to, bool wasSlow);

    const bool faster;  ///< the second kernel is the faster one
    const Side &slowSide, &fastSide;
    const Quantities &slow, &fast;
    const Device& device;                           ///< of the first kernel
    const Resources resources;                      ///< of the slower kernel
    const bool inBulk;                              ///< data comes in bulk copies in either kernel
    const std::optional<Both> requests, requested;  ///< of global loads and stores: how many, and
                                                    ///< their bytes
    const std::optional<Both> wavefronts;           ///< of shared memory
    const std::optional<Both> dram;                 ///< bytes

    /// The values that `get` returns for the two kernels' quantities.
    template <class Get>
    [[nodiscard]] std::optional<Both> both(Get get) const {
        return joined(get(slow), get(fast));
    }
    [[nodiscard]] std::optional<Both> bytesOf(Level level) const;
    /// A counter's mean over the launches of each kernel.
    [[nodiscard]] std::optional<Both> counted(std::string_view counter) const;
    [[nodiscard]] std::optional<Both> operationsOf(Precision precision) const;
    [[nodiscard]] std::optional<Both> dramRates() const;
    [[nodiscard]] std::optional<Both> achievedOccupancy() const;
    [[nodiscard]] bool sameDram() const { return dram && dram->within(kSameWork); }

    /// How busy the slower kernel keeps a resource, 0 to 1.
    [[nodiscard]] double busy(ResourceId id) const;
    [[nodiscard]] double busiest() const;
    /// The share of time in which no resource works, because warps wait.
    [[nodiscard]] double waiting() const;
    /// The share of time that wider accesses can shorten: the time that the busiest resource
    /// leaves. Busy shares are of the theoretical roof, because what a mix of reads and writes
    /// attains is already the rate of wide accesses. Issue slots do not count if instructions go
    /// together with the accesses.
    [[nodiscard]] double waitingForAccesses() const;
    /// The share of time that fewer memory transactions can shorten: the memory's busy time, or all
    /// of the time that no arithmetic fills, because then warps wait for memory.
    [[nodiscard]] double memoryOrWaiting() const;
    /// The share of time that global loads can take: without shared memory's time if that is the
    /// busiest.
    [[nodiscard]] double globalMemoryOrWaiting() const;

    /// The values in the order of the profiles.
    [[nodiscard]] std::pair<double, double> inOrder(Both amount) const;
};

/// Whether most data comes by bulk copies (TMA), which bypass the units that count threads' loads:
/// these loads make up less than half of what the DRAM reads. Threads' loads that take every sector
/// twice from the DRAM still make up half.
[[nodiscard]] bool loadsInBulk(const Side& side);

}  // namespace roofscope::compare::causes
