// SPDX-License-Identifier: Apache-2.0
#include "analyzer/analysis.h"

namespace roofscope {

const char* toString(Level level) {
    switch (level) {
        case Level::Dram:
            return "DRAM";
        case Level::L2:
            return "L2";
        case Level::L1:
            return "L1";
        case Level::Shared:
            return "shared";
    }
    return "?";
}

const char* toString(Precision precision) {
    switch (precision) {
        case Precision::Fp64:
            return "FP64";
        case Precision::Fp32:
            return "FP32";
        case Precision::Fp16:
            return "FP16";
    }
    return "?";
}

const char* toString(TensorType type) {
    switch (type) {
        case TensorType::Fp64:
            return "FP64";
        case TensorType::Tf32:
            return "TF32";
        case TensorType::Bf16:
            return "BF16";
        case TensorType::Fp16:
            return "FP16";
        case TensorType::Fp8:
            return "FP8";
        case TensorType::Int8:
            return "INT8";
        case TensorType::Fp4:
            return "FP4";
    }
    return "?";
}

const char* toString(const Arithmetic& arithmetic) {
    if (const Precision* precision = arithmetic.precision()) return toString(*precision);
    switch (*arithmetic.tensor()) {
        case TensorType::Fp64:
            return "FP64 tensor";
        case TensorType::Tf32:
            return "TF32 tensor";
        case TensorType::Bf16:
            return "BF16 tensor";
        case TensorType::Fp16:
            return "FP16 tensor";
        case TensorType::Fp8:
            return "FP8 tensor";
        case TensorType::Int8:
            return "INT8 tensor";
        case TensorType::Fp4:
            return "FP4 tensor";
    }
    return "?";
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
    return {
        "L2 and L1 are counted as Nsight Compute does (--convention ncu): L2 = 32 B × read "
        "returns, no writes; L1 = 128 B × write-backs. So are their rates, shares of a roof, "
        "intensities and dots; verdicts and findings keep roofscope's counting",
        "L2 和 L1 按 Nsight Compute 的方式计数（--convention ncu）：L2 = 32 B × 读返回，不含写；L1 "
        "= 128 B × 写回。它们的速率、屋顶占比、算术强度和圆点也随之改变；判定和发现仍按 roofscope "
        "的计数"};
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
