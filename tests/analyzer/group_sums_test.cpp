// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <vector>

#include "analyzer/counters/group_sums.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

constexpr std::size_t kRows = 30'000;
constexpr const char* kReads = "dram__bytes_read.sum";
constexpr const char* kTime = "gpu__time_duration.sum";

/// reads = row, time = 2 × row + 1; every 7th row has no reads.
CounterTable table() {
    std::vector<double> reads, time;
    for (std::size_t row = 0; row < kRows; ++row) {
        reads.push_back(row % 7 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                     : static_cast<double>(row));
        time.push_back(2 * static_cast<double>(row) + 1);
    }
    CounterTable counters(kRows);
    counters.addColumn(kReads, std::move(reads));
    counters.addColumn(kTime, std::move(time));
    return counters;
}

std::vector<std::uint32_t> everyNth(std::uint32_t step) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 1; row < kRows; row += step) rows.push_back(row);
    return rows;
}

}  // namespace

// Values of many launches that lie far apart are copied together once. Few values and neighbours
// are read in place.
TEST_CASE("Sums are the same however far apart the launches of a group lie", "[group-sums]") {
    const CounterTable counters = table();
    for (const std::uint32_t step : {1U, 3U, 4U, 5U, 20U, 2000U}) {
        INFO("every " << step << "th launch");
        const auto rows = everyNth(step);
        const GroupSums sums(counters, rows);
        double reads = 0, time = 0;
        std::size_t launches = 0;
        for (const std::uint32_t row : rows) {
            if (row % 7 == 0) continue;
            reads += row;
            time += 2.0 * row + 1;
            ++launches;
        }
        for (int again = 0; again < 2; ++again) {
            const auto joint = sums.joint({kReads, kTime});
            CHECK(joint.launches == launches);
            CHECK(joint[0] == reads);
            CHECK(joint[1] == time);
        }
        const std::vector<double> times = sums.perLaunch(kTime);
        REQUIRE(times.size() == rows.size());
        CHECK(times.back() == 2.0 * rows.back() + 1);
        CHECK_FALSE(sums.joint({kReads, "lts__no_such_counter.sum"}).ok());
    }
}
