// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope::inject {

/// The counters of one CUDA context while a program runs. An interface, so that a fake can drive
/// the launch tracker through failures, dropped ranges and early exits without a GPU.
///
/// While it runs, every kernel of the context becomes one range, in the order in which kernels run.
/// drain() returns the ranges. A session is created running.
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
    /// Number of groups of counters that take turns. A range has values only for the group
    /// that ran. Group 0 runs first.
    [[nodiscard]] virtual std::size_t groups() const { return 1; }
    /// Sets the group that runs from the next drain or resume on.
    virtual void choose(std::size_t /*group*/) {}
    /// How many ranges fit besides those that were already returned.
    [[nodiscard]] virtual std::size_t room() const = 0;
    /// Whether pausing and resuming costs less than measuring unwanted launches.
    [[nodiscard]] virtual bool pausesCheaply() const = 0;

    /// Makes room for at least this many ranges at once; only if none are pending.
    virtual Result<void> reserve(std::size_t ranges) = 0;
    /// Returns the ranges since the last drain and continues, or stays paused if `pause` is set.
    virtual Result<Batch> drain(bool pause) = 0;
    /// Continues after a drain that paused. Kernels that run before that are not measured.
    virtual Result<void> resume() = 0;
};

}  // namespace roofscope::inject
