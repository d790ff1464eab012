// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profile/model/profile.h"
#include "tests/support/synthetic_profile.h"

namespace roofscope::test {

/// A program of one thread and one stream with known times, because it is simulated: the CPU makes
/// its calls, and the GPU does its work in order.
///
///     SyntheticProgram p;
///     for (int i = 0; i < 6; ++i) {
///         p.push("step");
///         p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 10'000);
///         p.launch("gemm", 500).sync();
///         p.pop();
///     }
///
/// All times are in microseconds. Everything counts as recorded unless `recorded()` is changed.
class SyntheticProgram {
public:
    /// The durations of calls, and the latency from a launch to its start on the GPU.
    static constexpr double kLaunchCall = 4, kLatency = 2, kWaitReturn = 3;

    SyntheticProgram();

    SyntheticProgram& launch(std::string_view kernel, double time);
    /// A pageable copy blocks the CPU until the GPU is done, after `staging`; other copies do not.
    SyntheticProgram& copy(TransferKind kind, MemoryKind host, double bytes, double time,
                           double staging = 0);
    /// On a second stream, next to kernels.
    SyntheticProgram& copyBeside(TransferKind kind, double bytes, double time);
    SyntheticProgram& memset(double bytes, double time);
    SyntheticProgram& sync(std::string_view call = "cudaStreamSynchronize");
    SyntheticProgram& call(std::string_view name, CallKind kind, double time);
    /// Host work without CUDA.
    SyntheticProgram& work(double time);
    SyntheticProgram& push(std::string_view range);
    SyntheticProgram& pop();

    [[nodiscard]] Nanoseconds now() const { return m_cpu; }
    TimelineParts& recorded() { return *profile().processes[0].timeline; }
    [[nodiscard]] Profile& profile() { return m_synthetic.profile(); }
    /// With time 0 at the start of the first launch, as in a recording.
    [[nodiscard]] Profile build() const;

private:
    std::uint32_t name(std::string_view call, CallKind kind);
    void addCall(std::string_view name, CallKind kind, Nanoseconds time,
                 std::optional<std::uint32_t> work = {});
    Nanoseconds onGpu(double time);

    SyntheticProfile m_synthetic;
    std::map<std::string, std::uint32_t, std::less<>> m_kernels;
    std::vector<std::pair<std::uint32_t, Nanoseconds>> m_open;  ///< open ranges and their pushes
    std::vector<std::string> m_path;
    Nanoseconds m_cpu = 1'000'000, m_gpu = 0, m_side = 0;
};

}  // namespace roofscope::test
