// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

// Also for host compilers: the tests divide on the CPU.
#ifdef __CUDACC__
#define ROOFSCOPE_DEVICE __host__ __device__
#else
#define ROOFSCOPE_DEVICE
#endif

namespace roofscope::kernels {

/// Division of 31-bit numbers by a number known at launch, as one multiplication and one shift: n /
/// d = n · ⌈2ᵖ / d⌉ / 2ᵖ with p = 31 + ⌈log₂ d⌉, exact for n < 2³¹ and 1 ≤ d < 2³¹ (Granlund and
/// Montgomery 1994).
class Divisor {
public:
    explicit Divisor(std::uint32_t d)
        : m_shift(31 + std::bit_width(d - 1)),
          m_multiplier(((std::uint64_t{1} << m_shift) + d - 1) / d),
          m_divisor(d) {}

    [[nodiscard]] ROOFSCOPE_DEVICE std::uint32_t quotient(std::uint32_t n) const {
        return static_cast<std::uint32_t>(n * m_multiplier >> m_shift);
    }
    [[nodiscard]] ROOFSCOPE_DEVICE std::uint32_t value() const { return m_divisor; }

private:
    int m_shift;
    std::uint64_t m_multiplier;  // below 2³² + 1, so that its product with 31 bits fits
    std::uint32_t m_divisor;
};

}  // namespace roofscope::kernels

#undef ROOFSCOPE_DEVICE
