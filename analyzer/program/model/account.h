// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/program/model/sample_tally.h"
#include "profile/model/timeline.h"

namespace roofscope {

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

/// A stretch of the window that is in one class.
struct ClassStretch {
    TimeSpan time;
    TimeClass cls = TimeClass::Kernels;
};

}  // namespace roofscope
