// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profile/result.h"

namespace roofscope::inject {

/// The counters of one CUDA context while a program runs. An interface, so that a fake can drive
/// the launch tracker through failures, dropped ranges and early exits without a GPU.
///
/// Between start() and stop every kernel that runs in the context becomes one range, in the order
/// in which kernels run. drain() hands the ranges over and goes on collecting.
class CounterSession {
public:
    struct Batch {
        std::vector<std::vector<double>> ranges;  ///< per range: values of counters(), NaN missing
        std::size_t dropped = 0;                  ///< ranges that did not fit
    };

    virtual ~CounterSession() = default;

    /// Counter names in the order of every range's values.
    [[nodiscard]] virtual const std::vector<std::string>& counters() const = 0;
    /// Names and values of the chip's per-cycle peaks; values are known after the first drain.
    [[nodiscard]] virtual const std::vector<std::string>& peakNames() const = 0;
    [[nodiscard]] virtual const std::vector<double>& peakValues() const = 0;
    [[nodiscard]] virtual std::size_t passes() const = 0;
    /// How many ranges fit before a drain is due.
    [[nodiscard]] virtual std::size_t capacity() const = 0;

    /// Makes room for at least so many ranges at once (a graph launch); only when none are pending.
    virtual Result<void> reserve(std::size_t ranges) = 0;
    /// Ends the current batch, returns its ranges, and starts the next unless `last`.
    virtual Result<Batch> drain(bool last) = 0;
};

}  // namespace roofscope::inject
