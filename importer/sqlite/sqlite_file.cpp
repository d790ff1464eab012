// SPDX-License-Identifier: Apache-2.0
#include "importer/sqlite/sqlite_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "importer/sqlite/create_table.h"
#include "profile/text/lower_case.h"

namespace roofscope::sqlite {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kHeader = 100;
constexpr unsigned char kLeaf = 13, kInterior = 5;
/// Limits, so that a malicious file causes a fault instead of using up the memory.
constexpr std::uint64_t kLongestRow = 64ULL << 20;
constexpr std::size_t kMostTables = 10'000, kMostColumns = 2'000, kDeepest = 40;
/// Limits on the columns of all tables together, and on the length of one CREATE TABLE.
constexpr std::size_t kMostOfAllColumns = 100'000, kLongestSql = 64 << 10;

class FileBytes final : public Bytes {
public:
    explicit FileBytes(const std::filesystem::path& path) {
        std::error_code error;
        if (!std::filesystem::is_regular_file(path, error))
            throw DatabaseFault{"is no regular file", {}};
        m_size = std::filesystem::file_size(path, error);
        m_file.open(path, std::ios::binary);
        if (error || !m_file) throw DatabaseFault{"cannot be opened", {}};
        // The write-ahead log has changes that are not in the file yet.
        const auto log = path.string() + "-wal";
        if (std::filesystem::file_size(log, error) > 0 && !error)
            throw DatabaseFault{"has newer pages in " + log + "; close the program that writes it",
                                {}};
    }
    [[nodiscard]] std::uint64_t size() const override { return m_size; }
    [[nodiscard]] bool read(std::uint64_t offset, std::span<unsigned char> to) override {
        m_file.clear();
        m_file.seekg(static_cast<std::streamoff>(offset));
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes of a file
        m_file.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
        return static_cast<std::size_t>(m_file.gcount()) == to.size();
    }

private:
    std::ifstream m_file;
    std::uint64_t m_size = 0;
};

class MemoryBytes final : public Bytes {
public:
    explicit MemoryBytes(std::string_view memory) : m_memory(memory) {}
    [[nodiscard]] std::uint64_t size() const override { return m_memory.size(); }
    [[nodiscard]] bool read(std::uint64_t offset, std::span<unsigned char> to) override {
        if (offset > m_memory.size() || m_memory.size() - offset < to.size()) return false;
        std::memcpy(to.data(), m_memory.data() + offset, to.size());
        return true;
    }

private:
    std::string_view m_memory;
};

/// Reads a big-endian number.
std::uint64_t numberAt(std::span<const unsigned char> bytes, std::size_t at, std::size_t length) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < length; ++i) value = value << 8 | bytes[at + i];
    return value;
}

/// Reads a variable-length number (1 to 9 bytes) and moves `at` past it. False beyond the end.
bool varint(std::span<const unsigned char> bytes, std::size_t& at, std::uint64_t& value) {
    value = 0;
    for (std::size_t i = 0; i < 9; ++i) {
        if (at >= bytes.size()) return false;
        const unsigned char byte = bytes[at++];
        if (i == 8) {
            value = value << 8 | byte;
            return true;
        }
        value = value << 7 | (byte & 0x7FU);
        if ((byte & 0x80U) == 0) return true;
    }
    return true;
}

/// The length in bytes of a value with this serial type.
std::uint64_t lengthOf(std::uint64_t type) {
    constexpr std::array<std::uint64_t, 12> kLengths{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < kLengths.size() ? kLengths[type] : (type - 12) / 2;
}

}  // namespace

std::unique_ptr<Bytes> bytesOf(const std::filesystem::path& path) {
    return std::make_unique<FileBytes>(path);
}
std::unique_ptr<Bytes> bytesOf(std::string_view memory) {
    return std::make_unique<MemoryBytes>(memory);
}

std::optional<std::int64_t> Row::whole(std::size_t column) const {
    const Value& value = m_values[column];
    if (value.kind != Value::Kind::Whole) return std::nullopt;
    return value.whole;
}

std::optional<std::string_view> Row::text(std::size_t column) const {
    const Value& value = m_values[column];
    if (value.kind != Value::Kind::Text) return std::nullopt;
    return value.text;
}

/// Walks the B-tree of one table. Visits each page at most once, so the file's size limits the
/// work.
class Database::Scan {
public:
    Scan(Database& database, const Table& table, const std::vector<std::string_view>& columns,
         const std::function<void(const Row&)>& visit)
        : m_db(database), m_table(table), m_visit(visit), m_used(database.m_pages + 1ULL, false) {
        for (const std::string_view column : columns) {
            const auto found = std::ranges::find(table.columns, lowerCase(column));
            m_places.push_back(found == table.columns.end()
                                   ? kLacking
                                   : std::size_t(found - table.columns.begin()));
        }
        m_row.m_values.resize(columns.size());
        m_most = 0;
        for (const std::size_t place : m_places)
            if (place != kLacking) m_most = std::max(m_most, place + 1);
    }

