// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "analyzer/program/account/account.h"
#include "analyzer/program/account/issuing_calls.h"
#include "analyzer/program/account/time_by_class.h"

/// What the GPU does in a window, by kernels and copies alone: no data about the CPU.
namespace roofscope::program {

/// Copies of one kind; times in nanoseconds over all occurrences, as in CopyTime.
struct CopySum {
    std::size_t count = 0;
    double bytes = 0;
    Nanoseconds time = 0, exposed = 0;
};

/// The copies of a window by TransferKind, pageable or not.
class CopySums {
public:
    /// Other is the last kind.
    static constexpr std::size_t kSlots = 2 * (static_cast<std::size_t>(TransferKind::Other) + 1);
    [[nodiscard]] static std::size_t slotOf(const Transfer& transfer);

    CopySum& operator[](std::size_t slot) { return m_sums[slot]; }
    CopySum& of(const Transfer& transfer) { return m_sums[slotOf(transfer)]; }
    /// The kinds that occur, most exposed time first; per occurrence.
    [[nodiscard]] std::vector<CopyTime> perWindow(double occurrences) const;

private:
    std::array<CopySum, kSlots> m_sums{};
};

struct GpuWork {
    CopySums copies;
    Nanoseconds hiddenCopies = 0, hiddenCommunication = 0;
    std::vector<TimeSpan> gaps;  ///< when nothing ran; ascending, none across two occurrences
};

/// Adds to `times` what kernels, communication and copies take. Unless `copiesKnown`, copies count
/// as gaps.
[[nodiscard]] GpuWork gpuWorkOf(const AccountInput& input, bool copiesKnown, TimeByClass& times);

/// Copies of at least kLeastHostCopy bytes from host memory that begin in the window, by size; per
/// occurrence.
[[nodiscard]] std::vector<SizedCopies> copiesToGpu(const AccountInput& input,
                                                   const IssuingCalls& issuing, double occurrences);

}  // namespace roofscope::program
