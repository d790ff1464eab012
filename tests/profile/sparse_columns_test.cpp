// SPDX-License-Identifier: Apache-2.0
// Columns with values in few rows: {"rows": […], "values": […]}.
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "profile/codec/codec.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using roofscope::test::SyntheticProfile;

namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A profile with this number of launches of one kernel, and this in "counters".
std::string withCounters(std::size_t launches, const std::string& counters) {
    std::string kernel;
    for (std::size_t i = 0; i < launches; ++i) kernel += i == 0 ? "0" : ",0";
    return R"({"format":"roofscope-profile","schema":[1,5],"processes":[{"pid":1}],)"
           R"("devices":[{"name":"GPU"}],"kernels":[{"name":"k"}],"launches":{"kernel":[)" +
           kernel + R"(]},"counters":{)" + counters + "}}";
}

Error errorOf(const std::string& column, const ReadLimits& limits = {}) {
    const auto profile = parseProfile(withCounters(300, "\"a.sum\":" + column), "f", limits);
    INFO(column);
    REQUIRE_FALSE(profile.ok());
    CHECK(profile.error().code == ErrorCode::BadData);
    return profile.error();
}

/// The column "a.sum" after being read and written; checks that a second time gives the same text.
std::string rewritten(const std::string& column, std::size_t launches = 300) {
    const auto profile = parseProfile(withCounters(launches, "\"a.sum\":" + column), "f");
    INFO(column);
    REQUIRE(profile.ok());
    const std::string text = formatProfile(*profile);
    CHECK(formatProfile(*parseProfile(text, "f")) == text);
    const std::string_view key = "\"a.sum\":";
    const auto from = text.find(key) + key.size();
    return text.substr(from, text.find("},\n", from) - from);
}

/// A simple reference for the contents of a table.
struct Model {
    std::size_t rows = 0;
    std::map<std::string, std::map<std::size_t, double>> columns;
};

void checkSame(const CounterTable& table, const Model& model, std::mt19937_64& random) {
    REQUIRE(table.rows() == model.rows);
    REQUIRE(table.names().size() == model.columns.size());
    for (const auto& [name, values] : model.columns) {
        const CounterColumn column = table.column(name);
        REQUIRE(column.size() == model.rows);
        std::map<std::size_t, double> seen;
        std::size_t last = 0;
        column.forEach([&](std::size_t row, double value) {
            REQUIRE((seen.empty() || row > last));
            last = row;
            seen[row] = value;
        });
        REQUIRE(seen == values);
        // Few or many rows, read together and one by one.
        const std::size_t oneOf = random() % 2 == 0 ? 3 : 100;
        std::vector<std::uint32_t> rows;
        for (std::uint32_t row = 0; row < model.rows; ++row)
            if (random() % oneOf == 0) rows.push_back(row);
        const std::vector<double> at = column.at(rows), all = column.all();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto found = values.find(rows[i]);
            const bool there = found != values.end();
            REQUIRE(std::isnan(at[i]) != there);
            REQUIRE(std::isnan(all[rows[i]]) != there);
            REQUIRE(std::isnan(column[rows[i]]) != there);
            if (there) {
                REQUIRE(at[i] == found->second);
                REQUIRE(all[rows[i]] == found->second);
                REQUIRE(column[rows[i]] == found->second);
            }
        }
        REQUIRE(std::isnan(column[model.rows]));
    }
}

}  // namespace

