// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/spool/writer/spool_writer.h"
#include "profile/errors/result.h"

namespace roofscope::inject {

/// One buffer of PC samples, as CUPTI filled it.
struct SampleBatch {
    struct Record {
        std::string function;
        std::uint64_t offset = 0;       ///< bytes from the function's start
        std::uint32_t correlation = 0;  ///< of the launch
        std::uint64_t module = 0;       ///< checksum of the function's code
        std::vector<std::pair<std::uint32_t, std::uint64_t>> samples;  ///< reason and count
        auto operator<=>(const Record&) const = default;
    };
    /// Of all kernels, including those that the driver added, and dropped samples.
    std::uint64_t total = 0;
    std::uint64_t dropped = 0;  ///< samples that the hardware could not store
    std::uint64_t nonUser = 0;  ///< samples of kernels that the driver added
    bool hardwareFull = false;  ///< the hardware's buffer was full: the samples are useless
    std::size_t remaining = 0;  ///< records that CUPTI still has
    std::vector<Record> records;
};

/// Sums up the samples of one launch. Independent of CUDA.
///
/// CUPTI fills its configured buffer and may return the same records again when asked for the rest,
/// so repeated records count once. A sample is counted under the warp's state. If its scheduler
/// issued nothing in that cycle, it is also counted under the state's twin "…_not_issued". The sum
/// over the states must be the total that CUPTI reports.
class SampleTally {
public:
    /// `reasons`: CUPTI's names of stall reasons, by number.
    explicit SampleTally(std::map<std::uint32_t, std::string> reasons)
        : m_reasons(std::move(reasons)) {}

    /// Adds another buffer of the same launch.
    void add(SampleBatch batch);
    [[nodiscard]] std::uint64_t dropped() const;
    [[nodiscard]] std::uint64_t total() const;

    /// The samples of the kernel with this symbol; only reasons and rows are set. An error if
    /// samples are missing, are not of one launch, or do not add up.
    [[nodiscard]] Result<SampleRecord> of(const std::string& symbol) const;
    /// The checksum of the module of that kernel; nullopt if it has no samples.
    [[nodiscard]] std::optional<std::uint64_t> moduleOf(const std::string& symbol) const;

private:
    [[nodiscard]] bool sumsUp() const;

    std::map<std::uint32_t, std::string> m_reasons;
    std::vector<SampleBatch> m_batches;
};

/// Whether this is CUPTI's name of a state; otherwise it is the name of a state's twin.
[[nodiscard]] bool isStallState(std::string_view reason);

}  // namespace roofscope::inject