    void run() {
        struct Open {
            std::vector<unsigned char> page;
            std::size_t next = 0, count = 0, base = 0;
        };
        std::vector<Open> open;
        const auto enter = [&](std::uint64_t number) {
            if (open.size() >= kDeepest) fail(number, "is deeper than any table");
            Open level;
            level.page = load(number);
            level.base = number == 1 ? kHeader : 0;
            const unsigned char kind = level.page[level.base];
            if (kind != kLeaf && kind != kInterior) fail(number, "is no page of a table");
            level.count = numberAt(level.page, level.base + 3, 2);
            const std::size_t cells = level.base + (kind == kLeaf ? 8U : 12U);
            if (cells + 2 * level.count > m_db.m_usable) fail(number, "has too many cells");
            m_number = number;
            if (kind == kLeaf) {
                // Reject overlapping cells: many pointers to one cell could make a small page very
                // expensive.
                std::size_t room = m_db.m_usable - cells - 2 * level.count;
                for (std::size_t i = 0; i < level.count; ++i) {
                    const std::size_t size =
                        cell(level.page, numberAt(level.page, cells + 2 * i, 2));
                    if (size > room) fail(number, "has cells that overlap");
                    room -= size;
                }
                return;
            }
            open.push_back(std::move(level));
        };
        enter(m_table.root);
        while (!open.empty()) {
            Open& level = open.back();
            if (level.next > level.count) {
                open.pop_back();
                continue;
            }
            std::uint64_t child = 0;
            if (level.next == level.count) {
                child = numberAt(level.page, level.base + 8, 4);
            } else {
                const std::size_t at = numberAt(level.page, level.base + 12 + 2 * level.next, 2);
                if (at + 4 > m_db.m_usable) fail(m_number, "has a cell beyond its end");
                child = numberAt(level.page, at, 4);
            }
            ++level.next;
            enter(child);  // `level` is invalid from here on
        }
    }

private:
    static constexpr std::size_t kLacking = ~std::size_t{0};

    [[noreturn]] void fail(std::uint64_t page, std::string what) const {
        throw DatabaseFault{std::move(what), fmt::format("table {}, page {}", m_table.name, page)};
    }

    std::vector<unsigned char> load(std::uint64_t number) {
        if (number == 0 || number > m_db.m_pages)
            fail(number, fmt::format("is used, but the database has {} pages", m_db.m_pages));
        if (m_used[number]) fail(number, "is used twice");
        m_used[number] = true;
        std::vector<unsigned char> page(m_db.m_pageSize);
        if (!m_db.m_bytes->read((number - 1) * m_db.m_pageSize, page))
            fail(number, "cannot be read");
        return page;
    }

    /// Reads a cell. Returns its size on this page in bytes.
    std::size_t cell(std::span<const unsigned char> page, std::size_t at) {
        const std::size_t begin = at;
        page = page.first(m_db.m_usable);
        std::uint64_t length = 0, row = 0;
        if (!varint(page, at, length) || !varint(page, at, row))
            fail(m_number, "has a cell beyond its end");
        if (length > kLongestRow) fail(m_number, "has a row of more than 64 MiB");
        const std::uint64_t usable = m_db.m_usable;
        std::uint64_t local = length;
        const std::uint64_t most = usable - 35, least = (usable - 12) * 32 / 255 - 23;
        if (length > most) {
            local = least + (length - least) % (usable - 4);
            if (local > most) local = least;
        }
        const std::size_t link = length > local ? 4 : 0;
        if (at + local + link > page.size()) fail(m_number, "has a row beyond its end");
        std::span<const unsigned char> payload = page.subspan(at, local);
        if (link > 0) {
            join(payload, numberAt(page, at + local, 4), length);
            payload = m_joined;
        }
        record(payload, static_cast<std::int64_t>(row));
        return at + local + link - begin;
    }

    /// Collects a row that continues on overflow pages.
    void join(std::span<const unsigned char> local, std::uint64_t next, std::uint64_t length) {
        m_joined.assign(local.begin(), local.end());
        while (m_joined.size() < length) {
            const std::vector<unsigned char> page = load(next);
            const auto part = std::min<std::uint64_t>(length - m_joined.size(), m_db.m_usable - 4);
            m_joined.insert(m_joined.end(), page.begin() + 4,
                            page.begin() + 4 + static_cast<std::ptrdiff_t>(part));
            next = numberAt(page, 0, 4);
        }
    }

    void record(std::span<const unsigned char> payload, std::int64_t row) {
        std::size_t at = 0;
        std::uint64_t header = 0;
        if (!varint(payload, at, header) || header > payload.size())
            fail(m_number, "has a row without a header");
        const std::span<const unsigned char> types = payload.first(header);
        m_values.clear();
        std::uint64_t value = header;
        while (at < header && m_values.size() < m_most) {
            std::uint64_t type = 0;
            if (!varint(types, at, type)) fail(m_number, "has a row with a broken header");
            m_values.push_back({type, value});
            value += lengthOf(type);
            if (value > payload.size()) fail(m_number, "has a value beyond its row");
        }
        for (std::size_t i = 0; i < m_places.size(); ++i) {
            const std::size_t place = m_places[i];
            Row::Value& to = m_row.m_values[i];
            to = {};
            if (place == kLacking) continue;
            if (m_table.rowNumber == place) {
                to.kind = Row::Value::Kind::Whole;
                to.whole = row;
            } else if (place < m_values.size()) {
                take(payload, m_values[place].first, m_values[place].second, to);
            }
        }
        m_visit(m_row);
    }