TEST_CASE("a table holds the same, whichever way its columns are held") {
    std::mt19937_64 random(18);
    const char* const kNames[] = {"a.sum", "b.sum", "c.sum"};
    const auto number = [&] {
        const double others[] = {0.5, -0.0, -1, 1e12};
        return random() % 400 == 0 ? others[random() % 4] : static_cast<double>(random() % 1000);
    };
    for (int run = 0; run < 20; ++run) {
        CounterTable table;
        Model model;
        bool everSparse = false;
        const auto put = [](Model& m, const std::string& name, std::size_t row, double value) {
            auto& column = m.columns[name];
            if (std::isfinite(value))
                column[row] = value;
            else
                column.erase(row);
        };
        for (int step = 0; step < 40; ++step) {
            const std::string name = kNames[random() % 3];
            switch (random() % 6) {
                case 0: {  // a column with its own rows, some beyond the end, some without a value
                    std::vector<std::uint32_t> rows;
                    std::vector<double> values;
                    for (std::uint32_t row = 0; row < model.rows + 5; ++row)
                        if (random() % (1 + random() % 40) == 0) {
                            rows.push_back(row);
                            values.push_back(random() % 9 == 0 ? kInfinite : number());
                        }
                    model.columns[name].clear();
                    for (std::size_t i = 0; i < rows.size(); ++i)
                        if (rows[i] < model.rows) put(model, name, rows[i], values[i]);
                    table.addSparseColumn(name, rows, values);
                    break;
                }
                case 1: {
                    std::vector<double> values(model.rows, kAbsent);
                    for (double& value : values)
                        if (random() % (1 + random() % 40) == 0) value = number();
                    model.columns[name].clear();
                    for (std::size_t row = 0; row < values.size(); ++row)
                        put(model, name, row, values[row]);
                    table.addColumn(name, values);
                    break;
                }
                case 2: {
                    const std::size_t rows = random() % 900;
                    model.rows = rows;
                    for (auto& [unused, values] : model.columns)
                        values.erase(values.lower_bound(rows), values.end());
                    table.resize(rows);
                    break;
                }
                case 3: {
                    CounterTable below(random() % 700);
                    for (int i = 0; i < 5 && below.rows() > 0; ++i) {
                        const std::size_t row = random() % below.rows();
                        const double value = number();
                        below.set(name, row, value);
                        put(model, name, model.rows + row, value);
                    }
                    model.rows += below.rows();
                    table.append(below);
                    break;
                }
                default:
                    for (int i = 0; i < 20; ++i) {
                        const std::size_t row = random() % (model.rows + 2);
                        const double value = random() % 7 == 0 ? kAbsent : number();
                        model.rows = std::max(model.rows, row + 1);
                        put(model, name, row, value);
                        table.set(name, row, value);
                    }
            }
            checkSame(table, model, random);
            for (const std::string& known : table.names())
                everSparse |= table.column(known).sparse();
        }
        CHECK(everSparse);
    }
}

