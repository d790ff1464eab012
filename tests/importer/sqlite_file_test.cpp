// SPDX-License-Identifier: Apache-2.0
// SQLite's file format: what is read of a database, and what is refused.
#include "importer/sqlite/sqlite_file.h"

#include <fstream>
#include <random>
#include <vector>

#include "importer/sqlite/create_table.h"
#include "tests/importer/sqlite_text.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using roofscope::test::SqliteText;

namespace {

using Names = std::vector<std::string>;

/// The values of one column, numbers as text; "-" for what is missing.
Names columnOf(const std::string& bytes, std::string_view table, std::string_view column) {
    sqlite::Database database(sqlite::bytesOf(std::string_view(bytes)));
    Names values;
    database.read(table, {column}, [&](const sqlite::Row& row) {
        if (const auto whole = row.whole(0))
            values.push_back(std::to_string(*whole));
        else
            values.emplace_back(row.text(0).value_or("-"));
    });
    return values;
}

/// The error for a database that cannot be read; empty if it can.
std::string faultOf(const std::string& bytes, std::string_view table = "t") {
    try {
        sqlite::Database database(sqlite::bytesOf(std::string_view(bytes)));
        database.read(table, {"a"}, [](const sqlite::Row&) {});
    } catch (const sqlite::DatabaseFault& fault) {
        return fault.where + ": " + fault.what;
    }
    return {};
}

/// A table of one column with enough rows for three levels of pages.
SqliteText tallTable() {
    std::vector<SqliteText::Cells> rows;
    for (int i = 0; i < 5000; ++i) rows.push_back({std::int64_t{i} * 1000003});
    return SqliteText().table("CREATE TABLE t (a INT)", rows);
}

}  // namespace

