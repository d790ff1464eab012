// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "profile/text/text_sink.h"

namespace roofscope {

/// Writes JSON as a stream. Handles separators and passes pieces on to the sink; the writers of
/// profiles (profile/codec/json_writer.h) and of reports (reports/json/json_writer.h) format the
/// values.
class JsonStream {
public:
    enum class Layout {
        Indented,  ///< one value per line, two blanks per level
        OneLine    ///< no blanks
    };

    JsonStream(const TextSink& sink, Layout layout) : m_sink(sink), m_layout(layout) {}
    JsonStream(const JsonStream&) = delete;
    JsonStream& operator=(const JsonStream&) = delete;

    void open(char bracket);
    void close(char bracket);
    /// `quoted` includes the quotes. `onNewLine` starts a new line even in the OneLine layout.
    void key(std::string_view quoted, bool onNewLine = false);
    void value(std::string_view text);
    /// Writes the next value on one line, up to endOneLine(); it begins on its usual line.
    void beginOneLine();
    void endOneLine() { m_layout = Layout::Indented; }
    /// Ends the document with a newline and passes the rest to the sink.
    void finish();

private:
    void separate();
    void newLine();

    const TextSink& m_sink;
    Layout m_layout;
    std::string m_out;
    std::size_t m_depth = 0;
    bool m_first = true;  ///< the innermost brackets are still empty
    bool m_afterKey = false;
};

/// Appends a text between quotes. Bytes that are not UTF-8 become U+FFFD.
void appendQuoted(std::string& out, std::string_view text);

}  // namespace roofscope
