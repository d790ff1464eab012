// SPDX-License-Identifier: Apache-2.0
#include "kernels/causal_linear_attention/causal.h"

#include <algorithm>

#include "kernels/patterns/refusals.h"

namespace roofscope::kernels::causal {
namespace {

/// Refuses widths other than 32, 64 and 128: rungs keep the state in registers, so the compiler
/// must know its size.
std::string refuseWidth(const Case& c, const char* extent) {
    if (!c.shape.has(extent)) return "the shape has no extent " + std::string(extent);
    const std::int64_t width = c.shape.at(extent);
    if (width == 32 || width == 64 || width == kMaxWidth) return {};
    return std::string(extent) + " = " + std::to_string(width) + " is not 32, 64 or 128";
}

}  // namespace

Case causalCase(std::int64_t batch, std::int64_t heads, std::int64_t length, std::int64_t keyWidth,
                std::int64_t valueWidth) {
    return {
        .shape = {{"B", batch}, {"H", heads}, {"L", length}, {"E", keyWidth}, {"M", valueWidth}},
        .dtype = DType::F32};
}

std::vector<Case> causalCases() {
    return {causalCase(16, 16, 1024, 64, 64), causalCase(4, 8, 1024, 64, 64),
            causalCase(1, 8, 4096, 64, 64), causalCase(16, 16, 1024, 32, 32),
            causalCase(16, 16, 1024, 128, 128)};
}

std::vector<Case> causalVerifyCases() {
    std::vector<Case> cases{
        causalCase(1, 1, 1, 64, 64),
        causalCase(1, 1, 2, 32, 32),
        causalCase(1, 1, 1, 128, 128),
        causalCase(1, 1, 4096, 64, 64),
        causalCase(1, 3, 1023, 64, 64),
        causalCase(2, 2, 129, 128, 128),
        causalCase(2, 3, 257, 32, 32),
        causalCase(1, 2, 33, 64, 64),
        causalCase(3, 1, 7, 128, 64),
        causalCase(1, 1, 1000, 128, 128),
        // Enough heads to fill a GPU, with odd lengths.
        causalCase(9, 16, 71, 64, 64),
        causalCase(9, 16, 150, 32, 32),
        causalCase(9, 16, 37, 128, 128),
        causalCase(300, 1, 1, 32, 32),
    };
    for (const int e : {32, 64, 128})
        for (const int m : {32, 64, 128})
            if (e != m) cases.push_back(causalCase(2, 1, 301, e, m));
    return cases;
}

std::string causalRefusal(const Case& c) {
    const std::string refusal = patterns::firstOf(
        patterns::refuseOtherTypes(c, DType::F32), refuseWidth(c, "E"), refuseWidth(c, "M"),
        // Batches and heads are grid extents in y and z.
        patterns::refuseOutside(c, "B", 1, 65535), patterns::refuseOutside(c, "H", 1, 65535),
        patterns::refuseOutside(c, "L", 1, std::int64_t{1} << 24));
    if (!refusal.empty()) return refusal;
    // Heads and positions have 32-bit indices.
    constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;
    const std::int64_t positions = c.shape.at("B") * c.shape.at("H") * c.shape.at("L");
    if (positions * std::max(c.shape.at("E"), c.shape.at("M")) > kMaxElements)
        return "B·H·L·E or B·H·L·M is more than 2^31 elements";
    return {};
}

double minimumTraffic(const Case& c) {
    const auto positions = static_cast<double>(c.shape.at("B") * c.shape.at("H") * c.shape.at("L"));
    return sizeof(float) * positions *
           static_cast<double>(2 * c.shape.at("E") + 2 * c.shape.at("M"));
}

}  // namespace roofscope::kernels::causal
