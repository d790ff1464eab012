// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// How the window was found, in the order in which it is looked for.
enum class WindowKind {
    Chosen,  ///< by the user: cudaProfilerStart and cudaProfilerStop, `--nvtx`, `--range`
    Range,   ///< an outermost NVTX range that repeats
    Period,  ///< the sequence of launches repeats
    Whole,   ///< from the first to the last activity of the GPU
    Run      ///< from the start of the process to its end, as far as it was recorded
};
/// "chosen", "range", "period", "whole", "run"
[[nodiscard]] const char* toString(WindowKind kind);

/// The time that shares refer to: one occurrence of what the program repeats, on average.
struct Window {
    WindowKind kind = WindowKind::Whole;
    std::string name;             ///< of the NVTX range; empty otherwise
    std::size_t occurrences = 0;  ///< all that were found
    std::size_t counted = 0;      ///< of these, those that the account covers
    std::size_t leftOut = 0;      ///< of these, those that load code or warm up
    /// Launches of one period; 0 for other kinds.
    std::size_t periodLaunches = 0;
    /// Turns of a period that were merged into one occurrence, because each does a different amount
    /// of work; 0 otherwise.
    std::size_t rounds = 0;
    /// Duration of an occurrence at the beginning and at the end of the run, if it grows.
    Seconds firstSeconds, lastSeconds;
    /// Between these lengths are the middle half of the counted occurrences, as recorded. Only if
    /// the longer one is 1.2 times as long or more, and the window does not grow.
    std::optional<std::pair<Seconds, Seconds>> spread = {};
    /// Occurrences before or after the counted ones whose kernels take clearly more or less time.
    /// Not in `occurrences`.
    struct Others {
        std::size_t count = 0;
        Seconds total = {};
        Seconds seconds = {};  ///< of one, median; 0: they are of several lengths
        bool before = false;   ///< where those of one length are
    };
    Others others;
    /// After some occurrences of a period, in which the program goes on to another part.
    struct Pauses {
        std::size_t count = 0;
        Seconds total = {};
    };
    Pauses pauses;    ///< not in `seconds`
    Seconds seconds;  ///< of one occurrence, mean of the counted ones, without tracing
    Seconds traced;   ///< of one occurrence: the tracing time that was subtracted
    /// Of the run, about: what ran while counters were read. Not recorded, and not in `seconds`.
    Seconds unrecorded = {};
    /// Whether `seconds` is a time that the program took alone (Process::pace). Otherwise `traced`
    /// is estimated from the length of traced launch calls.
    bool measuredAlone = false;
    /// `traced` as a share of the time in which launch calls kept the GPU idle; 0 without them.
    double tracedShareOfLaunches = 0;
    /// Whether it is all of the program's time, not what the program repeats.
    [[nodiscard]] bool isWhole() const {
        return kind == WindowKind::Whole || kind == WindowKind::Run;
    }
};

/// By the name of an option: "auto", "loop", "run".
[[nodiscard]] std::optional<WindowChoice> parseWindow(std::string_view name);

}  // namespace roofscope
