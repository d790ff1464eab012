// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/program/account/functions.h"
#include "analyzer/program/account/host_samples.h"
#include "analyzer/program/account/lines.h"
#include "profile/model/timeline.h"

/// The level above kernels: the time over which a program is judged, where that time goes, and what
/// to do first. Pure functions of an analysis, described in docs/program.md.
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
    /// Occurrences before or after the counted ones whose kernels take clearly more or less time.
    /// Not in `occurrences`.
    struct Others {
        std::size_t count = 0;
        Seconds total = {};
        Seconds seconds = {};  ///< of one, median; 0: they are of several lengths
        bool before = false;   ///< where those of one length are
    };
    Others others;
    Seconds seconds;  ///< of one occurrence, mean of the counted ones, without tracing
    Seconds traced;   ///< of one occurrence: the tracing time that was subtracted
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

/// Classes of the account. Every nanosecond of the window is in exactly one.
enum class TimeClass {
    Kernels,        ///< a kernel runs that is not communication
    Communication,  ///< only kernels of NCCL or NVSHMEM run
    Copies,         ///< a copy or memset and no kernel, or the CPU stages a pageable copy
    IdleLaunch,     ///< idle: the CPU is in launch calls or shortly between them
    IdleSync,       ///< idle: the CPU has waited for the GPU and not issued new work yet
    IdleAlloc,      ///< idle: the CPU allocates or frees
    IdleLoad,       ///< idle: code is being loaded
    IdleHost,       ///< idle: the CPU does something without CUDA
    IdleUnknown     ///< idle: the recording does not show why
};
inline constexpr std::array kTimeClasses{
    TimeClass::Kernels,    TimeClass::Communication, TimeClass::Copies,
    TimeClass::IdleLaunch, TimeClass::IdleSync,      TimeClass::IdleAlloc,
    TimeClass::IdleLoad,   TimeClass::IdleHost,      TimeClass::IdleUnknown};
/// The key in JSON: "kernels", "idle_launch".
[[nodiscard]] const char* toString(TimeClass cls);
[[nodiscard]] inline bool isIdle(TimeClass cls) { return cls >= TimeClass::IdleLaunch; }
template <class T>
using PerTimeClass = EnumArray<TimeClass, T, kTimeClasses.size()>;

/// Copies of one kind, per window.
struct CopyTime {
    TransferKind kind = TransferKind::Other;
    bool pageable = false;  ///< one side is pageable host memory
    std::size_t count = 0;  ///< in all counted occurrences
    Bytes bytes;
    Seconds time;     ///< in which at least one of them ran
    Seconds exposed;  ///< of that, while no kernel ran; with staging on the CPU
};

/// Copies of one size from host memory to a GPU; per window.
struct SizedCopies {
    std::uint64_t bytes = 0;  ///< of each
    Bytes all;                ///< of all of them
    Seconds time;             ///< of all of them, with staging on the CPU
};

/// A CUDA function, and the GPU idle time that its calls cause.
struct CallTime {
    std::string name;  ///< "cudaStreamSynchronize"
    CallKind kind = CallKind::Other;
    std::size_t count = 0;  ///< calls that cause idle time, in all counted occurrences
    Seconds idle;           ///< per window
};

/// Host work of one kind, by what its thread gave the GPU next; per window.
struct HostWork {
    std::optional<std::uint32_t> kernel;  ///< index into Profile::kernels; absent: a copy
    TransferKind copy = TransferKind::Other;
    std::string call;   ///< the call that issued it, "cudaMemcpyAsync"
    std::string range;  ///< innermost NVTX range open all the time; empty: only the window's
    Seconds idle;
    Bytes bytes;            ///< of the copies
    std::size_t count = 0;  ///< in all counted occurrences
};

/// Where the window's time goes; per window, without tracing.
struct Account {
    PerTimeClass<Seconds> time;
    /// Of IdleLaunch and IdleAlloc, the part in the one call that has most.
    PerTimeClass<Seconds> oneCall;
    /// In addition: copies that ran while a kernel did; communication that ran while other kernels
    /// did.
    Seconds hiddenCopies, hiddenCommunication;
    /// Of IdleUnknown: in which work ran whose recorded time cannot be.
    Seconds untimed;
    std::vector<CopyTime> copies;    ///< most exposed time first
    std::vector<SizedCopies> toGpu;  ///< by size, those of 64 KB and more
    std::vector<CallTime> calls;     ///< most idle time first
    std::vector<HostWork> hostWork;  ///< the parts of IdleHost, most idle time first
    /// The part of IdleHost that directly follows a synchronisation. Without the synchronisation,
    /// the CPU could run ahead and do this while the GPU works.
    Seconds hostAfterSync;
    /// The part of IdleHost that directly follows a copy of at least kLeastCopy to the host, and
    /// the bytes of these copies: the CPU probably works on them.
    Seconds hostAfterCopy = {};
    Bytes copiedForHost = {};
    /// Time in which the thread that feeds the GPU does not wait for it; absent if not known.
    std::optional<Seconds> cpuBusy;
    /// The part of `cpuBusy` outside of all calls: fewer calls and waits do not shorten it.
    std::optional<Seconds> cpuOutsideCalls = {};
    /// False: copies, or calls, were not recorded, so that their time is IdleUnknown.
    bool copiesKnown = false, causesKnown = false;
    /// The same for calls that allocate, and for calls that load code.
    bool allocationsKnown = false, loadsKnown = false;
    /// What the thread that feeds the GPU did in idle time, by class. Samples of IdleHost before
    /// the first and after the last work on the GPU are in the two members below instead.
    PerTimeClass<SampleTally> samples = {};
    SampleTally samplesBefore = {}, samplesAfter = {};
    /// Long launches and allocations may have loaded code or set CUDA up, which was not recorded.
    bool callsMayLoad = false;

