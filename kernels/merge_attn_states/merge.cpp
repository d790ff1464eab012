// SPDX-License-Identifier: Apache-2.0
#include "kernels/merge_attn_states/merge.h"

#include "kernels/patterns/refusals.h"

namespace roofscope::kernels::merge {

Case mergeCase(std::int64_t tokens, std::int64_t heads, std::int64_t width, DType dtype, bool lse) {
    return {.shape = {{"T", tokens}, {"H", heads}, {"S", width}, {"lse", lse ? 1 : 0}},
            .dtype = dtype};
}

std::vector<Case> mergeCases() {
    std::vector<Case> cases;
    for (const int tokens : {65536, 4096, 512})
        for (const int width : {128, 64, 32})
            cases.push_back(mergeCase(tokens, 16, width, DType::BF16));
    for (const DType dtype : {DType::F16, DType::F32})
        cases.push_back(mergeCase(65536, 16, 128, dtype));
    return cases;
}

std::vector<Case> mergeVerifyCases() {
    std::vector<Case> cases;
    for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
        cases.push_back(mergeCase(512, 16, 128, dtype));
        cases.push_back(mergeCase(512, 16, 64, dtype, false));
        cases.push_back(mergeCase(33, 5, 32, dtype));
        cases.push_back(mergeCase(7, 3, 24, dtype));
        cases.push_back(mergeCase(1, 1, 8, dtype));
        cases.push_back(mergeCase(2, 300, 8, dtype));
        cases.push_back(mergeCase(129, 1, 40, dtype));
        cases.push_back(mergeCase(3, 2, 1000, dtype, false));
    }
    return cases;
}

std::string mergeRefusal(const Case& c) {
    if (c.dtype != DType::F32 && c.dtype != DType::F16 && c.dtype != DType::BF16)
        return "element type " + std::string(name(c.dtype)) +
               " is not supported (f32, f16 and bf16 are)";
    const std::string refusal = patterns::firstOf(
        patterns::refuseOutside(c, "T", 1, std::int64_t{1} << 24),
        patterns::refuseOutside(c, "H", 1, 1024), patterns::refuseOutside(c, "S", 1, 1024),
        patterns::refuseOutside(c, "lse", 0, 1));
    if (!refusal.empty()) return refusal;
    // Rows and 16-byte pieces have 32-bit indices.
    constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;
    if (c.shape.at("T") * c.shape.at("H") * c.shape.at("S") > kMaxElements)
        return "T·H·S is more than 2^31 elements";
    return {};
}

Traffic minimumTraffic(const Case& c) {
    const auto rows = static_cast<double>(c.shape.at("T") * c.shape.at("H"));
    const double row =
        static_cast<double>(c.shape.at("S")) * static_cast<double>(elementBytes(c.dtype));
    return {.read = rows * (2 * row + 2 * sizeof(float)),
            .written = rows * (row + (c.shape.at("lse") != 0 ? sizeof(float) : 0))};
}

}  // namespace roofscope::kernels::merge
