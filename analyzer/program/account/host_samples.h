// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/program/account/sample_weights.h"
#include "analyzer/program/model/sample_tally.h"
#include "profile/model/profile.h"

/// What the CPU did while the GPU waited for it, by samples.
namespace roofscope::program {

inline constexpr std::size_t kMostHostFunctions = 3;
/// With fewer samples, no share is reported.
inline constexpr double kLeastSamples = 20;

/// The program's own function of a stack, the innermost.
struct StackFunction {
    std::string function;  ///< empty: not known
    std::string file;      ///< path; empty: not known
    std::string place;     ///< "lulesh.cu:2214"; empty: not known
    std::string callee;    ///< what it called in a library; empty: nothing
};
[[nodiscard]] StackFunction functionOf(const CpuSamples& samples, std::uint32_t stack);

/// A time in which all samples of a thread say the same.
struct SampledStretch {
    std::uint32_t process = 0, thread = 0;  ///< indices into processes, Timeline::threads
    std::uint32_t stack = 0;                ///< of its first sample
    CpuWait wait = CpuWait::None;
    std::uint32_t samples = 0;
    /// Each sample stands for the time until the next one, at most kLongestSample periods.
    TimeSpan time;
};
inline constexpr Nanoseconds kLongestSample = 3;
/// By process and thread, then by time. A stretch ends where another function (functionOf), its
/// callee, or what it waits for begins.
[[nodiscard]] std::vector<SampledStretch> sampledStretches(const Profile& profile);

/// The samples of a profile by thread and time.
class HostSamples {
public:
    explicit HostSamples(const Profile& profile);
    [[nodiscard]] bool any() const { return !m_byThread.empty(); }
    /// Adds the samples of this thread (index into Timeline::threads) in `time`. While the thread
    /// waits for a lock, the threads that run meanwhile are counted in its place; likewise in a
    /// longer time without any sample of it: it did not exist yet, or waited for others. While it
    /// waits for forked processes (of `multiprocessing`, or a DataLoader's), the one that was seen
    /// to work is counted. A thread
    /// that compiles is always counted itself. In a Python program, it also stands for the threads
    /// without Python that work for it.
    void addTo(SampleTally& tally, std::uint32_t thread, const TimeSpan& time) const;

private:
    /// Adds those of `samples` that lie in one round of the sampler, except those of the thread
    /// `except`. Together they count as one sample. Returns whether there were any.
    bool addSharesOf(const std::vector<const CpuSample*>& samples, SampleTally& tally,
                     std::uint32_t process, const TimeSpan& round,
                     std::optional<std::uint32_t> except) const;
    /// Whether the thread of this sample waits for a forked process, itself or through a thread of
    /// its process that waits meanwhile.
    [[nodiscard]] bool waitsForWorkers(const CpuSample& sample, std::uint32_t process,
                                       const TimeSpan& round) const;
    /// Adds the process's threads that run in `time`; each moment counts as one sample.
    void addRunning(SampleTally& tally, std::uint32_t process, const TimeSpan& time) const;

    const Profile& m_profile;
    std::map<std::uint32_t, std::vector<const CpuSample*>> m_byThread;  ///< by time
    std::vector<std::vector<const CpuSample*>> m_running;    ///< of each process, by time
    std::vector<std::vector<const CpuSample*>> m_compiling;  ///< likewise
    /// Likewise, of processes that it has forked, and of its threads that wait for these.
    std::vector<std::vector<const CpuSample*>> m_workers, m_feeders;
    std::vector<SampleWeights> m_weights;          ///< by process
    std::vector<std::vector<bool>> m_isCompilers;  ///< by process and stack
    std::vector<bool> m_hasPython;                 ///< by process
    std::set<std::uint32_t> m_pythonThreads;
};

/// The program's own functions with the most samples (of each stack, the innermost one of the
/// program): at most kMostHostFunctions, each with at least 3 %. Empty if there are fewer than
/// `least` samples, or if the samples cover too little of `time`. Pass another `least` only to
/// report how many samples there are.
[[nodiscard]] std::vector<HostFunction> hostFunctions(const Profile& profile,
                                                      const SampleTally& tally, Seconds time,
                                                      double least = kLeastSamples);

/// The samples except those in a module whose file name begins with `name` ("libcuda.so").
[[nodiscard]] SampleTally withoutModule(const Profile& profile, SampleTally tally,
                                        std::string_view name);

/// The share of samples whose stack contains a file with `path` in its path.
[[nodiscard]] double shareWithin(const Profile& profile, const SampleTally& tally,
                                 std::string_view path);

/// The share of samples of forked processes.
[[nodiscard]] double shareInWorkers(const SampleTally& tally);

/// How many of the process's forked processes were there at the same time, as far as samples show:
/// each from its first sample to its last.
[[nodiscard]] std::size_t workersAtOnce(const Profile& profile, std::uint32_t process);

}  // namespace roofscope::program