    [[nodiscard]] Seconds total() const;
    [[nodiscard]] Ratio share(TimeClass cls) const;
    /// Whether time of this class was recorded as such. If not, it is in IdleUnknown.
    [[nodiscard]] bool knows(TimeClass cls) const;
    /// Whether a single call has most of the time, and may have loaded code.
    [[nodiscard]] bool mayBeOneLoad(TimeClass cls) const;
};

/// By the name of an option: "auto", "loop", "run".
[[nodiscard]] std::optional<WindowChoice> parseWindow(std::string_view name);

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
    Seconds aroundGpu;  ///< what was recorded before the first and after the last work on the GPU
    /// Counters were read from the first launch until timing began. That part is not known, and not
    /// in `seconds`.
    bool countedFirst = false;
    /// Its launch calls, and how long they would have taken at the pace of those that were timed;
    /// 0: not known.
    std::uint64_t launchesLeftOut = 0;
    Seconds leftOut = {};
};

/// A stretch of the window that is in one class.
struct ClassStretch {
    TimeSpan time;
    TimeClass cls = TimeClass::Kernels;
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

/// Where in the program something happens: a line of its code, or an NVTX path if no line is known.
struct ActionSite {
    std::string text;
    Seconds bound;  ///< its part of the action's bound
};

/// What to do, and the most that it can save. Bounds of several actions do not add up.
struct Action {
    /// Of a rule, of the account ("repeated-copy", "pageable-copy", "pageable-copy-back",
    /// "copy-not-overlapped", "busy-link", "sync-stops-queue", "wait-per-repeat",
    /// "launch-bound-program", "allocation-in-loop", "first-call-costs", "host-bound",
    /// "work-before-gpu", "work-after-gpu"), or of the order of launches ("unfused-elementwise",
    /// "uneven-ranks", "graph-input-copy", "optimizer-passes", "page-faults", "hidden-waits",
    /// "data-movement", "separate-jits").
    std::string rule;
    /// The class of the account that it shortens; absent for an action about kernels.
    std::optional<TimeClass> timeClass = {};
    /// The title alone says too little: show `sentence` wherever the action is shown.
    bool alwaysExplained = false;
    std::vector<std::uint32_t> kernels = {};  ///< indices into Analysis::kernels, most first
    Seconds bound;                            ///< per window
    Ratio share = {};                         ///< of the window
    Seconds total = {};                       ///< over all counted occurrences
    bool estimate = false;                    ///< `bound` is no bound (Finding::estimate)
    std::vector<ActionSite> sites = {};       ///< most first, at most kMostSites
    /// For actions of the account: what the CPU did in that time, most first. Empty: not sampled.
    std::vector<HostFunction> hostFunctions = {};
    /// For actions of a rule: the finding with the largest gain, in
    /// Analysis::kernels[kernels.front()]; its rule has the title and the sentence. Absent for
    /// other actions, which have them here.
    std::optional<std::size_t> finding = {};
    /// Trials that made the program faster, as indices into Analysis::trials: first those that are
    /// the very edit. Each trial is at one action, the first that it fits.
    std::vector<std::size_t> tried = {};
    Words title = {};     ///< "Pageable host-to-device copies"
    Words sentence = {};  ///< "{count} copies …": names stand for `args`
    Words edit = {};      ///< what to change, likewise
    std::vector<Arg> args = {};
};
inline constexpr std::size_t kMostActions = 5;
inline constexpr std::size_t kMostSites = 3;

/// Kernels of one function, of one line of the program, or of cuFFT, that take far more time than
/// the first action can save, and that no action is known for.
struct Unanswered {
    std::vector<std::uint32_t> kernels;  ///< indices into Analysis::kernels, most time first
    Seconds time;                        ///< per window
    Ratio share;                         ///< of the window
    std::string place = {};              ///< the line; empty: one function, or cuFFT
    bool transforms = false;             ///< kernels of cuFFT
    Ratio nearRoof = {};                 ///< share of `time` in kernels that are near a roof
};

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
    /// kernels have no bound. Fusing that no finding proposes may go below it.
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
    /// If the run is judged (WindowKind::Run): the same program, judged by its loop.
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

/// What Lane::stretches is to have.
enum class Stretches { LeftOut, Kept };

/// `window`: in place of Analysis::window.
[[nodiscard]] Program analyzeProgram(const Analysis& analysis,
                                     std::optional<WindowChoice> window = {},
                                     Stretches stretches = Stretches::LeftOut);

}  // namespace roofscope
