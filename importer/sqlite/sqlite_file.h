// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Reads tables of an SQLite database row by row, directly from the file format
/// (https://www.sqlite.org/fileformat2.html). It runs no SQL and never writes; it ignores views,
/// triggers, indices and expressions in the file.
namespace roofscope::sqlite {

/// Thrown if a database cannot be read.
struct DatabaseFault {
    std::string what;   ///< "refers to page 12, but has 3"
    std::string where;  ///< "page 7", "table StringIds"
};

/// Access to the bytes of a database.
class Bytes {
public:
    Bytes() = default;
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    virtual ~Bytes() = default;
    [[nodiscard]] virtual std::uint64_t size() const = 0;
    /// Fills `to` with the bytes from `offset` on; false if that fails.
    [[nodiscard]] virtual bool read(std::uint64_t offset, std::span<unsigned char> to) = 0;
};
/// The bytes of a regular file. Throws DatabaseFault if it cannot be opened
/// or has a write-ahead log.
[[nodiscard]] std::unique_ptr<Bytes> bytesOf(const std::filesystem::path& path);
/// Bytes in memory that must outlive the result.
[[nodiscard]] std::unique_ptr<Bytes> bytesOf(std::string_view memory);

/// The current row while a table is read. Columns are in the order given to read(). A column that
/// the table lacks counts as missing, like NULL.
class Row {
public:
    /// Absent unless the value is a whole number.
    [[nodiscard]] std::optional<std::int64_t> whole(std::size_t column) const;
    /// Absent unless the value is text. Valid until the next row.
    [[nodiscard]] std::optional<std::string_view> text(std::size_t column) const;

private:
    friend class Database;
    struct Value {
        enum class Kind : std::uint8_t { Missing, Whole, Text } kind = Kind::Missing;
        std::int64_t whole = 0;
        std::string_view text;
    };
    std::vector<Value> m_values;
};

/// An open database.
class Database {
public:
    /// Reads the header and the definitions of all tables. Throws DatabaseFault.
    explicit Database(std::unique_ptr<Bytes> bytes);

    [[nodiscard]] bool has(std::string_view table) const { return find(table) != nullptr; }
    [[nodiscard]] bool has(std::string_view table, std::string_view column) const;
    /// Calls `visit` for each row of the table; never if there is no such ordinary table. Throws
    /// DatabaseFault.
    void read(std::string_view table, const std::vector<std::string_view>& columns,
              const std::function<void(const Row&)>& visit);

private:
    struct Table {
        std::string name;
        std::uint32_t root = 0;
        std::vector<std::string> columns;      ///< in lower case
        std::optional<std::size_t> rowNumber;  ///< the column that holds the row's number
    };
    class Scan;

    [[nodiscard]] const Table* find(std::string_view table) const;
    void readSchema();

    std::unique_ptr<Bytes> m_bytes;
    std::uint32_t m_pageSize = 0, m_usable = 0, m_pages = 0;
    std::vector<Table> m_tables;
};

}  // namespace roofscope::sqlite
