// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope {

/// One record of a CSV text. The cells are valid until the next record is read; the text must
/// outlive them.
struct CsvRecord {
    std::vector<std::string_view> cells;
    std::size_t line = 0;  ///< where it starts; the first line is 1
};

/// Reads CSV (RFC 4180) from a text in memory, record by record. Supports quoted cells with
/// separators, line breaks and doubled quotes; line ends LF, CRLF and CR; a byte-order mark;
/// another separator than the comma.
class CsvReader {
public:
    CsvReader(std::string_view text, std::size_t maxCells, std::size_t maxCellBytes);

    /// The whole text.
    [[nodiscard]] std::string_view text() const { return m_text; }
    /// Sets the separator from here on. It is a comma at first.
    void separateBy(char separator) { m_separator = separator; }
    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    /// Number of the next line; the first is 1.
    [[nodiscard]] std::size_t line() const { return m_line; }
    /// The next physical line without its line end; does not consume it. For lines that are not
    /// CSV.
    [[nodiscard]] std::string_view peekLine() const;
    void skipLine();
    /// Reads one record; must not be called at the end. Errors are BadData with the line in
    /// `where`: an unclosed quote, text after a closing quote, a NUL byte, too many or too long
    /// cells.
    Result<void> read(CsvRecord& record);

private:
    Result<void> readCell(std::string_view& cell);
    void consumeLineEnd();
    [[nodiscard]] Error bad(std::size_t line, std::string what) const;

    std::string_view m_text;
    std::size_t m_maxCells, m_maxCellBytes;
    std::size_t m_at = 0;
    std::size_t m_line = 1;
    char m_separator = ',';
    std::deque<std::string> m_unquoted;  ///< cells of this record that contained doubled quotes
};

}  // namespace roofscope
