// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/program/window/window.h"

/// What a window consists of, if it does different things one after the other: the rollout and the
/// update of a training, the prefill and the decoding of a language model.
namespace roofscope::program {

/// A part of the window. Its occurrences lie within those of the window, and phases do not overlap.
struct FoundPhase {
    FoundWindow window;        ///< of kind Range or Period; its `counted` are all occurrences
    double perWindow = 0;      ///< occurrences of the phase in one occurrence of the window, mean
    std::size_t repeats = 0;   ///< of the same launches in one occurrence; 0 for a range
    std::size_t launches = 0;  ///< in one of these repeats; 0 for a range
};

/// Phases by the outermost NVTX ranges within the window, or else by launches that repeat within
/// it. Empty unless there are at least two, which together hold nearly all of the window.
[[nodiscard]] std::vector<FoundPhase> findPhases(const Profile& profile, const LaneActivity& lane,
                                                 const FoundWindow& window);

/// A stretch of a sequence in which `length` items repeat.
struct Stretch {
    std::size_t first = 0, length = 0, repeats = 0;
    [[nodiscard]] std::size_t end() const { return first + length * repeats; }
};
/// The stretches that repeat in a sequence, ascending, without overlap: of at most four kinds, and
/// of at least 24 items each.
[[nodiscard]] std::vector<Stretch> stretchesOf(std::span<const std::uint32_t> sequence);

}  // namespace roofscope::program
