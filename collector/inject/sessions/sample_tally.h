// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
        std::vector<std::pair<std::uint32_t, std::uint64_t>> samples;  ///< reason and how often
        auto operator<=>(const Record&) const = default;
    };
    std::uint64_t total = 0;    ///< of all kernels, those that the driver added and dropped ones
    std::uint64_t dropped = 0;  ///< that the hardware could not store
    std::uint64_t nonUser = 0;  ///< of kernels that the driver added
    bool hardwareFull = false;  ///< nothing of it is of use
    std::size_t remaining = 0;  ///< records that CUPTI still has
    std::vector<Record> records;
};

/// Sums up the samples of one launch. Independent of CUDA.
///
/// CUPTI fills its configured buffer and may return the same records again when asked for the rest:
/// repeated records count once. A sample is counted under the warp's state and, when its scheduler
/// issued nothing in that cycle, under the state's twin "…_not_issued" as well; the sum over the
/// states must be what CUPTI calls the total.
class SampleTally {
public:
    /// `reasons`: CUPTI's names by its numbers.
    explicit SampleTally(std::map<std::uint32_t, std::string> reasons)
        : m_reasons(std::move(reasons)) {}

    /// A further buffer of the same launch.
    void add(SampleBatch batch);
    [[nodiscard]] std::uint64_t dropped() const;
    [[nodiscard]] std::uint64_t total() const;

    /// What was seen of the kernel with this symbol: reasons and rows are set. An error when
    /// samples are lacking, are not of one launch, or do not sum up.
    [[nodiscard]] Result<SampleRecord> of(const std::string& symbol) const;

private:
    [[nodiscard]] bool sumsUp() const;

    std::map<std::uint32_t, std::string> m_reasons;
    std::vector<SampleBatch> m_batches;
};

/// Whether a name of CUPTI's is that of a state; else it is that of a state's twin.
[[nodiscard]] bool isStallState(std::string_view reason);

}  // namespace roofscope::inject
