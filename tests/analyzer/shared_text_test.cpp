// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <vector>

#include "analyzer/counters/counter_lookup.h"
#include "analyzer/model/shared_text.h"
#include "tests/support/catch.h"

using namespace roofscope;

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
    std::vector<SharedText> many;
    for (int i = 0; i < 5000; ++i) many.emplace_back("text " + std::to_string(i));
    for (int i = 0; i < 5000; ++i)
        CHECK(many[static_cast<std::size_t>(i)].str() == "text " + std::to_string(i));
}

TEST_CASE("A lookup finds columns by name, wherever the name stands", "[shared-text]") {
    CounterTable table(2);
    table.addColumn("aaaa", {1, 2});
    table.addColumn("bbbb", {3, 4});
    const CounterLookup lookup(table);
    std::string name = "aaaa";
    CHECK(lookup[name].column[0] == 1);
    name.replace(0, 4, "bbbb");  // new text at the same address
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
    CHECK_FALSE(lookup["lts__t_bytes.sum"].substitutable);  // its rate is there, but no duration
    CounterTable timed(1);
    timed.addColumn("lts__t_bytes.sum.per_second", {5});
    timed.addColumn("gpu__time_duration.sum", {5});
    CHECK(CounterLookup(timed)["lts__t_bytes.sum"].substitutable);
}
