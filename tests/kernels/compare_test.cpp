// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare.h"

#include <cmath>
#include <limits>

#include "kernels/element.h"
#include "tests/support/catch.h"

using namespace roofscope::kernels;

namespace {

Check check(const std::vector<double>& actual, const std::vector<double>& reference,
            double tolerance, std::uint64_t unwritten = 0, std::uint64_t outside = 0) {
    return compare({.tensor = "out",
                    .actual = actual,
                    .reference = reference,
                    .tolerance = tolerance,
                    .unwritten = unwritten,
                    .outside = outside,
                    .place = [](std::size_t i) { return "i=" + std::to_string(i); }});
}

}  // namespace

TEST_CASE("the relative L2 error is the norm of the difference over the norm of the reference") {
    // Differences 0 and 0.5, reference norm 5.
    const Check c = check({3.0, 4.5}, {3.0, 4.0}, 0.2);
    CHECK(c.relativeL2 == Approx(0.1));
    CHECK(c.ok);
    CHECK(c.worst == "out[i=1]");
    CHECK_FALSE(check({3.0, 4.5}, {3.0, 4.0}, 0.09).ok);
}

TEST_CASE("equal arrays pass a tolerance of zero, unequal ones do not") {
    CHECK(check({1, 2}, {1, 2}, 0).ok);
    CHECK_FALSE(check({1, 2.0000001}, {1, 2}, 0).ok);
}

TEST_CASE("a NaN never passes and is the worst element") {
    const Check c = check({1, std::nan(""), 9}, {1, 2, 3}, 1e9);
    CHECK_FALSE(c.ok);
    CHECK(c.worst == "out[i=1]");
}

TEST_CASE("an unwritten element or a write outside fails even when the values agree") {
    CHECK_FALSE(check({1}, {1}, 1, 1, 0).ok);
    CHECK_FALSE(check({1}, {1}, 1, 0, 4).ok);
}

TEST_CASE("an all-zero reference is judged by the absolute error") {
    CHECK(check({0, 0}, {0, 0}, 0).ok);
    CHECK_FALSE(check({0, 1e-3}, {0, 0}, 1e-5).ok);
}

TEST_CASE("several outputs are ok together only, and the figures are of the worst") {
    const Check good = check({1, 2}, {1, 2}, 1e-5), bad = check({1, 3}, {1, 2}, 1e-5);
    CHECK(worstOf({good, good}).ok);
    CHECK_FALSE(worstOf({good, bad}).ok);
    CHECK(worstOf({good, bad}).worst == "out[i=1]");
    CHECK(worstOf({bad, good}).worst == "out[i=1]");
    // A wide tolerance does not hide a narrow one that is closer to failing.
    const Check wide = check({1.001}, {1}, 1e-2), narrow = check({1.00001}, {1}, 2e-5);
    CHECK(worstOf({wide, narrow}).tolerance == 2e-5);
}

TEST_CASE("bfloat16 rounds to nearest, ties to even, and keeps NaN") {
    CHECK(toBfloat16(1.0F) == 0x3F80);
    CHECK(fromBfloat16(0x3F80) == 1.0F);
    CHECK(toBfloat16(1.0F + 0x1p-8F) == 0x3F80);            // tie, even below
    CHECK(toBfloat16(1.0F + 0x1p-7F + 0x1p-8F) == 0x3F82);  // tie, even above
    CHECK(toBfloat16(1.0F + 0x1p-8F + 0x1p-20F) == 0x3F81);
    CHECK(std::isnan(fromBfloat16(toBfloat16(std::numeric_limits<float>::quiet_NaN()))));
}
