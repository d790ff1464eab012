// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/case.h"
#include "profile/model/units.h"

struct CUstream_st;  // cudaStream_t, named without the CUDA headers

/// The interface of the bundled kernels. A family is a ladder of rungs: one operator, from the
/// obvious first version to one near the hardware limit. Each rung is one file,
/// kernels/<family>/<rung>.cu, that defines `const Rung rungs::<family>_<rung>`; the build collects
/// them into allRungs().
namespace roofscope::kernels {

using Stream = CUstream_st*;

/// A known answer: what a counter must read after one launch of a case.
struct Expectation {
    std::string counter;     ///< CUPTI name with roll-up: "smsp__sass_data_bytes_mem_shared.sum".
    double value = 0.0;      ///< In the counter's own unit.
    double tolerance = 0.0;  ///< Largest |measured − value| / |value| allowed; 0 means exact.
    std::string formula;     ///< How the value follows from the shape, as text.
};

/// The outcome of comparing a launch with the CPU reference.
struct Check {
    bool ok = false;
    double relativeL2 = 0.0;  ///< ‖actual − reference‖₂ / ‖reference‖₂ of the worst output tensor.
    double tolerance = 0.0;  ///< The largest relativeL2 accepted.
    std::string worst;       ///< The element with the largest error, or empty: "out[b=0,h=3,e=7]".
    std::uint64_t unwritten = 0;  ///< Elements that still hold the poison pattern.
    std::uint64_t outside = 0;    ///< Bytes written past the end of an output.
};

/// A rung with buffers for one case on the current device. Every method throws CudaFailure
/// (kernels/cuda_failure.h) if the CUDA runtime reports an error.
class Instance {
public:
    virtual ~Instance() = default;
    /// Queues one launch of the operator on the current input set.
    virtual void launch(Stream stream) = 0;
    /// Fills every output with a NaN pattern, so that unwritten elements are noticed.
    virtual void poisonOutputs() = 0;
    /// Waits for the device and compares the current outputs with the reference, which is computed
    /// in double precision on the CPU.
    [[nodiscard]] virtual Check verify() = 0;
    /// The bytes that any implementation of the operator must move to and from DRAM.
    [[nodiscard]] virtual Bytes minimumBytes() const = 0;
    /// Advances to the next copy of inputs and outputs, so that repeated launches do not find them
    /// in the L2. All copies have equal values.
    virtual void rotate() = 0;
};

/// One implementation of an operator. Plain functions, so that the registry is constant data and
/// everything but `make` works without a driver.
struct Rung {
    std::string_view family;   ///< "lightning_attention_decode"
    std::string_view name;     ///< "naive"
    int order = 0;             ///< Position in the ladder, from 1.
    std::string_view summary;  ///< One sentence without a full stop.
    /// Id of the rule that must report this rung's fault as first or second finding; empty if there
    /// is nothing to fix.
    std::string_view fault;
    /// The least compute capability of a GPU that can run it, times ten (90 for 9.0); 0 if any can.
    /// On older GPUs the rung is skipped, and this is reported.
    int minComputeCapability = 0;
    /// The cases that `run --all-shapes` runs; the first is the default.
    std::vector<Case> (*cases)();
    /// The cases for `verify`: small enough for the CPU reference, including odd and tiny ones.
    std::vector<Case> (*verifyCases)();
    /// Why a case is not supported, as a sentence without a full stop; empty if it is.
    std::string (*refusal)(const Case&);
    /// Allocates and fills the buffers: fresh random inputs per seed. Throws CudaFailure.
    std::unique_ptr<Instance> (*make)(const Case&, std::uint64_t seed);
    /// The known answers for one launch of a supported case. Counters that cannot be derived for a
    /// shape are left out rather than guessed.
    std::vector<Expectation> (*expect)(const Case&);

    /// "lightning_attention_decode/naive".
    [[nodiscard]] std::string id() const { return std::string(family) + '/' + std::string(name); }
    /// The NVTX range around each profiled launch: "family/rung/B=64,H=64,D=96,E=96,bf16".
    [[nodiscard]] std::string range(const Case& c) const { return id() + '/' + c.id(); }
};

/// "9.0" for 90.
[[nodiscard]] std::string computeCapabilityText(int computeCapability);
/// Why a GPU of this compute capability (times ten) cannot run a rung, as a sentence without a full
/// stop; empty if it can.
[[nodiscard]] std::string skipReason(const Rung& rung, int computeCapability);

/// All rungs, by family and position in the ladder.
[[nodiscard]] std::span<const Rung* const> allRungs();

}  // namespace roofscope::kernels
