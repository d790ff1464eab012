// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope::inject {

/// The counters of one CUDA context, read over whole ranges. An interface, so that a fake can drive
/// the range tracker without a GPU.
///
/// Only one range is open at a time; nested ranges are measured in other runs. Kernels outside of
/// ranges are not measured and cost nothing.
class RangeSession {
public:
    struct Measured {
        std::string name;            ///< as it was pushed
        std::vector<double> values;  ///< of counters(), NaN missing
    };
    struct Batch {
        std::vector<Measured> ranges;
        std::size_t dropped = 0;  ///< ranges that did not fit
    };

    virtual ~RangeSession() = default;

    /// Counter names in the order of every range's values.
    [[nodiscard]] virtual const std::vector<std::string>& counters() const = 0;
    /// Names and values of the chip's per-cycle peaks; values are known after the first drain.
    [[nodiscard]] virtual const std::vector<std::string>& peakNames() const = 0;
    [[nodiscard]] virtual const std::vector<double>& peakValues() const = 0;
    /// How many ranges fit before the next drain. Never push more: CUPTI would end the process.
    [[nodiscard]] virtual std::size_t room() const = 0;

    /// Begins a range. Names must differ, because ranges of the same name are added up.
    virtual Result<void> push(const std::string& name) = 0;
    /// Ends the range; waits for the GPU work in it.
    virtual Result<void> pop() = 0;
    /// The ranges since the last drain, in any order; only while none is open.
    virtual Result<Batch> drain() = 0;
};

}  // namespace roofscope::inject