TEST_CASE("values of all kinds and lengths") {
    SqliteText text;
    text.table("CREATE TABLE t (a INT, b TEXT)", {{0, "x"},
                                                  {1, ""},
                                                  {-1, "ä"},
                                                  {127, nullptr},
                                                  {-129, "y"},
                                                  {8'388'607, "y"},
                                                  {std::int64_t{-2'147'483'648}, "y"},
                                                  {std::int64_t{1} << 46, "y"},
                                                  {std::int64_t{-1} << 62, "y"},
                                                  {0.5, "y"},
                                                  {"text", 7}});
    const std::string bytes = text.bytes();
    CHECK(columnOf(bytes, "t", "a") == Names{"0", "1", "-1", "127", "-129", "8388607",
                                             "-2147483648", "70368744177664",
                                             "-4611686018427387904", "-", "text"});
    CHECK(columnOf(bytes, "t", "B") == Names{"x", "", "ä", "-", "y", "y", "y", "y", "y", "y", "7"});
    CHECK(columnOf(bytes, "t", "c") == Names(11, "-"));
    CHECK(columnOf(bytes, "u", "a").empty());
}

TEST_CASE("the key that numbers the rows is not stored") {
    SqliteText text;
    text.table("CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, value TEXT)",
               {{nullptr, "one"}, {nullptr, "two"}});
    text.table("CREATE TABLE u (id INT PRIMARY KEY, value TEXT)", {{7, "one"}});
    CHECK(columnOf(text.bytes(), "t", "id") == Names{"1", "2"});
    CHECK(columnOf(text.bytes(), "u", "id") == Names{"7"});
}

TEST_CASE("tables of many pages, and rows that continue on others") {
    const Names tall = columnOf(tallTable().bytes(), "t", "a");
    REQUIRE(tall.size() == 5000);
    for (std::size_t i = 0; i < tall.size(); ++i) REQUIRE(tall[i] == std::to_string(i * 1000003));
    for (const std::size_t length : {400U, 470U, 480U, 1000U, 5000U}) {
        const std::string value(length, 'x');
        SqliteText text;
        text.table("CREATE TABLE t (a TEXT, b INT)", {{value + "1", 1}, {"short", 2}, {value, 3}});
        CHECK(columnOf(text.bytes(), "t", "a") == Names{value + "1", "short", value});
        CHECK(columnOf(text.bytes(), "t", "b") == Names{"1", "2", "3"});
    }
}

TEST_CASE("columns of a CREATE TABLE") {
    const auto names = [](std::string_view sql) {
        const auto columns = sqlite::columnsOf(sql);
        return columns ? columns->names : Names{"none"};
    };
    CHECK(names("CREATE TABLE t (start INTEGER NOT NULL, -- a, comment (\n end INT)") ==
          Names{"start", "end"});
    CHECK(names("create table \"a b\" (\"x,\"\"y\" TEXT DEFAULT 'a,)', [Z] /* , */ , `w` NUMERIC"
                "(10,2), PRIMARY KEY (x, [Z]), FOREIGN KEY (w) REFERENCES u(id))") ==
          Names{"x,\"y", "z", "w"});
    CHECK(sqlite::columnsOf("CREATE TABLE t (a INTEGER, b, PRIMARY KEY (a))")->rowNumber == 0U);
    CHECK_FALSE(sqlite::columnsOf("CREATE TABLE t (a INTEGER, PRIMARY KEY (a, b))")->rowNumber);
    CHECK_FALSE(sqlite::columnsOf("CREATE TABLE t (a INTEGER PRIMARY KEY DESC)")->rowNumber);
    for (const char* sql :
         {"", "CREATE", "CREATE VIEW t AS SELECT 1", "CREATE TABLE t AS SELECT 1",
          "CREATE TABLE t (a", "CREATE TABLE t ('a)", "CREATE TABLE t (a,)", "CREATE TABLE t ()",
          "CREATE TABLE t (a, b AS (a))", "CREATE TABLE t (a PRIMARY KEY) WITHOUT ROWID",
          "CREATE VIRTUAL TABLE t USING x (a)"})
        CHECK(names(sql) == Names{"none"});
}

TEST_CASE("nothing but ordinary tables is looked at") {
    SqliteText text;
    text.table("CREATE TABLE t (a INT)", {{5}});
    text.entry("view", "v", "CREATE VIEW v AS SELECT load_extension('x')");
    text.entry("trigger", "w", "CREATE TRIGGER w AFTER INSERT ON t BEGIN SELECT 1; END");
    text.entry("table", "x", "CREATE VIRTUAL TABLE x USING fts5(a)");
    sqlite::Database database(sqlite::bytesOf(std::string_view(text.bytes())));
    CHECK(database.has("t"));
    for (const char* name : {"v", "w", "x"}) CHECK_FALSE(database.has(name));
}

TEST_CASE("databases that are refused") {
    const std::string good = tallTable().bytes();
    REQUIRE(faultOf(good).empty());
    const auto changed = [&](std::size_t at, const std::string& bytes) {
        std::string text = good;
        return faultOf(text.replace(at, bytes.size(), bytes));
    };
    CHECK(faultOf("") == "header: is no database of SQLite");
    CHECK(faultOf(good.substr(0, 99)) == "header: is no database of SQLite");
    CHECK(faultOf(good.substr(0, good.size() - 1)) == "header: is cut off");
    CHECK(changed(16, {3, 0}) == "header: has a page size that cannot be");
    CHECK(changed(20, "\xff") == "header: has a page size that cannot be");
    CHECK(changed(59, "\2").find("UTF-16") != std::string::npos);
    CHECK(changed(100, "\2") == "table sqlite_schema, page 1: is no page of a table");
    CHECK(changed(103, "\xff\xff") == "table sqlite_schema, page 1: has too many cells");
    // The last page is the root of t; its last child is at byte 8.
    const std::size_t root = good.size() - SqliteText::kPage;
    CHECK(changed(root + 8, std::string(4, '\0')).find("page 0: is used, but") !=
          std::string::npos);
    // Its first child is also at the beginning of its first cell.
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(good[at]); };
    const std::size_t cell = root + 256U * byte(root + 12) + byte(root + 13);
    CHECK(changed(root + 8, good.substr(cell, 4)).find("is used twice") != std::string::npos);
    // A page whose pointers all lead to its first cell.
    std::string bomb = SqliteText()
                           .table("CREATE TABLE t (a TEXT)",
                                  {{std::string(200, 'x')}, {std::string("y")}, {std::string("z")}})
                           .bytes();
    const std::size_t leaf = bomb.size() - SqliteText::kPage;
    REQUIRE(bomb[leaf] == 13);
    bomb.replace(leaf + 10, 2, bomb, leaf + 8, 2);
    bomb.replace(leaf + 12, 2, bomb, leaf + 8, 2);
    CHECK(faultOf(bomb).find("cells that overlap") != std::string::npos);
    // Text that makes a table of a million columns is not looked at.
    const std::string many = "CREATE TABLE t (a" + std::string(70'000, ',') + ")";
    CHECK(faultOf(SqliteText().table(many, {}).bytes()).empty());
}

TEST_CASE("damaged databases end in a fault or in other rows") {
    std::mt19937_64 random(7);
    SqliteText text = tallTable();
    text.table("CREATE TABLE u (a TEXT)", {{std::string(2000, 'x')}, {"y"}});
    const std::string good = text.bytes();
    std::size_t faults = 0;
    for (int i = 0; i < 2000; ++i) {
        std::string bytes = good;
        for (int change = 0; change < 8; ++change)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        faults += faultOf(bytes).empty() && faultOf(bytes, "u").empty() ? 0 : 1;
    }
    CHECK(faults > 100);
}

TEST_CASE("files, and the log that a writer leaves beside them") {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "a.sqlite";
    std::ofstream(path, std::ios::binary) << tallTable().bytes();
    CHECK(sqlite::Database(sqlite::bytesOf(path)).has("t", "A"));
    std::ofstream(path.string() + "-wal") << "newer";
    CHECK_THROWS_AS(sqlite::bytesOf(path), sqlite::DatabaseFault);
    CHECK_THROWS_AS(sqlite::bytesOf(folder.path()), sqlite::DatabaseFault);
}
