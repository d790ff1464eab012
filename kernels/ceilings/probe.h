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
/// into allProbes(). None of them needs permission to read counters.
namespace roofscope::kernels {

/// What a probe must know about the GPU.
struct ProbeGpu {
    std::string name, uuid;     ///< uuid: "GPU-6f1b…", as printed by nvidia-smi
    int computeCapability = 0;  ///< Times ten: 90 for 9.0.
    int smCount = 0;
    std::size_t l2Bytes = 0;
    std::size_t memoryBytes = 0, freeBytes = 0;
    std::optional<Hertz> smClockMax, memoryClockMax;  ///< From the driver.
    std::optional<int> memoryBusBits;
};

/// Something to launch repeatedly. Buffers live as long as `launch` does.
struct Workload {
    /// Queues one launch. Throws CudaFailure.
    std::function<void(Stream)> launch;
    double work = 0;              ///< Bytes moved or operations done by one launch.
    std::uint64_t footprint = 0;  ///< Bytes that a launch touches at that level; 0: none.
    std::string method;           ///< A description of what was launched.
    /// Launches a version with a known result and compares: returns what is wrong, or "". Not set
    /// if nothing can go wrong unnoticed. Throws CudaFailure.
    std::function<std::string()> check = {};
};

/// How to measure one roof. Plain functions, so that the list works without a driver.
struct Probe {
    std::string_view name;  ///< "dram_read"; also the name of the Ceiling
    Ceiling::Kind kind = Ceiling::Kind::Bandwidth;
    int order = 0;             ///< Position in lists.
    std::string_view summary;  ///< One sentence without a full stop.
    /// Why it cannot be measured on this GPU, as a sentence without a full stop; empty if it can.
    std::string (*refusal)(const ProbeGpu&);
    /// The chip's data-sheet rate at its highest clock, in bytes or operations per second; absent
    /// if it is not known for certain.
    std::optional<double> (*theoretical)(const ProbeGpu&);
    /// Variants, of which the quickest one differs between chips. Throws CudaFailure.
    std::vector<Workload> (*make)(const ProbeGpu&);
};

/// All probes in list order.
[[nodiscard]] std::span<const Probe* const> allProbes();

/// For probes that every GPU can run.
[[nodiscard]] inline std::string neverRefuses(const ProbeGpu&) { return {}; }
/// For probes without a known theoretical value.
[[nodiscard]] inline std::optional<double> unknownRate(const ProbeGpu&) { return std::nullopt; }

}  // namespace roofscope::kernels
