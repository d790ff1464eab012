// SPDX-License-Identifier: Apache-2.0
#include "importer/csv_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace roofscope {

namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
}

CsvReader::CsvReader(std::string_view text, std::size_t maxCells, std::size_t maxCellBytes)
    : m_text(text), m_maxCells(maxCells), m_maxCellBytes(maxCellBytes) {
    if (m_text.starts_with(kByteOrderMark)) m_text.remove_prefix(kByteOrderMark.size());
}

Error CsvReader::bad(std::size_t line, std::string what) const {
    return Error{
        .code = ErrorCode::BadData, .what = std::move(what), .where = fmt::format("line {}", line)};
}

std::string_view CsvReader::peekLine() const {
    const std::string_view rest = m_text.substr(std::min(m_at, m_text.size()));
    return rest.substr(0, rest.find_first_of("\r\n"));
}

void CsvReader::consumeLineEnd() {
    if (atEnd()) return;
    if (m_text[m_at] == '\r') ++m_at;
    if (!atEnd() && m_text[m_at] == '\n') ++m_at;
    ++m_line;
}

void CsvReader::skipLine() {
    m_at += peekLine().size();
    consumeLineEnd();
}

Result<void> CsvReader::readCell(std::string_view& cell) {
    if (atEnd() || m_text[m_at] != '"') {
        const char endings[] = {m_separator, '\r', '\n'};
        const std::string_view ends(endings, sizeof endings);
        const std::size_t end = std::min(m_text.find_first_of(ends, m_at), m_text.size());
        cell = m_text.substr(m_at, end - m_at);
        m_at = end;
        return {};
    }
    const std::size_t firstLine = m_line;
    const std::size_t begin = ++m_at;
    bool doubled = false;
    for (;;) {
        const std::size_t quote = m_text.find('"', m_at);
        const std::size_t end = std::min(quote, m_text.size());
        for (std::size_t i = m_at; i < end; ++i) {
            const bool breaks =
                m_text[i] == '\n' || (m_text[i] == '\r' && (i + 1 == end || m_text[i + 1] != '\n'));
            m_line += breaks ? 1 : 0;
        }
        if (quote == m_text.npos)
            return bad(firstLine, "a quoted cell is not closed: the file is truncated or damaged");
        if (quote - begin > m_maxCellBytes)
            return bad(firstLine, fmt::format("a cell is longer than {} bytes", m_maxCellBytes));
        m_at = quote + 1;
        if (atEnd() || m_text[m_at] != '"') break;
        doubled = true;
        ++m_at;
    }
    cell = m_text.substr(begin, m_at - 1 - begin);
    if (doubled) {
        std::string text;
        for (std::size_t i = 0; i < cell.size(); ++i) {
            text += cell[i];
            if (cell[i] == '"') ++i;
        }
        m_unquoted.push_back(std::move(text));
        cell = m_unquoted.back();
    }
    return {};
}

Result<void> CsvReader::read(CsvRecord& record) {
    record.cells.clear();
    record.line = m_line;
    m_unquoted.clear();
    for (;;) {
        std::string_view cell;
        if (auto ok = readCell(cell); !ok) return ok;
        if (cell.size() > m_maxCellBytes)
            return bad(record.line, fmt::format("a cell is longer than {} bytes", m_maxCellBytes));
        if (cell.find('\0') != cell.npos) return bad(record.line, "a cell holds a NUL byte");
        if (record.cells.size() == m_maxCells)
            return bad(record.line, fmt::format("more than {} columns", m_maxCells));
        record.cells.push_back(cell);
        if (atEnd()) return {};
        if (m_text[m_at] == '\r' || m_text[m_at] == '\n') {
            consumeLineEnd();
            return {};
        }
        if (m_text[m_at] != m_separator)
            return bad(m_line, "text after the closing quote of a cell");
        ++m_at;
    }
}

}  // namespace roofscope
