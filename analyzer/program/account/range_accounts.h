// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/program/account/functions.h"
#include "analyzer/program/account/host_samples.h"
#include "analyzer/program/model/account.h"

namespace roofscope {

/// Where the time of a range of the clock goes. All times are as they were recorded, tracing
/// included; several GPUs are averaged.
struct RangeAccount {
    TimeSpan range;
    /// Every nanosecond that the recording covers is in one class, as in the account of a window:
    /// accounts of adjacent ranges add up.
    PerTimeClass<Seconds> time;
    struct Lane {
        std::uint32_t device = 0;                ///< index into Profile::devices
        std::vector<std::uint32_t> processes;    ///< those that gave it work
        std::optional<std::uint32_t> rank = {};  ///< of its only process
        PerTimeClass<Seconds> time = {};
    };
    std::vector<Lane> lanes;
    /// What ran, most time first: launches that begin in the range, the time of all launches within
    /// it.
    std::vector<KernelFunction> functions;
    std::vector<std::uint32_t> kernels;  ///< of these functions: indices into Analysis::kernels
    /// Copies of one kind.
    struct Copies {
        TransferKind kind = TransferKind::Other;
        std::size_t count = 0;  ///< that begin in the range
        Bytes bytes;            ///< of these
        Seconds time;           ///< of all copies, within the range
    };
    std::vector<Copies> copies;  ///< most time first
    /// What the CPU did while the GPU was idle for host work, by hostSamples samples; empty: not
    /// sampled.
    std::vector<HostFunction> hostFunctions;
    double hostSamples = 0;

    [[nodiscard]] Seconds total() const;
    [[nodiscard]] Ratio share(TimeClass cls) const;
};

/// What a thread did by its samples. With fewer samples than program::kLeastSamples tell counts,
/// not shares.
struct SampledFunctions {
    std::vector<HostFunction> functions;
    double samples = 0;
};

/// Accounts of any range of a recording. Made once, which takes as long as the account of the whole
/// run; a range then takes milliseconds, however many launches it has.
class RangeAccounts {
public:
    explicit RangeAccounts(std::shared_ptr<const Analysis> analysis);
    ~RangeAccounts();

    /// Whether the recording has times; if not, accounts are empty.
    [[nodiscard]] bool any() const;
    [[nodiscard]] RangeAccount of(const TimeSpan& range) const;
    /// Only the classes, of the GPU that this process gives work to; zeros where nothing was
    /// recorded.
    [[nodiscard]] PerTimeClass<Seconds> timeOf(std::uint32_t device, std::uint32_t process,
                                               const TimeSpan& range) const;
    /// What the thread that gives this GPU most of its work did in the range, whatever the GPU did.
    [[nodiscard]] SampledFunctions hostFunctionsOf(std::uint32_t device, std::uint32_t process,
                                                   const TimeSpan& range) const;

private:
    class Lane;
    [[nodiscard]] const Lane* laneOf(std::uint32_t device, std::uint32_t process) const;
    std::shared_ptr<const Analysis> m_analysis;
    std::vector<std::uint32_t> m_kernelOf;  ///< by row of Profile::launches
    std::vector<Lane> m_lanes;
    std::unique_ptr<const program::HostSamples> m_samples;
};

}  // namespace roofscope
