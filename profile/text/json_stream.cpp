// SPDX-License-Identifier: Apache-2.0
#include "profile/text/json_stream.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace roofscope {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kPiece = 1 << 18;

}  // namespace

void JsonStream::newLine() {
    m_out += '\n';
    m_out.append(kIndent * m_depth, ' ');
}

void JsonStream::separate() {
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (m_depth == 0) return;
    if (!m_first) m_out += ',';
    m_first = false;
    if (m_layout == Layout::Indented) newLine();
}

void JsonStream::open(char bracket) {
    value({&bracket, 1});
    ++m_depth;
    m_first = true;
}

void JsonStream::close(char bracket) {
    --m_depth;
    if (!m_first && m_layout == Layout::Indented) newLine();
    m_first = false;
    m_out += bracket;
    if (m_out.size() < kPiece) return;
    m_sink(m_out);
    m_out.clear();
}

void JsonStream::key(std::string_view quoted, bool onNewLine) {
    separate();
    if (onNewLine) m_out += '\n';
    m_out += quoted;
    m_out += m_layout == Layout::Indented ? ": " : ":";
    m_afterKey = true;
}

void JsonStream::value(std::string_view text) {
    separate();
    m_out += text;
}

void JsonStream::beginOneLine() {
    separate();
    m_afterKey = true;
    m_layout = Layout::OneLine;
}

void JsonStream::finish() {
    m_out += '\n';
    m_sink(m_out);
    m_out.clear();
}

void appendQuoted(std::string& out, std::string_view text) {
    const bool plain = std::ranges::all_of(
        text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    if (plain)
        out.append(1, '"').append(text).append(1, '"');
    else
        out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace roofscope
