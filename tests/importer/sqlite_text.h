// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace roofscope::test {

/// Writes databases in SQLite's file format, with pages of 512 bytes, so that small tables have
/// several. Their contents are synthetic: nobody recorded them.
///
///     SqliteText database;
///     database.table("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)", {{1,
///     "gemm"}});
class SqliteText {
public:
    using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string>;
    /// A value from what a test writes.
    struct Cell {
        Value value;
        Cell(std::nullptr_t) : value(nullptr) {}                        // NOLINT
        Cell(int number) : value(static_cast<std::int64_t>(number)) {}  // NOLINT
        Cell(std::int64_t number) : value(number) {}                    // NOLINT
        Cell(double number) : value(number) {}                          // NOLINT
        Cell(const char* text) : value(std::string(text)) {}            // NOLINT
        Cell(std::string text) : value(std::move(text)) {}              // NOLINT
    };
    using Cells = std::vector<Cell>;

    static constexpr std::size_t kPage = 512;

    /// Rows are numbered from 1.
    SqliteText& table(const std::string& sql, const std::vector<Cells>& rows);
    /// An entry of the schema that is no table: a view, a trigger.
    SqliteText& entry(const std::string& type, const std::string& name, const std::string& sql);
    [[nodiscard]] std::string bytes() const;

private:
    std::uint32_t newPage();
    /// Writes the rows and returns the first page of their tree; into page `root` if given.
    std::uint32_t write(const std::vector<Cells>& rows, std::optional<std::uint32_t> root,
                        std::size_t reserved);
    std::string cell(const Cells& row, std::uint64_t number);
    static std::string page(unsigned char kind, const std::vector<std::string>& cells,
                            std::uint32_t right, std::size_t reserved);

    std::vector<std::string> m_pages{std::string(kPage, '\0')};
    std::vector<Cells> m_schema;
};

}  // namespace roofscope::test
