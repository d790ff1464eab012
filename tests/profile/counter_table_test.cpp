// SPDX-License-Identifier: Apache-2.0
#include "profile/model/counter_table.h"

#include <cmath>
#include <limits>

#include "tests/support/catch.h"

using roofscope::CounterTable;

static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("a value that was not measured is missing, not 0") {
    CounterTable table(3);
    table.set("a.sum", 1, 0.0);
    CHECK(table.has("a.sum"));
    CHECK_FALSE(table.has("b.sum"));
    CHECK(table.value("a.sum", 1) == 0.0);
    CHECK_FALSE(table.value("a.sum", 0).has_value());
    CHECK_FALSE(table.value("a.sum", 3).has_value());
    CHECK_FALSE(table.value("b.sum", 1).has_value());
    CHECK(table.column("b.sum").empty());
}

TEST_CASE("values that are no numbers are missing") {
    CounterTable table;
    table.set("a.sum", 0, kNan);
    table.set("a.sum", 1, std::numeric_limits<double>::infinity());
    table.set("a.sum", 2, 5);
    CHECK_FALSE(table.value("a.sum", 0).has_value());
    CHECK_FALSE(table.value("a.sum", 1).has_value());
    CHECK(std::isnan(table.column("a.sum")[1]));
    CHECK(table.value("a.sum", 2) == 5.0);
}

TEST_CASE("setting past the end grows every column") {
    CounterTable table(1);
    table.set("a.sum", 0, 1);
    table.set("b.sum", 4, 2);
    CHECK(table.rows() == 5);
    CHECK(table.column("a.sum").size() == 5);
    CHECK_FALSE(table.value("a.sum", 4).has_value());
    CHECK_FALSE(table.value("b.sum", 0).has_value());
    CHECK(table.names() == std::vector<std::string>{"a.sum", "b.sum"});
}

TEST_CASE("whole columns are padded, cut, and replaced by name") {
    CounterTable table;
    table.addColumn("a.sum", {1, kNan, 3});
    CHECK(table.rows() == 3);
    table.addColumn("short.sum", {7});
    table.addColumn("long.sum", {1, 2, 3, 4});
    CHECK(table.rows() == 3);
    CHECK(table.value("short.sum", 0) == 7.0);
    CHECK_FALSE(table.value("short.sum", 2).has_value());
    CHECK(table.column("long.sum").size() == 3);
    table.addColumn("a.sum", {9, 9, 9});
    CHECK(table.names().size() == 3);
    CHECK(table.value("a.sum", 1) == 9.0);
}

TEST_CASE("tables are joined by name") {
    CounterTable upper, lower;
    upper.addColumn("a.sum", {1, 2});
    upper.addColumn("b.sum", {3, 4});
    lower.addColumn("b.sum", {5});
    lower.addColumn("c.sum", {6});
    upper.append(lower);
    REQUIRE(upper.rows() == 3);
    CHECK(upper.value("b.sum", 2) == 5.0);
    CHECK(upper.value("c.sum", 2) == 6.0);
    CHECK_FALSE(upper.value("a.sum", 2).has_value());
    CHECK_FALSE(upper.value("c.sum", 0).has_value());
    upper.append(upper);
    REQUIRE(upper.rows() == 6);
    CHECK(upper.value("a.sum", 3) == 1.0);
    CHECK(upper.value("c.sum", 5) == 6.0);
}

TEST_CASE("shrinking forgets, growing adds missing values") {
    CounterTable table;
    table.addColumn("a.sum", {1, 2, 3});
    table.resize(1);
    table.resize(3);
    CHECK(table.value("a.sum", 0) == 1.0);
    CHECK_FALSE(table.value("a.sum", 2).has_value());
}
