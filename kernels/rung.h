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

/// The contract of the bundled kernels. A family is a ladder of rungs: one operator, from the
/// version that is written first to one near the hardware limit. Each rung is one file,
/// kernels/<family>/<rung>.cu, that defines `const Rung rungs::<family>_<rung>`; the build
/// collects them into allRungs().
namespace roofscope::kernels {

using Stream = CUstream_st*;

/// A known answer: what a counter must read after one launch of a case.
struct Expectation {
    std::string counter;     ///< CUPTI name with roll-up: "smsp__sass_data_bytes_mem_shared.sum".
    double value = 0.0;      ///< In the counter's own unit.
    double tolerance = 0.0;  ///< Largest |measured − value| / |value| allowed; 0 means exact.
    std::string formula;     ///< How the value follows from the shape, for people.
};

/// The outcome of comparing a launch with the CPU reference.
struct Check {
    bool ok = false;
    double relativeL2 = 0.0;  ///< ‖actual − reference‖₂ / ‖reference‖₂ of the worst output tensor.
    double tolerance = 0.0;  ///< The largest relativeL2 accepted.
    std::string worst;       ///< The element that is furthest off, or empty: "out[b=0,h=3,e=7]".
    std::uint64_t unwritten = 0;  ///< Elements that still hold the poison pattern.
    std::uint64_t outside = 0;    ///< Bytes written past the end of an output.
};

/// A rung with buffers for one case on the current device. Every method throws CudaFailure
/// (kernels/cuda_failure.h) when the CUDA runtime reports an error.
class Instance {
public:
    virtual ~Instance() = default;
    /// Queues one launch of the operator on the current input set.
    virtual void launch(Stream stream) = 0;
    /// Fills every output with a NaN pattern, so that elements never written are seen.
    virtual void poisonOutputs() = 0;
    /// Waits for the device and compares the outputs of the current input set with the reference,
    /// which is computed in double precision on the CPU.
    [[nodiscard]] virtual Check verify() = 0;
    /// The bytes that any implementation of the operator must move to and from DRAM.
    [[nodiscard]] virtual Bytes minimumBytes() const = 0;
    /// Goes on to the next copy of the inputs and outputs, so that repeated launches do not find
    /// them in the L2 cache. The copies hold equal values.
    virtual void rotate() = 0;
};

/// One implementation of one operator. Plain functions, so that the registry is constant data and
/// everything but `make` works without a driver.
struct Rung {
    std::string_view family;   ///< "lightning_attention_decode"
    std::string_view name;     ///< "naive"
    int order = 0;             ///< Position in the ladder, from 1.
    std::string_view summary;  ///< One sentence without a full stop.
    /// Identifier of the rule that must name this rung's fault as first or second finding, or
    /// empty when there is nothing to fix.
    std::string_view fault;
    /// The least compute capability of a GPU that can run it, times ten (90 for 9.0); 0 when any
    /// can. On an older GPU the rung is skipped, visibly.
    int minComputeCapability = 0;
    /// The cases that `run --all-shapes` runs; the first is the default.
    std::vector<Case> (*cases)();
    /// The cases that `verify` runs: small enough for the CPU reference, odd and tiny ones too.
    std::vector<Case> (*verifyCases)();
    /// Why a case is not supported, as a sentence without a full stop; empty when it is.
    std::string (*refusal)(const Case&);
    /// Allocates and fills the buffers: fresh random inputs per seed. Throws CudaFailure.
    std::unique_ptr<Instance> (*make)(const Case&, std::uint64_t seed);
    /// The known answers of one launch of a supported case. Counters that cannot be derived for a
    /// shape are left out, never guessed.
    std::vector<Expectation> (*expect)(const Case&);

    /// "lightning_attention_decode/naive".
    [[nodiscard]] std::string id() const { return std::string(family) + '/' + std::string(name); }
    /// The NVTX range around each profiled launch: "family/rung/B=64,H=64,D=96,E=96,bf16".
    [[nodiscard]] std::string range(const Case& c) const { return id() + '/' + c.id(); }
};

/// "9.0" for 90.
[[nodiscard]] std::string computeCapabilityText(int computeCapability);
/// Why a GPU of that compute capability (times ten) cannot run a rung, as a sentence without a full
/// stop; empty when it can.
[[nodiscard]] std::string skipReason(const Rung& rung, int computeCapability);

/// All rungs, by family and then by position in the ladder.
[[nodiscard]] std::span<const Rung* const> allRungs();

}  // namespace roofscope::kernels
