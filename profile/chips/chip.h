// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"
#include "profile/files/embedded_file.h"
#include "profile/model/units.h"

namespace roofscope {

struct Device;

/// What the hardware of some chips can do and others cannot.
enum class ChipFeature {
    AsyncCopies,      ///< "async_copies": cp.async, from global to shared memory
    Bf16TensorCores,  ///< "bf16_tensor_cores": BF16 and TF32
    Fp8TensorCores,   ///< "fp8_tensor_cores"
    Fp4TensorCores,   ///< "fp4_tensor_cores"
    BulkCopies,       ///< "bulk_copies": the tensor memory accelerator (TMA)
    Clusters,         ///< "clusters": of thread blocks, with distributed shared memory
    Wgmma,            ///< "wgmma": matrix products by a group of four warps
    TensorMemory,     ///< "tensor_memory": tcgen05
};

/// One term of a weighted sum of counters: weight × counter.
struct CounterTerm {
    std::string counter;
    double weight = 1.0;
};

/// What roofscope knows about a chip: `profile/chips/NAME.json` after inheritance.
///
/// `sums` are weighted sums of counters ("dram_bytes" = 1·dram__bytes_read.sum + …); ratios are
/// code. `peaks` are per-cycle peaks with the clock they count in ("dram" →
/// dram__bytes.sum.peak_sustained in cycles of dram__cycles_elapsed.avg.per_second), or a rate per
/// SM if a data sheet gives one for all products with the chip ("tensor_bf16" → 4096).
struct ChipTable {
    struct Group {
        std::vector<std::string> counters;
        int maxPasses = 0;  ///< of the counters, checked by a test; 0: no limit
    };
    struct Peak {
        std::string counter;  ///< "dram__bytes.sum.peak_sustained"; empty where perSm is known
        double weight = 1.0;  ///< bytes or operations per counted unit
        double perSm = 0;     ///< operations per SM and cycle by the data sheet; 0: use the counter
        std::string clock;    ///< counter that gives the clock in Hz
    };

    std::string chip;       ///< "GH100"
    std::string family;     ///< "sm_90"
    bool verified = true;   ///< false when it is a fallback for an unknown chip
    bool ofFamily = false;  ///< the chip has no table; this is its family's
    bool hasDramCounters = true;
    /// Latency of a load from busy DRAM, where known.
    std::optional<Seconds> dramLatency;
    /// Counters can be sampled while a kernel runs (CUPTI's PM sampling: GA10x and later).
    bool samplesOverTime = false;
    /// FP16 instructions run in the tensor pipe and count as time of that pipe.
    bool fp16InTensorPipe = false;
    /// Sectors that an L2 slice can return in the time in which it takes in one sector or request,
    /// where known.
    std::optional<double> l2ReturnsPerArrival;
    /// L2 cycles between two floating-point atomic additions to the same address, where known. The
    /// atomic unit counts as busy in only one of them.
    std::optional<double> floatAtomicCycles;
    /// Most blocks that the whole GPU starts per second, where measured: the highest rate among
    /// recorded kernels that several different kernels reach.
    std::optional<double> blockStartsPerSecond;
    /// Peak rates of an SM per clock, from NVIDIA's documents: operations of "fp64", "fp32" and
    /// "fp16" (a multiply-add is two) and "l1_bytes" read. Not inherited by other families.
    std::map<std::string, double> perSmClock;
    /// Operations of the tensor pipe in a cycle in which it is busy, as a part of the roof of their
    /// type, by instruction: "wgmma", "fp64", "mma_k32" and "mma_k16" (mma.sync that takes 32 or 16
    /// bytes of a row), where measured. Not inherited by other families.
    std::map<std::string, double> tensorPerBusyCycle;
    /// What the chip can do. A feature that is not listed is unknown.
    std::map<ChipFeature, bool> features;
    std::map<std::string, Group> groups;
    std::map<std::string, std::vector<CounterTerm>> sums;
    std::map<std::string, Peak> peaks;
    std::vector<std::string> notes;  ///< in English, shown in reports
    /// Counters of the family that this chip lacks, by base name ("dram__bytes_read"), and why.
    /// They are left out of groups; sums and peaks that need them are dropped.
    std::map<std::string, std::string> absent;
};

/// Names of all chips that have a table ("GH100", …), sorted.
[[nodiscard]] std::vector<std::string> knownChips();

/// The table of a chip. An unknown chip gets the table of its compute capability's family, marked
/// unverified. Error: the family is unknown, too.
Result<ChipTable> chipTable(std::string_view chip, int computeMajor = 0, int computeMinor = 0);

/// The table of the chip of a GPU.
Result<ChipTable> chipTable(const Device& device);

/// Whether the chip of a GPU has a feature. Empty if no table says so, for example for a compute
/// capability that this build does not know.
[[nodiscard]] std::optional<bool> chipHas(const Device& device, ChipFeature feature);

/// The counter groups of a chip that contain these counters (names separated by commas, as in
/// Derived::missing), each once, sorted; only "default" if it contains them all. Names that no
/// group has are left out.
[[nodiscard]] std::vector<std::string> counterGroupsWith(const ChipTable& chip,
                                                         std::string_view counters);

/// Like chipTable(), but from `files` instead of the built-in ones. Each file is `{"chip" or
/// "family": name, "inherits": parent, "rename": {…}, "absent": {…}, "groups": {…}, "sums": {…},
/// "peaks": {…}, "notes": [text], "dram_counters": bool, "dram_latency_ns": number,
/// "fp16_in_tensor_pipe": bool, "samples_over_time": bool, "l2_returns_per_arrival": number,
/// "float_atomic_cycles": number, "block_starts_per_us": number, "per_sm_clock": {…},
/// "tensor_per_busy_cycle": {…}, "features": {"wgmma": bool, …}, "verified": bool}`; see
/// docs/metrics.md. Inheritance cycles, unknown parents and unknown keys are errors.
Result<ChipTable> chipTableFrom(std::span<const EmbeddedFile> files, std::string_view chip,
                                int computeMajor = 0, int computeMinor = 0);

/// "dram__bytes_read.sum" → "dram__bytes_read": the counter without roll-up and submetric.
[[nodiscard]] std::string_view baseCounter(std::string_view counter);

}  // namespace roofscope
