// SPDX-License-Identifier: Apache-2.0
#include "kernels/matmul/matmul.h"

#include <algorithm>
#include <array>

#include "kernels/patterns/refusals.h"

namespace roofscope::kernels::matmul {
namespace {

Case matmulCase(std::int64_t m, std::int64_t n, std::int64_t k, DType dtype) {
    return {.shape = {{"M", m}, {"N", n}, {"K", k}}, .dtype = dtype};
}

}  // namespace

std::vector<Case> matmulCases() {
    std::vector<Case> cases;
    for (const DType dtype : {DType::F32, DType::BF16}) {
        cases.push_back(matmulCase(4096, 4096, 4096, dtype));
        cases.push_back(matmulCase(4095, 2047, 1023, dtype));
    }
    return cases;
}

std::vector<Case> matmulVerifyCases() {
    constexpr std::array<std::array<std::int64_t, 3>, 12> kExtents{{
        {256, 512, 192},  // whole tiles of every rung
        {256, 128, 96},
        {64, 64, 64},
        {136, 264, 40},  // rows in whole 16-byte pieces, partial tiles everywhere
        {4, 12, 20},
        {24, 8, 8},
        {129, 127, 131},  // rows start anywhere in a piece
        {33, 65, 17},
        {1, 1, 1},
        {1, 300, 1},
        {259, 1, 3},
        {2, 3, 4000},  // a long sum
    }};
    std::vector<Case> cases;
    for (const DType dtype : {DType::F32, DType::BF16})
        for (const auto& [m, n, k] : kExtents) cases.push_back(matmulCase(m, n, k, dtype));
    return cases;
}

std::vector<Case> onlyBf16(std::vector<Case> cases) {
    std::erase_if(cases, [](const Case& c) { return c.dtype != DType::BF16; });
    return cases;
}

std::string matmulRefusal(const Case& c) {
    if (c.dtype != DType::F32 && c.dtype != DType::BF16)
        return "element type " + std::string(name(c.dtype)) +
               " is not supported (f32 and bf16 are)";
    // Rows and columns have 32-bit indices, and the grid's second extent is at most 65535.
    constexpr std::int64_t kMaxExtent = 1 << 18, kMaxElements = std::int64_t{1} << 31;
    std::string refusal = patterns::firstOf(patterns::refuseOutside(c, "M", 1, kMaxExtent),
                                            patterns::refuseOutside(c, "N", 1, kMaxExtent),
                                            patterns::refuseOutside(c, "K", 1, kMaxExtent));
    if (!refusal.empty()) return refusal;
    const Extents e(c);
    if (std::max({e.m * e.k, e.k * e.n, e.m * e.n}) > kMaxElements)
        return "a matrix has more than 2^31 elements";
    return {};
}

Extents::Extents(const Case& c)
    : m(c.shape.at("M")),
      n(c.shape.at("N")),
      k(c.shape.at("K")),
      elementBytes(static_cast<std::int64_t>(kernels::elementBytes(c.dtype))) {}

double Extents::elements() const { return static_cast<double>(m * k + k * n + m * n); }

double Extents::products() const { return static_cast<double>(m * n) * static_cast<double>(k); }

bool Extents::rowsAlignedTo(std::int64_t bytes) const {
    return k * elementBytes % bytes == 0 && n * elementBytes % bytes == 0;
}

double rowPieceSectors(std::int64_t rows, std::int64_t columns, std::int64_t step,
                       std::int64_t elementBytes) {
    constexpr std::int64_t kSector = 32;
    std::int64_t sectors = 0;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; column += step) {
            const std::int64_t first = (row * columns + column) * elementBytes;
            const std::int64_t end = first + std::min(step, columns - column) * elementBytes;
            sectors += (end - 1) / kSector - first / kSector + 1;
        }
    return static_cast<double>(sectors);
}

}  // namespace roofscope::kernels::matmul
