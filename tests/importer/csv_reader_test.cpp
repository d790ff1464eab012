// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "importer/csv_reader.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows readAll(std::string_view text) {
    Rows rows;
    CsvReader reader(text, 100, 1000);
    CsvRecord record;
    while (!reader.atEnd()) {
        REQUIRE(reader.read(record).ok());
        rows.emplace_back(record.cells.begin(), record.cells.end());
    }
    return rows;
}

Error errorOf(std::string_view text, std::size_t maxCells = 100) {
    CsvReader reader(text, maxCells, 1000);
    CsvRecord record;
    while (!reader.atEnd())
        if (auto ok = reader.read(record); !ok) return ok.error();
    FAIL("no error");
    return {};
}

}  // namespace

TEST_CASE("csv: cells with and without quotes, empty ones, every kind of line end") {
    CHECK(readAll("a,b\n1,2\n") == Rows{{"a", "b"}, {"1", "2"}});
    CHECK(readAll("a,b\r\n\"1\",\"2\"\r\n") == Rows{{"a", "b"}, {"1", "2"}});
    CHECK(readAll("a\rb\rc") == Rows{{"a"}, {"b"}, {"c"}});
    CHECK(readAll(",\n\"\",\n") == Rows{{"", ""}, {"", ""}});
    CHECK(readAll("\xEF\xBB\xBFx,y") == Rows{{"x", "y"}});
    CHECK(readAll("") == Rows{});
}

TEST_CASE("csv: quoted cells hold commas, quotes and line breaks; lines are counted") {
    CHECK(readAll("\"a,b\",\"say \"\"hi\"\"\",\"\"\"\"\n") == Rows{{"a,b", "say \"hi\"", "\""}});
    CsvReader reader("\"one\ntwo\r\nthree\",x\nnext,y\n", 10, 100);
    CsvRecord record;
    REQUIRE(reader.read(record).ok());
    CHECK(record.line == 1);
    CHECK(record.cells[0] == "one\ntwo\r\nthree");
    REQUIRE(reader.read(record).ok());
    CHECK(record.line == 4);
    CHECK(record.cells[0] == "next");
}

TEST_CASE("csv: what is damaged is refused with the line on which it begins") {
    CHECK(errorOf("a,b\n1,\"2\n3\n").where == "line 2");
    CHECK(errorOf("a,b\n\"1\"x,2\n").where == "line 2");
    CHECK(errorOf(std::string_view("a\nb\0c\n", 6)).where == "line 2");
    CHECK(errorOf(std::string(200, ',')).what == "more than 100 columns");
    CHECK(errorOf(std::string(2000, 'x')).what == "a cell is longer than 1000 bytes");
    CHECK(errorOf("\"" + std::string(2000, 'x') + "\"").what == "a cell is longer than 1000 bytes");
    // A million columns are stopped by the limit, not by running out of memory.
    CHECK(errorOf(std::string(1'000'000, ','), 65'536).what == "more than 65536 columns");
}
