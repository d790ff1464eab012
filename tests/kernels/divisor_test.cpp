// SPDX-License-Identifier: Apache-2.0
#include "kernels/divisor.h"

#include "tests/support/catch.h"

using roofscope::kernels::Divisor;

TEST_CASE("a divisor divides exactly, at the edges of quotients and of the range") {
    constexpr std::uint32_t kLargest = 0x7FFFFFFF;
    for (std::uint32_t d : {1u, 2u, 3u, 5u, 7u, 16u, 96u, 641u, 1000u, 65535u, 65536u, 1000003u,
                            0x40000000u, 0x40000001u, kLargest}) {
        const Divisor divisor(d);
        CHECK(divisor.value() == d);
        std::uint32_t wrong = 0;
        const auto check = [&](std::uint64_t n) {
            if (n <= kLargest) wrong += divisor.quotient(static_cast<std::uint32_t>(n)) != n / d;
        };
        // Rounding errors show first at multiples and just below.
        for (std::uint64_t k = 0; k < 100'000; ++k) {
            const std::uint64_t multiple = k * d,
                                high =
                                    (kLargest / d - std::min<std::uint64_t>(k, kLargest / d)) * d;
            for (const std::uint64_t n :
                 {multiple, multiple + 1, multiple + d - 1, high, high + d - 1})
                check(n);
        }
        check(kLargest);
        INFO("divisor " << d);
        CHECK(wrong == 0);
    }
}