    static void take(std::span<const unsigned char> payload, std::uint64_t type, std::uint64_t at,
                     Row::Value& to) {
        const std::uint64_t length = lengthOf(type);
        if ((type >= 1 && type <= 6) || type == 8 || type == 9) {
            to.kind = Row::Value::Kind::Whole;
            if (type >= 8) {
                to.whole = static_cast<std::int64_t>(type - 8);
                return;
            }
            std::uint64_t bits = numberAt(payload, at, length);
            // Extend the sign of a number with fewer than 8 bytes.
            const std::uint64_t sign = std::uint64_t{1} << (8 * length - 1);
            if (length < 8) bits = (bits ^ sign) - sign;
            to.whole = static_cast<std::int64_t>(bits);
        } else if (type >= 13 && type % 2 == 1) {
            to.kind = Row::Value::Kind::Text;
            // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): text of a file
            to.text = {reinterpret_cast<const char*>(payload.data() + at), length};
        }
    }

    Database& m_db;
    const Table& m_table;
    const std::function<void(const Row&)>& m_visit;
    std::vector<bool> m_used;
    std::vector<std::size_t> m_places;  ///< positions of the wanted columns in the row
    std::size_t m_most = 0;             ///< number of columns up to the last wanted one
    std::uint64_t m_number = 0;         ///< number of the page being read
    std::vector<unsigned char> m_joined;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> m_values;  ///< serial type, position
    Row m_row;
};

Database::Database(std::unique_ptr<Bytes> bytes) : m_bytes(std::move(bytes)) {
    std::array<unsigned char, kHeader> header{};
    const auto fail = [](std::string what) { throw DatabaseFault{std::move(what), "header"}; };
    if (m_bytes->size() < kHeader || !m_bytes->read(0, header) ||
        !std::equal(kMagic.begin(), kMagic.end(), header.begin(),
                    [](char c, unsigned char b) { return static_cast<unsigned char>(c) == b; }))
        fail("is no database of SQLite");
    const auto size = static_cast<std::uint32_t>(numberAt(header, 16, 2));
    m_pageSize = size == 1 ? 65536 : size;
    m_usable = m_pageSize - header[20];
    constexpr std::uint32_t kLeastPage = 512, kLeastUsable = 480;
    if (m_pageSize < kLeastPage || (m_pageSize & (m_pageSize - 1)) != 0 || m_usable < kLeastUsable)
        fail("has a page size that cannot be");
    if (numberAt(header, 56, 4) > 1) fail("holds text as UTF-16, which nsys does not write");
    const std::uint64_t pages = m_bytes->size() / m_pageSize;
    if (pages == 0) fail("is cut off");
    m_pages = static_cast<std::uint32_t>(std::min<std::uint64_t>(pages, 0xFFFF'FFFE));
    if (numberAt(header, 28, 4) > m_pages) fail("is cut off");
    readSchema();
}

void Database::readSchema() {
    const Table schema{.name = "sqlite_schema",
                       .root = 1,
                       .columns = {"type", "name", "tbl_name", "rootpage", "sql"},
                       .rowNumber = std::nullopt};
    std::size_t rows = 0, all = 0;
    const std::function<void(const Row&)> visit = [&](const Row& row) {
        const auto type = row.text(0), name = row.text(1), sql = row.text(3);
        const auto root = row.whole(2);
        if (type != "table" || !name || !sql || !root || *root <= 0 || *root > m_pages) return;
        if (++rows > kMostTables)
            throw DatabaseFault{fmt::format("has more than {} tables", kMostTables), {}};
        if (sql->size() > kLongestSql) return;
        auto columns = columnsOf(*sql);
        if (!columns || columns->names.size() > kMostColumns) return;
        all += columns->names.size();
        if (all > kMostOfAllColumns)
            throw DatabaseFault{fmt::format("has more than {} columns", kMostOfAllColumns), {}};
        m_tables.push_back({.name = std::string(*name),
                            .root = static_cast<std::uint32_t>(*root),
                            .columns = std::move(columns->names),
                            .rowNumber = columns->rowNumber});
    };
    Scan(*this, schema, {"type", "name", "rootpage", "sql"}, visit).run();
}

const Database::Table* Database::find(std::string_view table) const {
    const auto found = std::ranges::find(m_tables, table, &Table::name);
    return found == m_tables.end() ? nullptr : &*found;
}

bool Database::has(std::string_view table, std::string_view column) const {
    const Table* const found = find(table);
    return found && std::ranges::find(found->columns, lowerCase(column)) != found->columns.end();
}

void Database::read(std::string_view table, const std::vector<std::string_view>& columns,
                    const std::function<void(const Row&)>& visit) {
    if (const Table* const found = find(table)) Scan(*this, *found, columns, visit).run();
}

}  // namespace roofscope::sqlite
