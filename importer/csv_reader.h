// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"

namespace roofscope {

/// One record of a CSV text. The cells live as long as the text and until the next record is read.
struct CsvRecord {
    std::vector<std::string_view> cells;
    std::size_t line = 0;  ///< on which it starts, from 1
};

/// Reads CSV (RFC 4180) from a text in memory, record by record: quoted cells with commas, line
/// breaks and doubled quotes, lines that end in LF, CRLF or CR, a byte-order mark.
class CsvReader {
public:
    CsvReader(std::string_view text, std::size_t maxCells, std::size_t maxCellBytes);

    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    /// The line that comes next, from 1.
    [[nodiscard]] std::size_t line() const { return m_line; }
    /// The next physical line without its end, not consumed. For lines that are no CSV.
    [[nodiscard]] std::string_view peekLine() const;
    void skipLine();
    /// Reads one record; not at the end. Errors are BadData with the line in `where`: a quote
    /// without end, text behind a closing quote, a NUL byte, too many or too long cells.
    Result<void> read(CsvRecord& record);

private:
    Result<void> readCell(std::string_view& cell);
    void consumeLineEnd();
    [[nodiscard]] Error bad(std::size_t line, std::string what) const;

    std::string_view m_text;
    std::size_t m_maxCells, m_maxCellBytes;
    std::size_t m_at = 0;
    std::size_t m_line = 1;
    std::deque<std::string> m_unquoted;  ///< cells of this record that held doubled quotes
};

}  // namespace roofscope
