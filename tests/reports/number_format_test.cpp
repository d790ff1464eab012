// SPDX-License-Identifier: Apache-2.0
#include "reports/language/number_format.h"

#include <limits>

#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("numbers have three significant digits and SI prefixes") {
    CHECK(formatNumber(4.26e12, Unit::BytesPerSecond) == "4.26 TB/s");
    CHECK(formatNumber(12.34e-6, Unit::Seconds) == "12.3 µs");
    CHECK(formatNumber(0.9394, Unit::Share) == "93.9 %");
    CHECK(formatNumber(16.5, Unit::Ways) == "16.5-way");
    CHECK(formatNumber(32, Unit::Ways) == "32-way");
    CHECK(formatNumber(67108864, Unit::Count) == "67.1 M");
    CHECK(formatNumber(1.5, Unit::Factor) == "1.50×");
    CHECK(formatNumber(1.755e9, Unit::Hertz) == "1.76 GHz");
    CHECK(formatNumber(59.3e12, Unit::FlopsPerSecond) == "59.3 TFLOP/s");
    CHECK(formatNumber(268435456, Unit::Bytes) == "268 MB");
    CHECK(formatNumber(512, Unit::Bytes) == "512 B");
    CHECK(formatIntensity(0.125) == "0.125 FLOP/B");
}

TEST_CASE("whole counts are exact while they are short") {
    CHECK(formatNumber(0, Unit::Count) == "0");
    CHECK(formatNumber(132, Unit::Count) == "132");
    CHECK(formatNumber(65536, Unit::Count) == "65,536");
    CHECK(formatNumber(433376, Unit::Count) == "433,376");
    CHECK(formatNumber(999999, Unit::Count) == "999,999");
    CHECK(formatNumber(999999.7, Unit::Count) == "1 M");
    CHECK(formatNumber(1070.3, Unit::Count) == "1,070");
    CHECK(formatExact(232448) == "232,448");
    CHECK(formatExact(1000000) == "1,000,000");
}

TEST_CASE("rounding chooses the prefix of the number that is shown") {
    CHECK(formatNumber(999.7e9, Unit::BytesPerSecond) == "1.00 TB/s");
    CHECK(formatNumber(999.96e-6, Unit::Seconds) == "1.00 ms");
    CHECK(formatNumber(1e-6, Unit::Seconds) == "1.00 µs");
    CHECK(formatNumber(1e-9, Unit::Seconds) == "1.00 ns");
    CHECK(formatNumber(99.96e12, Unit::FlopsPerSecond) == "100 TFLOP/s");
}

TEST_CASE("small shares are not shown as nothing and nothing is not shown as small") {
    CHECK(formatNumber(0, Unit::Share) == "0 %");
    CHECK(formatNumber(0.004, Unit::Share) == "0.4 %");
    CHECK(formatNumber(1e-6, Unit::Share) == "< 0.01 %");
    CHECK(formatNumber(1, Unit::Share) == "100 %");
    CHECK(formatNumber(1.07, Unit::Share) == "107 %");
}

TEST_CASE("there is no negative zero and no nan in a report") {
    for (const Unit unit : {Unit::Count, Unit::Bytes, Unit::Seconds, Unit::Share, Unit::Factor,
                            Unit::Ways, Unit::BytesPerSecond, Unit::FlopsPerSecond, Unit::Hertz}) {
        CHECK(formatNumber(-0.0, unit).find('-') == (unit == Unit::Ways ? 1 : std::string::npos));
        CHECK(formatNumber(std::numeric_limits<double>::quiet_NaN(), unit) == "n/a");
        CHECK(formatNumber(std::numeric_limits<double>::infinity(), unit) == "n/a");
        for (const double value : {1e-300, 1e300, 5e-324, 1.7e308})
            CHECK(formatNumber(value, unit).size() < 40);
    }
    CHECK(formatNumber(-0.001, Unit::Count) == "-0.001");
}

TEST_CASE("missing is said with its counters, not applicable is n/a") {
    CHECK(formatDerived(Derived<Ratio>::none(), Unit::Share, Language::En) == "n/a");
    CHECK(formatDerived(Derived<Ratio>::absent("a.sum"), Unit::Share, Language::En) ==
          "not measured (a.sum)");
    CHECK(formatMissing("a.sum, b.sum, c.sum, d.sum", Language::En) ==
          "not measured (a.sum, b.sum and 2 more)");
    CHECK(formatDerived(Derived<Ratio>::of({0.5}, ""), Unit::Share, Language::En) == "50 %");
}
