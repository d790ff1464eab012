// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/program/model/account.h"
#include "analyzer/program/model/action.h"
#include "analyzer/program/model/window.h"

/// What is known about a program: the result of analyzeProgram().
namespace roofscope {

/// The whole run of a process, of which the loop is a part.
struct WholeRun {
    /// From the start of the process to its end without the recorder's set-up; if these are not
    /// known, from the first to the last moment that was recorded.
    Seconds seconds;
    std::optional<Seconds> beforeGpu;  ///< until the first work on the GPU
    /// Of that, creating CUDA's context: from CUDA's initialisation to it, but at most 0.5 s,
    /// because the program may do something else in the meantime.
    Seconds context;
    Seconds hostBefore;  ///< of `beforeGpu`, outside of CUDA calls and of creating the context
    Seconds loop;        ///< the counted repeats of the loop
    /// Time between the first and the last work on the GPU that is outside of the loop, by class;
    /// absent if nearly all of it is the loop.
    std::optional<PerTimeClass<Seconds>> outside;
    std::optional<Seconds> afterGpu;  ///< from the end of the last work on the GPU
    Seconds hostAfter;                ///< of that, outside of CUDA calls
    /// What the CPU did in `hostBefore` and `hostAfter`, most first. Empty: not sampled, too little
    /// of the run, or the imports of a Python program.
    std::vector<HostFunction> functionsBefore = {}, functionsAfter = {};
    /// The same in the host work that is outside of the loop, in Python programs, too.
    std::vector<HostFunction> functionsOutside = {};
    Seconds aroundGpu;  ///< what was recorded before the first and after the last work on the GPU
    /// Counters were read from the first launch until timing began. That part is not known, and not
    /// in `seconds`.
    bool countedFirst = false;
    /// Its launch calls, and how long they would have taken at the pace of those that were timed;
    /// 0: not known.
    std::uint64_t launchesLeftOut = 0;
    std::uint64_t launches = 0;  ///< all launch calls of the program; 0: not known
    Seconds leftOut = {};
};

/// One GPU of the program, usually that of a rank.
struct Lane {
    std::uint32_t device = 0;                ///< index into Profile::devices
    std::vector<std::uint32_t> processes;    ///< those that gave it work, on one clock
    std::optional<std::uint32_t> rank = {};  ///< of its only process
    Window window = {};
    Account account = {};
    /// The counted occurrences of the window; ascending, without overlap.
    std::vector<TimeSpan> occurrences = {};
    /// Only if asked for: what the account counts in them, likewise. The account has this without
    /// tracing.
    std::vector<ClassStretch> stretches = {};
};

/// All launch shapes and NVTX ranges of one function on one GPU, as far as they run in the window.
struct KernelFunction {
    std::vector<std::uint32_t> kernels;  ///< indices into Analysis::kernels, most time first
    /// The kernel that is shown for the function: of the shapes whose limit is known, the one with
    /// the most time. If those take little of the function's time: the one with the most time of
    /// all.
    std::uint32_t shown = 0;
    /// Counted shapes like these that ran outside of the window. The first stands for the function.
    /// Empty if shapes in the window do, or if there are too few.
    std::vector<std::uint32_t> elsewhere = {};
    double launches = 0;  ///< per window
    Seconds time;         ///< per window
    Ratio share;          ///< of the kernels' time in the window
};

namespace program {

/// The kernels that a line launches, those of its backward pass included.
struct LineTime {
    std::string place;                                       ///< as placeText()
    Seconds time;                                            ///< at least, per window
    std::vector<std::pair<std::uint32_t, Seconds>> kernels;  ///< index into Analysis::kernels
};

}  // namespace program

struct Program;

/// A part of the window that differs from the rest of it, judged by itself: its account, actions
/// and bounds are per occurrence of the phase.
struct WindowPhase {
    std::string name;          ///< of the NVTX range; empty: found by launches that repeat
    std::size_t repeats = 0;   ///< of the same launches in one occurrence; 0 for a range
    std::size_t launches = 0;  ///< in one of these repeats; 0 for a range
    double perWindow = 0;      ///< occurrences in one occurrence of the window, mean
    Ratio share = {};          ///< of the window
    std::shared_ptr<const Program> program;
};

struct Program {
    std::vector<Lane> lanes;  ///< busiest first; empty if times are not known
    /// The first lane's window, with the mean length of all lanes; and the mean of their accounts.
    Window window;
    Account account;
    Ratio busy;  ///< share of the window in which a kernel runs, communication included
    /// Lower bound of the window: bytes and operations at attainable roofs. Absent if too many
    /// kernels have no bound, or if an action may go below it. Fusing that no action proposes may
    /// go below it, too.
    std::optional<Seconds> floor;
    /// Lower bound even if all kernels are fused; absent like `floor`.
    std::optional<Seconds> fusedFloor = {};
    std::vector<Action> actions;  ///< most time first
    std::optional<Unanswered> unanswered = {};
    std::vector<program::LineTime> lines = {};  ///< of the program, most GPU time first
    /// Set if nothing is left that is worth an edit: how far the window is above the floor.
    std::optional<Ratio> stop;
    /// Share of the window in kernels whose limit is not known, because none of their counters were
    /// read; absent if no time of a kernel is known.
    std::optional<Ratio> undecided = {};
    /// The result: actions, or why there are none.
    enum class Conclusion {
        Actions,       ///< there are some
        Stop,          ///< the window is near its floor
        NothingFound,  ///< it was looked for, and no known edit is worth it
        CannotTell     ///< too little was measured to say so
    };
    [[nodiscard]] Conclusion conclusion() const;
    /// Whether too little was measured to say that nothing is left to do: nobody knows what limits
    /// kernels, or why the GPU idled, for a share of the window that is worth an edit.
    [[nodiscard]] bool measuredTooLittle() const;
    std::vector<Words> unknown;        ///< what the recording cannot say, and how to record it
    std::optional<WholeRun> run = {};  ///< absent if its times are not known, or with several GPUs
    /// If the run is judged (WindowKind::Run, or Whole for imports): the same program, judged by
    /// its loop.
    std::shared_ptr<const Program> loop = {};
    /// The phases of the window, in their order; empty if it has none whose answers differ.
    std::vector<WindowPhase> phases = {};
    std::size_t launchesTimed = 0, launchesCounted = 0;
    /// What runs in the window, most time first; in judging without a timing run, all kernels.
    std::vector<KernelFunction> functions = {};
    /// By index of Analysis::kernels.
    struct KernelCounts {
        std::size_t timed = 0, counted = 0;
        double perWindow = 0;  ///< launches in one occurrence of the window, mean
        Seconds time = {};     ///< that these take; 0 if none of them was timed
        /// The time per window that the findings hold for: `time`, and a part of the time of
        /// uncounted shapes if this one stands for them. 0: mostly page faults, and the kernel did
        /// not wait while it was counted.
        Seconds standsFor = {};
        double fromGraphs = 0;  ///< of these, those from CUDA graphs
    };
    std::vector<KernelCounts> kernels;
    /// The sum over all kernels.
    [[nodiscard]] KernelCounts launches() const;
};

[[nodiscard]] const char* toString(Program::Conclusion conclusion);  ///< "nothing-found"

}  // namespace roofscope
