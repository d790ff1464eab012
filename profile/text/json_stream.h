// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "profile/text/text_sink.h"

namespace roofscope {

/// Writes JSON while it is made: what stands between values, and when a piece goes to the sink.
/// What values look like is up to the writers of profiles (profile/codec/json_writer.h) and of
/// reports (reports/json/json_writer.h).
class JsonStream {
public:
    enum class Layout {
        Indented,  ///< a value a line, two blanks a level
        OneLine    ///< no blanks
    };

    JsonStream(const TextSink& sink, Layout layout) : m_sink(sink), m_layout(layout) {}
    JsonStream(const JsonStream&) = delete;
    JsonStream& operator=(const JsonStream&) = delete;

    void open(char bracket);
    void close(char bracket);
    /// `quoted`: with its quotes. `onNewLine`: also where all else stands in one line.
    void key(std::string_view quoted, bool onNewLine = false);
    void value(std::string_view text);
    /// The next value begins where it would, and is in one line until the next call.
    void beginOneLine();
    void endOneLine() { m_layout = Layout::Indented; }
    /// Ends the document with a line end.
    void finish();

private:
    void separate();
    void newLine();

    const TextSink& m_sink;
    Layout m_layout;
    std::string m_out;
    std::size_t m_depth = 0;
    bool m_first = true;  ///< nothing stands in the innermost brackets yet
    bool m_afterKey = false;
};

/// Appends a text between quotes. Bytes that are not UTF-8 become U+FFFD.
void appendQuoted(std::string& out, std::string_view text);

}  // namespace roofscope