TEST_CASE("few values cost few bytes, many are held one for each row") {
    CounterTable table(1'000'000);
    std::vector<std::uint32_t> rows(900);
    for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = 1000 * i;
    table.addSparseColumn("few.sum", rows, std::vector<double>(900, 1.0));
    CHECK(table.column("few.sum").sparse());
    CHECK(table.column("few.sum").count() == 900);
    std::vector<double> holes(1'000'000, kAbsent);
    holes[7] = 1;
    table.addColumn("one.sum", holes);
    CHECK(table.column("one.sum").count() == 1);
    table.addColumn("many.sum", std::vector<double>(500'000, 1.0));
    CHECK_FALSE(table.column("many.sum").sparse());
    // Not worth it in a short table.
    CounterTable small(100);
    small.set("a.sum", 5, 1);
    CHECK_FALSE(small.column("a.sum").sparse());
}

TEST_CASE("a column with few values is written as rows and values, and read back to the bit") {
    SyntheticProfile p;
    const auto kernel = p.kernel("k");
    for (int i = 0; i < 1000; ++i) {
        auto launch = p.launch(kernel, {1}, {64});
        if (i % 200 == 3) launch.set("few.sum", 0.1 * i).set("every.sum", i);
        if (i % 200 != 3) launch.set("every.sum", i);
    }
    const Profile profile = p.build();
    const std::string text = formatProfile(profile);
    CHECK(text.find(R"("few.sum":{"rows":[3,203,403,603,803],"values":[0.30000000000000004,)") !=
          std::string::npos);
    CHECK(text.find(R"("every.sum":[0,1,2,)") != std::string::npos);
    const auto again = parseProfile(text, "f");
    REQUIRE(again.ok());
    CHECK(formatProfile(*again) == text);
    CHECK(again->counters.value("few.sum", 203) == profile.counters.value("few.sum", 203));
    CHECK_FALSE(again->counters.value("few.sum", 204));
    CHECK(again->counters.column("few.sum").sparse());
}

TEST_CASE("however a column is written, it becomes the one form that suits it") {
    CHECK(rewritten(R"({"rows":[3,299],"values":[1.5,2]})") ==
          R"({"rows":[3,299],"values":[1.5,2]})");
    // With holes, without any value, and with nothing but impossible values.
    CHECK(rewritten(R"({"rows":[3,9,12],"values":[1,null,2]})") ==
          R"({"rows":[3,12],"values":[1,2]})");
    for (const char* nothing : {R"({"rows":[],"values":[]})", R"({"rows":[5],"values":[null]})",
                                R"({"all":null})", R"({"rows":[5],"values":[-1]})"})
        CHECK(rewritten(nothing) == R"({"all":null})");
    // If many or all rows have values, the list of rows would be longer than the column.
    std::string rows, values;
    for (int i = 0; i < 300; ++i) {
        rows += (i == 0 ? "" : ",") + std::to_string(i);
        values += i == 0 ? "1" : ",1";
    }
    CHECK(rewritten("{\"rows\":[" + rows + "],\"values\":[" + values + "]}") == R"({"all":1})");
    CHECK(rewritten(R"({"rows":[1],"values":[4]})", 3) == "[null,4,null]");
    std::string nulls = "[7";
    for (int i = 1; i < 300; ++i) nulls += ",null";
    CHECK(rewritten(nulls + "]") == R"({"rows":[0],"values":[7]})");
}

TEST_CASE("a column with few values that is wrong is refused with its place") {
    const std::pair<const char*, const char*> wrong[] = {
        {R"({"rows":[300],"values":[1]})", "row 300 of 300 rows"},
        {R"({"rows":[4294967295],"values":[1]})", "row 4294967295 of 300 rows"},
        {R"({"rows":[4294967296],"values":[1]})", "must be a whole number"},
        {R"({"rows":[-1],"values":[1]})", "must be a whole number"},
        {R"({"rows":[1.5],"values":[1]})", "must be a whole number"},
        {R"({"rows":[null],"values":[1]})", "must be a whole number"},
        {R"({"rows":[5,4],"values":[1,2]})", "must ascend"},
        {R"({"rows":[5,5],"values":[1,2]})", "must ascend"},
        {R"({"rows":[1,2],"values":[1]})", "\"rows\" has 2 values but \"values\" has 1"},
        {R"({"rows":[],"values":[1]})", "\"rows\" has 0 values but \"values\" has 1"},
        {R"({"rows":[1]})", "\"values\" is missing"},
        {R"({"values":[1]})", "\"all\""},
        {R"({"rows":[1],"values":null})", "\"values\" is missing"},
        {R"({"rows":null,"values":[1]})", "\"all\""},
        {R"({"rows":"1","values":[1]})", "must be an array of numbers"},
        {R"({"rows":[1],"values":["1"]})", "must be an array of numbers"},
        {R"({"rows":{"all":1},"values":[1]})", "must be an array of numbers"},
        {R"({"rows":[[1]],"values":[1]})", "must be an array of numbers"},
        {R"({"rows":[1],"rows":[1],"values":[1]})", "appears twice"},
        {R"({"rows":[1],"values":[1e999]})", "too large"},
    };
    for (const auto& [column, what] : wrong) {
        const Error error = errorOf(column);
        CAPTURE(column, error.message());
        CHECK(error.what.find(what) != std::string::npos);
    }
}

TEST_CASE("the limits hold for columns with few values, too") {
    // The limit is on stored values: 2 here, but 300 if many rows have values.
    const auto parse = [](const std::string& counters, std::uint64_t cells) {
        return parseProfile(withCounters(300, counters), "f", {.maxCells = cells}).ok();
    };
    const std::string few =
        R"("a":{"rows":[1,2],"values":[1,2]},"b":{"rows":[1,2],"values":[1,2]})";
    CHECK(parse(few, 4));
    CHECK_FALSE(parse(few, 3));
    std::string rows, values;
    for (int i = 0; i < 100; ++i) {
        rows += (i == 0 ? "" : ",") + std::to_string(i);
        values += i == 0 ? "1" : ",1";
    }
    const std::string many = "\"a\":{\"rows\":[" + rows + "],\"values\":[" + values + "]}";
    CHECK(parse(many, 300));
    CHECK_FALSE(parse(many, 299));
    // While reading: 300 launches, two numbers of the schema, and these two.
    CHECK(errorOf(R"({"rows":[1],"values":[1]})", {.maxLaunches = 9, .maxCells = 15}).what ==
          "more than 303 numbers");
}
