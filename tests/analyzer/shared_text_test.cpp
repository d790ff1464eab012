// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/counters/counter_lookup.h"
#include "analyzer/language/words.h"
#include "analyzer/model/derived.h"
#include "tests/support/catch.h"

using namespace roofscope;

// Texts are found by their address first, where another text may stand by now.
TEST_CASE("Shared texts are told by what they say, not by where they stand", "[shared-text]") {
    std::array<char, 5> place{'a', 'b', 'c', 'd', '\0'};
    const SharedText first(place.data());
    place[0] = 'x';
    const SharedText second(place.data());
    CHECK(first.str() == "abcd");
    CHECK(second.str() == "xbcd");
    CHECK_FALSE(first == second);
    CHECK(second == SharedText(std::string("xbcd")));
    CHECK(SharedText("").empty());
    CHECK(SharedText().str().empty());
    // More than one block of them.
    std::vector<SharedText> many;
    for (int i = 0; i < 5000; ++i) many.emplace_back("text " + std::to_string(i));
    for (int i = 0; i < 5000; ++i)
        CHECK(many[static_cast<std::size_t>(i)].str() == "text " + std::to_string(i));
}

TEST_CASE("An optional number holds every number, and nothing is none of them", "[shared-text]") {
    CHECK_FALSE(OptionalNumber<double>().has_value());
    CHECK_FALSE(OptionalNumber<double>(std::nullopt).has_value());
    for (const double value :
         {0.0, -0.0, 1e308, std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN()}) {
        const OptionalNumber<double> held(value);
        CHECK(held.has_value());
        CHECK(std::optional<double>(held).has_value());
    }
    CHECK(*OptionalNumber<double>(3.5) == 3.5);
    CHECK(OptionalNumber<Bytes>(Bytes{4})->value == 4);
    CHECK(OptionalNumber<double>().value_or(7) == 7);
}

TEST_CASE("A lookup finds columns by name, wherever the name stands", "[shared-text]") {
    CounterTable table(2);
    table.addColumn("aaaa", {1, 2});
    table.addColumn("bbbb", {3, 4});
    const CounterLookup lookup(table);
    std::string name = "aaaa";
    CHECK(lookup[name].column[0] == 1);
    name.replace(0, 4, "bbbb");  // at the same address
    CHECK(lookup[name].column[0] == 3);
    name.replace(0, 4, "cccc");
    CHECK(lookup[name].column.empty());
    CHECK_FALSE(lookup[name].substitutable);
    name.replace(0, 4, "aaaa");
    CHECK(lookup[name].column[1] == 2);
    CHECK(lookup[std::string_view(name).substr(0, 3)].column.empty());
}

TEST_CASE("What may stand in for a counter is known without its rows", "[shared-text]") {
    CounterTable table(1);
    table.addColumn("dram__sectors_read.sum", {2});
    table.addColumn("lts__t_bytes.sum.per_second", {5});
    const CounterLookup lookup(table);
    CHECK(lookup["dram__bytes_read.sum"].substitutable);
    CHECK_FALSE(lookup["dram__bytes_write.sum"].substitutable);
    CHECK_FALSE(lookup["lts__t_bytes.sum"].substitutable);  // its rate, but no time
    CounterTable timed(1);
    timed.addColumn("lts__t_bytes.sum.per_second", {5});
    timed.addColumn("gpu__time_duration.sum", {5});
    CHECK(CounterLookup(timed)["lts__t_bytes.sum"].substitutable);
}
