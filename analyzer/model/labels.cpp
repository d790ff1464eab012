// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/analysis.h"

namespace roofscope {

// Names in the order of the enumerators; the assertion fails if one is missing.
const char* toString(Level level) {
    constexpr PerLevel<const char*> kNames{{"DRAM", "L2", "L1", "shared"}};
    static_assert(kNames.items.back());
    return kNames[level];
}

const char* toString(Precision precision) {
    constexpr PerPrecision<const char*> kNames{{"FP64", "FP32", "FP16"}};
    static_assert(kNames.items.back());
    return kNames[precision];
}

const char* toString(TensorType type) {
    constexpr PerTensorType<const char*> kNames{
        {"FP64", "TF32", "BF16", "FP16", "FP8", "INT8", "FP4"}};
    static_assert(kNames.items.back());
    return kNames[type];
}

const char* toString(const Arithmetic& arithmetic) {
    if (const Precision* precision = arithmetic.precision()) return toString(*precision);
    constexpr PerTensorType<const char*> kNames{{"FP64 tensor", "TF32 tensor", "BF16 tensor",
                                                 "FP16 tensor", "FP8 tensor", "INT8 tensor",
                                                 "FP4 tensor"}};
    static_assert(kNames.items.back());
    return kNames[*arithmetic.tensor()];
}

const char* toString(Convention convention) {
    return convention == Convention::Ncu ? "ncu" : "roofscope";
}

std::optional<Convention> parseConvention(std::string_view name) {
    for (const Convention convention : {Convention::Roofscope, Convention::Ncu})
        if (name == toString(convention)) return convention;
    return std::nullopt;
}

Words conventionNote(Convention convention) {
    if (convention == Convention::Roofscope) return {};
    return Words(
        "L2 and L1 follow Nsight Compute's counting (--convention ncu): L2 = 32 B × read returns, "
        "no writes; L1 = 128 B × write-backs. This also applies to their rates, roof shares, "
        "intensities and dots; verdicts and findings keep roofscope's counting");
}

const char* toString(ResourceId id) {
    switch (id) {
        case ResourceId::Dram:
            return "DRAM";
        case ResourceId::L2:
            return "L2";
        case ResourceId::L2Tags:
            return "L2 tags";
        case ResourceId::L2Atomics:
            return "L2 atomics";
        case ResourceId::L1:
            return "L1";
        case ResourceId::L1DataPipe:
            return "L1 data pipe";
        case ResourceId::SharedPipe:
            return "shared pipe";
        case ResourceId::LsuRequests:
            return "LSU requests";
        case ResourceId::Fp64:
            return "FP64";
        case ResourceId::Fp32:
            return "FP32";
        case ResourceId::Fp16:
            return "FP16";
        case ResourceId::Tensor:
            return "tensor";
        case ResourceId::Integer:
            return "integer";
        case ResourceId::SpecialFunction:
            return "special functions";
        case ResourceId::Issue:
            return "instruction issue";
        case ResourceId::BlockStarts:
            return "block start rate";
        case ResourceId::MemoryTotal:
            return "memory throughput";
        case ResourceId::SmTotal:
            return "SM throughput";
    }
    return "";
}

const char* toString(OccupancyLimiter limiter) {
    switch (limiter) {
        case OccupancyLimiter::None:
            return "none";
        case OccupancyLimiter::Registers:
            return "registers";
        case OccupancyLimiter::SharedMemory:
            return "shared memory";
        case OccupancyLimiter::BlockSize:
            return "block size";
        case OccupancyLimiter::BlocksPerSm:
            return "blocks per SM";
    }
    return "?";
}

const char* toString(DurationSource source) {
    switch (source) {
        case DurationSource::TimingRun:
            return "timing-run";
        case DurationSource::CounterRun:
            return "counter-run";
        case DurationSource::Trace:
            break;
    }
    return "imported-trace";
}

const char* toString(VerdictClass cls) {
    switch (cls) {
        case VerdictClass::LaunchBound:
            return "launch-bound";
        case VerdictClass::Underfilled:
            return "underfilled";
        case VerdictClass::NearRoof:
            return "near-roof";
        case VerdictClass::MemoryBound:
            return "memory-bound";
        case VerdictClass::ComputeBound:
            return "compute-bound";
        case VerdictClass::Balanced:
            return "balanced";
        case VerdictClass::LatencyBound:
            return "latency-bound";
        case VerdictClass::WaitsForPeers:
            return "waits-for-peers";
        case VerdictClass::WaitsForPages:
            return "waits-for-pages";
        case VerdictClass::Unknown:
            return "unknown";
    }
    return "?";
}

const char* toString(Confidence confidence) {
    switch (confidence) {
        case Confidence::Low:
            return "low";
        case Confidence::Medium:
            return "medium";
        case Confidence::High:
            return "high";
    }
    return "?";
}

}  // namespace roofscope
