// SPDX-License-Identifier: Apache-2.0
#include "kernels/lightning_attention_decode/decode_step.h"

#include <algorithm>
#include <limits>

#include "kernels/counters.h"
#include "kernels/dram_expectation.h"

namespace roofscope::kernels::lightning {
namespace {

Case decodeCase(std::int64_t b, std::int64_t h, std::int64_t d, std::int64_t e, DType dtype) {
    return {.shape = {{"B", b}, {"H", h}, {"D", d}, {"E", e}}, .dtype = dtype};
}

}  // namespace

std::vector<Case> decodeCases() {
    std::vector<Case> cases;
    for (const DType dtype : {DType::BF16, DType::F32})
        for (const int batch : {64, 1, 4, 16, 256})
            cases.push_back(decodeCase(batch, 64, 96, 96, dtype));
    return cases;
}

std::vector<Case> decodeVerifyCases() {
    std::vector<Case> cases;
    for (const DType dtype : {DType::F32, DType::BF16}) {
        cases.push_back(decodeCase(1, 64, 96, 96, dtype));
        cases.push_back(decodeCase(4, 64, 96, 96, dtype));
        cases.push_back(decodeCase(17, 64, 96, 96, dtype));  // more blocks than one wave
        cases.push_back(decodeCase(3, 5, 33, 47, dtype));
        cases.push_back(decodeCase(2, 3, 7, 12, dtype));
        cases.push_back(decodeCase(1, 1, 1, 1, dtype));
        cases.push_back(decodeCase(2, 2, 128, 128, dtype));
        cases.push_back(decodeCase(1, 3, 127, 5, dtype));
        cases.push_back(decodeCase(1, 2, 2, 127, dtype));
        cases.push_back(decodeCase(1, 1100, 5, 100, dtype));  // one batch, more than one wave
    }
    return cases;
}

std::string decodeRefusal(const Case& c) {
    if (c.dtype != DType::F32 && c.dtype != DType::BF16)
        return "element type " + std::string(name(c.dtype)) +
               " is not supported (f32 and bf16 are)";
    for (const char* extent : {"B", "H", "D", "E"})
        if (!c.shape.has(extent) || c.shape.at(extent) < 1)
            return std::string(extent) + " must be at least 1";
    for (const char* extent : {"D", "E"})
        if (c.shape.at(extent) > kMaxWidth)
            return std::string(extent) + " = " + std::to_string(c.shape.at(extent)) +
                   " is more than 128, the widest head this family supports";
    // The grid has one block per matrix in x; index arithmetic uses int for the matrix number.
    const std::int64_t b = c.shape.at("B"), h = c.shape.at("H");
    if (b > std::numeric_limits<std::int32_t>::max() / h)
        return "B·H is more than 2^31 - 1 matrices";
    return {};
}

double minimumTraffic(const Case& c) {
    const double matrices = static_cast<double>(c.shape.at("B")) * c.shape.at("H");
    const double d = c.shape.at("D"), e = c.shape.at("E");
    return matrices * (2 * d * e * sizeof(float) +
                       (2 * d + 2 * e) * static_cast<double>(elementBytes(c.dtype)));
}

std::vector<Expectation> expectDecode(const Case& c,
                                      const std::function<AccessCounts(const BlockView&)>& tally,
                                      const DecodeFormulas& formulas) {
    const std::int64_t matrices = c.shape.at("B") * c.shape.at("H");
    const std::int64_t d = c.shape.at("D"), e = c.shape.at("E");
    const int s = static_cast<int>(elementBytes(c.dtype));

    // Buffers are 256-byte aligned. A head's rows start at multiples of D·s, E·s and 4·D·E bytes,
    // whose position within a 32-byte sector repeats every 16 heads at the latest (s ≥ 2).
    constexpr std::int64_t kPeriod = 16;
    AccessCounts total;
    for (std::int64_t m = 0; m < std::min(matrices, kPeriod); ++m) {
        const BlockView view{.keyWidth = static_cast<int>(d),
                             .valueWidth = static_cast<int>(e),
                             .elementBytes = s,
                             .q = m * d * s,
                             .k = m * d * s,
                             .v = m * e * s,
                             .out = m * e * s,
                             .kv = m * d * e * 4};
        total.add(tally(view), static_cast<double>((matrices - m + kPeriod - 1) / kPeriod));
    }

    std::vector<Expectation> list{
        {counter::kGlobalLoadBytes, total.globalLoadBytes, 0, formulas.globalLoadBytes},
        {counter::kGlobalStoreBytes, total.globalStoreBytes, 0, formulas.globalStoreBytes},
        {counter::kGlobalLoadSectors, total.globalLoadSectors, 0, formulas.globalLoadSectors},
        {counter::kGlobalStoreSectors, total.globalStoreSectors, 0, formulas.globalStoreSectors},
    };
    if (!formulas.sharedLoadWavefronts.empty())
        list.push_back({counter::kSharedLoadWavefronts, total.sharedLoadWavefronts, 0,
                        formulas.sharedLoadWavefronts});
    if (!formulas.sharedStoreWavefronts.empty())
        list.push_back({counter::kSharedStoreWavefronts, total.sharedStoreWavefronts, 0,
                        formulas.sharedStoreWavefronts});
    list.push_back({counter::kLocalBytes, 0, 0, "no spills, no local arrays"});
    if (formulas.operations > 0) {
        // expf() takes 4 fused multiply-adds with CUDA 13; twice that is allowed.
        constexpr double kExponential = 8;
        const double perMatrix = formulas.operations * static_cast<double>(d * e);
        list.push_back({counter::kFp32Fma, static_cast<double>(matrices) * perMatrix,
                        kExponential * formulas.threads / perMatrix,
                        "2·B·H·D·E, plus a few per thread for the exponential"});
    }
    if (formulas.streams) {
        const double kv = static_cast<double>(matrices * d * e) * sizeof(float);
        expectDram(list, kv + static_cast<double>(matrices * (2 * d + e) * s),
                   kv + static_cast<double>(matrices * e * s), "B·H·(4·D·E + (2·D + E)·s)",
                   "B·H·(4·D·E + E·s)");
    }
    return list;
}

}  // namespace roofscope::kernels::lightning
