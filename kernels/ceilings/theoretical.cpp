// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/theoretical.h"

namespace roofscope::kernels {
namespace {

/// 0: there is none, or it differs between products of that compute capability.
struct Rates {
    int computeCapability;
    double fp64, fp32, fp16, tensorFp64, tensorTf32, tensorHalf, tensorByte;
};
constexpr Rates kRates[] = {
    {75, 4, 128, 256, 0, 0, 0, 0},               //
    {80, 64, 128, 512, 128, 1024, 2048, 4096},   // A100 white paper
    {86, 4, 256, 256, 0, 0, 0, 0},               //
    {89, 4, 256, 256, 0, 0, 0, 0},               //
    {90, 128, 256, 512, 256, 2048, 4096, 8192},  // H100 white paper
};

double rateOf(const Rates& rates, Pipe pipe) {
    switch (pipe) {
        case Pipe::Fp64:
            return rates.fp64;
        case Pipe::Fp32:
            return rates.fp32;
        case Pipe::Fp16:
            return rates.fp16;
        case Pipe::TensorFp64:
            return rates.tensorFp64;
        case Pipe::TensorTf32:
            return rates.tensorTf32;
        case Pipe::TensorHalf:
            return rates.tensorHalf;
        case Pipe::TensorByte:
            return rates.tensorByte;
    }
    return 0;
}

}  // namespace

std::optional<double> perSm(const ProbeGpu& gpu, std::optional<double> perClock) {
    if (!perClock || !gpu.smClockMax || gpu.smCount <= 0) return std::nullopt;
    return *perClock * gpu.smCount * gpu.smClockMax->value;
}

std::optional<double> l1BytesPerClock(const ProbeGpu& gpu) {
    for (const Rates& rates : kRates)
        if (rates.computeCapability == gpu.computeCapability)
            return gpu.computeCapability == 75 ? 64.0 : 128.0;
    return std::nullopt;
}

std::optional<double> operationsPerClock(const ProbeGpu& gpu, Pipe pipe) {
    for (const Rates& rates : kRates)
        if (rates.computeCapability == gpu.computeCapability)
            if (const double rate = rateOf(rates, pipe); rate > 0) return rate;
    return std::nullopt;
}

std::optional<double> dramBytesPerSecond(const ProbeGpu& gpu) {
    if (!gpu.memoryClockMax || !gpu.memoryBusBits) return std::nullopt;
    constexpr double kTransfersPerClock = 2, kBitsPerByte = 8;
    return gpu.memoryClockMax->value * kTransfersPerClock * *gpu.memoryBusBits / kBitsPerByte;
}

}  // namespace roofscope::kernels
