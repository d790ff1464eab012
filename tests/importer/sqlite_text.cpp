// SPDX-License-Identifier: Apache-2.0
#include "tests/importer/sqlite_text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

namespace roofscope::test {
namespace {

std::string bigEndian(std::uint64_t value, std::size_t length) {
    std::string bytes(length, '\0');
    for (std::size_t i = 0; i < length; ++i)
        bytes[length - 1 - i] = static_cast<char>(value >> (8 * i) & 0xFF);
    return bytes;
}

std::string variable(std::uint64_t value) {
    std::string bytes(1, static_cast<char>(value & 0x7F));
    while ((value >>= 7) != 0)
        bytes.insert(bytes.begin(), static_cast<char>(0x80 | (value & 0x7F)));
    return bytes;
}

/// A number in as few bytes as its sign allows, with its serial type.
std::pair<std::uint64_t, std::string> stored(std::int64_t number) {
    if (number == 0 || number == 1) return {8 + static_cast<std::uint64_t>(number), ""};
    constexpr std::size_t kLengths[] = {1, 2, 3, 4, 6, 8};
    for (std::uint64_t type = 1; type < 6; ++type) {
        const std::size_t length = kLengths[type - 1];
        const std::int64_t limit = std::int64_t{1} << (8 * length - 1);
        if (number >= -limit && number < limit)
            return {type, bigEndian(static_cast<std::uint64_t>(number), length)};
    }
    return {6, bigEndian(static_cast<std::uint64_t>(number), 8)};
}

}  // namespace

std::uint32_t SqliteText::newPage() {
    m_pages.emplace_back(kPage, '\0');
    return static_cast<std::uint32_t>(m_pages.size());
}

SqliteText& SqliteText::table(const std::string& sql, const std::vector<Cells>& rows) {
    const std::size_t from = sql.find_first_not_of(' ', std::strlen("CREATE TABLE"));
    const std::string name = sql.substr(from, sql.find_first_of(" (", from) - from);
    const auto root = static_cast<std::int64_t>(write(rows, std::nullopt, 0));
    m_schema.push_back({"table", name, name, root, sql});
    return *this;
}

SqliteText& SqliteText::entry(const std::string& type, const std::string& name,
                              const std::string& sql) {
    m_schema.push_back({type, name, name, 0, sql});
    return *this;
}

std::string SqliteText::bytes() const {
    SqliteText whole = *this;
    (void)whole.write(m_schema, 1, 100);
    std::string header = std::string("SQLite format 3\0", 16) + bigEndian(kPage, 2);
    header += {1, 1, 0, 64, 32, 32};
    header += bigEndian(1, 4) + bigEndian(whole.m_pages.size(), 4);
    header.resize(56, '\0');
    header += bigEndian(1, 4);  // UTF-8
    header.resize(100, '\0');
    whole.m_pages.front().replace(0, header.size(), header);
    std::string all;
    for (const std::string& page : whole.m_pages) all += page;
    return all;
}

std::uint32_t SqliteText::write(const std::vector<Cells>& rows, std::optional<std::uint32_t> root,
                                std::size_t reserved) {
    struct Child {
        std::uint32_t page = 0;
        std::uint64_t last = 0;
    };
    std::vector<Child> level;
    std::vector<std::string> cells;
    std::size_t used = 0;
    std::uint64_t number = 0;
    const auto flush = [&] {
        const std::uint32_t at = newPage();
        m_pages[at - 1] = page(13, cells, 0, 0);
        level.push_back({at, number});
        cells.clear();
        used = 0;
    };
    for (const Cells& row : rows) {
        const std::string next = cell(row, number + 1);
        if (used + next.size() + 2 + 8 + reserved > kPage) flush();
        ++number;
        used += next.size() + 2;
        cells.push_back(next);
    }
    if (level.empty()) {
        const std::uint32_t at = root ? *root : newPage();
        m_pages[at - 1] = page(13, cells, 0, reserved);
        return at;
    }
    flush();
    constexpr std::size_t kMostChildren = 20;
    while (true) {
        const bool last = level.size() <= kMostChildren;
        std::vector<Child> above;
        for (std::size_t from = 0; from < level.size(); from += kMostChildren) {
            const std::size_t to = std::min(from + kMostChildren, level.size());
            std::vector<std::string> links;
            for (std::size_t i = from; i + 1 < to; ++i)
                links.push_back(bigEndian(level[i].page, 4) + variable(level[i].last));
            const std::uint32_t at = last && root ? *root : newPage();
            m_pages[at - 1] = page(5, links, level[to - 1].page, last ? reserved : 0);
            above.push_back({at, level[to - 1].last});
        }
        level = std::move(above);
        if (last) return level.front().page;
    }
}

std::string SqliteText::cell(const Cells& row, std::uint64_t number) {
    std::string types, values;
    for (const Cell& cell : row) {
        std::uint64_t type = 0;
        std::string bytes;
        if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) {
            std::tie(type, bytes) = stored(*whole);
        } else if (const auto* real = std::get_if<double>(&cell.value)) {
            type = 7;
            bytes = bigEndian(std::bit_cast<std::uint64_t>(*real), 8);
        } else if (const auto* text = std::get_if<std::string>(&cell.value)) {
            type = 13 + 2 * text->size();
            bytes = *text;
        }
        types += variable(type);
        values += bytes;
    }
    std::size_t header = types.size() + 1;
    if (header > 127) ++header;
    const std::string payload = variable(header) + types + values;
    std::string all = variable(payload.size()) + variable(number);
    const std::size_t most = kPage - 35, least = (kPage - 12) * 32 / 255 - 23;
    std::size_t local = payload.size();
    if (local > most) {
        local = least + (payload.size() - least) % (kPage - 4);
        if (local > most) local = least;
    }
    all += payload.substr(0, local);
    if (local == payload.size()) return all;
    // The rest goes to a chain of pages.
    std::vector<std::string> parts;
    for (std::size_t at = local; at < payload.size(); at += kPage - 4)
        parts.push_back(payload.substr(at, kPage - 4));
    std::uint32_t next = 0;
    for (std::size_t i = parts.size(); i-- > 0;) {
        const std::uint32_t at = newPage();
        std::string bytes = bigEndian(next, 4) + parts[i];
        bytes.resize(kPage, '\0');
        m_pages[at - 1] = bytes;
        next = at;
    }
    return all + bigEndian(next, 4);
}

std::string SqliteText::page(unsigned char kind, const std::vector<std::string>& cells,
                             std::uint32_t right, std::size_t reserved) {
    std::string bytes(kPage, '\0');
    std::size_t content = kPage;
    std::string pointers;
    for (const std::string& cell : cells) {
        content -= cell.size();
        bytes.replace(content, cell.size(), cell);
        pointers += bigEndian(content, 2);
    }
    std::string head(1, static_cast<char>(kind));
    head += bigEndian(0, 2) + bigEndian(cells.size(), 2) + bigEndian(content, 2) + '\0';
    if (kind == 5) head += bigEndian(right, 4);
    head += pointers;
    bytes.replace(reserved, head.size(), head);
    return bytes;
}

}  // namespace roofscope::test
