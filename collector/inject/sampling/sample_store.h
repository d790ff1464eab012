// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "collector/inject/sampling/python_frames.h"
#include "collector/spool/cpu_records.h"

namespace roofscope::inject {

/// A frame of a sampled stack.
struct SampledFrame {
    std::string_view module;  ///< empty: Python
    std::uint64_t offset = 0;
    PythonPlace python = {};
};

/// Samples in bounded memory. When it is full, about half of the samples are dropped, and the
/// sampler must take half as many from then on. So every sample stands for the same time.
class SampleStore {
public:
    struct Limits {
        std::size_t samples = 16'384, stacks = 4096, frames = 16'384;
    };
    SampleStore() = default;
    explicit SampleStore(const Limits& limits) : m_limits(limits) {}

    /// The stack's number.
    std::uint32_t stack(const std::vector<SampledFrame>& frames);
    /// `thread` is the caller's own number for a thread.
    void add(const spool::CpuSampleRow& sample) { m_samples.push_back(sample); }
    /// Adds `ns` to the times of all samples; samples whose time would become negative are dropped.
    void shift(std::int64_t ns);
    /// Drops samples if the store is full; returns whether it did.
    bool thinOut();

    [[nodiscard]] const std::vector<spool::CpuSampleRow>& samples() const { return m_samples; }
    /// The stacks and frames that the samples refer to, with the given `period`.
    [[nodiscard]] spool::CpuStacksRecord stacks(std::uint64_t period) const;

private:
    std::uint32_t frame(const SampledFrame& frame);
    /// Forgets stacks without samples.
    void sweep();

    using Frame = std::tuple<std::uint32_t, std::uint64_t, PythonPlace>;  // module 0: Python
    using Stack = std::vector<std::uint32_t>;
    Limits m_limits;
    std::map<std::string, std::uint32_t, std::less<>> m_moduleNumbers;
    std::map<Frame, std::uint32_t> m_frames;
    std::map<Stack, std::uint32_t> m_stacks;
    std::vector<spool::CpuSampleRow> m_samples;
    unsigned m_thinned = 0;  ///< how often thinOut() dropped samples
};

}  // namespace roofscope::inject
