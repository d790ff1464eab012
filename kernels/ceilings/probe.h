// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/rung.h"
#include "profile/model/profile.h"

/// Kernels that reach one limit of the GPU each, for `roofscope ceilings`. A probe is one file,
/// kernels/ceilings/<name>.cu, that defines `const Probe probes::<name>`; the build collects them
/// into allProbes(). Nothing here needs the right to read counters.
namespace roofscope::kernels {

/// What a probe has to know of the GPU.
struct ProbeGpu {
    std::string name, uuid;     ///< uuid: "GPU-6f1b…", as nvidia-smi writes it
    int computeCapability = 0;  ///< Times ten: 90 for 9.0.
    int smCount = 0;
    std::size_t l2Bytes = 0;
    std::size_t memoryBytes = 0, freeBytes = 0;
    std::optional<Hertz> smClockMax, memoryClockMax;  ///< From the driver.
    std::optional<int> memoryBusBits;
};

/// Something to launch again and again. Buffers live as long as `launch` does.
struct Workload {
    /// Queues one launch. Throws CudaFailure.
    std::function<void(Stream)> launch;
    double work = 0;              ///< Bytes moved or operations done by one launch.
    std::uint64_t footprint = 0;  ///< Bytes that one launch touches at the level claimed; 0: none.
    std::string method;           ///< What was launched, for people.
    /// Launches a version whose result is known and compares: why it is wrong, or empty. Not set
    /// where there is nothing that could go wrong unseen. Throws CudaFailure.
    std::function<std::string()> check = {};
};

/// How to measure one ceiling. Plain functions, so that the list works without a driver.
struct Probe {
    std::string_view name;  ///< "dram_read"; the name of Ceiling, too
    Ceiling::Kind kind = Ceiling::Kind::Bandwidth;
    int order = 0;             ///< Position in lists.
    std::string_view summary;  ///< One sentence without a full stop.
    /// Why it cannot be measured on that GPU, as a sentence without a full stop; empty when it can.
    std::string (*refusal)(const ProbeGpu&);
    /// What the chip could do by its data sheet at its highest clock, in bytes or operations per
    /// second; absent where that is not known for certain.
    std::optional<double> (*theoretical)(const ProbeGpu&);
    /// Ways to do it, one of which is the quickest on a given chip. Throws CudaFailure.
    std::vector<Workload> (*make)(const ProbeGpu&);
};

/// All probes in the order of lists.
[[nodiscard]] std::span<const Probe* const> allProbes();

/// The refusal of a probe that every GPU can run.
[[nodiscard]] inline std::string refusesNothing(const ProbeGpu&) { return {}; }
/// For probes without a known theoretical value.
[[nodiscard]] inline std::optional<double> unknownRate(const ProbeGpu&) { return std::nullopt; }

}  // namespace roofscope::kernels
