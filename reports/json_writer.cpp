// SPDX-License-Identifier: Apache-2.0
#include "reports/json_writer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "profile/utf8.h"

namespace roofscope {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kMostIndented = 1000;
constexpr std::size_t kPiece = 1 << 18;

/// Appends clean text between quotes. Clean text has no control characters.
void quote(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const std::size_t at = std::min(text.find_first_of("\"\\<"), text.size());
        out.append(text, 0, at);
        if (at == text.size()) break;
        if (text[at] != '<')
            out.append({'\\', text[at]});
        else
            out += text.substr(at).starts_with("</") ? "<\\" : "<";
        text.remove_prefix(at + 1);
    }
    out += '"';
}

/// Valid UTF-8 without control characters.
bool isClean(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte < 0x20) return false;
        if (byte < 0x80)
            ++at;
        else if (!utf8::next(text, at))
            return false;
    }
    return true;
}

}  // namespace

void JsonWriter::newLine() {
    m_out += '\n';
    m_out.append(m_depth * kIndent, ' ');
}

void JsonWriter::separate() {
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (m_depth == 0) return;
    if (!m_first) m_out += ',';
    m_first = false;
    if (!m_oneLine) newLine();
}

void JsonWriter::begin(char bracket) {
    separate();
    m_out += bracket;
    ++m_depth;
    m_first = true;
}

void JsonWriter::end(char bracket) {
    --m_depth;
    if (!m_first && !m_oneLine) newLine();
    m_out += bracket;
    m_first = false;
    if (m_out.size() < kPiece) return;
    m_sink(m_out);
    m_out.clear();
}

void JsonWriter::key(std::string_view name) {
    separate();
    m_out += '"';
    m_out += name;
    m_out += m_oneLine ? "\":" : "\": ";
    m_afterKey = true;
}

void JsonWriter::null() {
    separate();
    m_out += "null";
}

void JsonWriter::value(bool flag) {
    separate();
    m_out += flag ? "true" : "false";
}

void JsonWriter::value(double number) {
    if (!std::isfinite(number)) return null();
    separate();
    // As the library writes numbers of trees.
    std::array<char, 64> text;
    m_out.append(text.data(),
                 nlohmann::detail::to_chars(text.data(), text.data() + text.size(), number));
}

void JsonWriter::string(std::string_view clean) {
    separate();
    quote(m_out, clean);
}

void JsonWriter::sentence(const std::string& text) {
    if (isClean(text))
        string(text);
    else
        value(json_parts::Json(text));
}

void JsonWriter::repeated(const std::string& text) {
    // Names of the program may get here by mistake: not all that ever came is kept.
    constexpr std::size_t kMost = 10'000;
    auto known = m_repeated.find(text);
    if (known == m_repeated.end()) {
        if (m_repeated.size() >= kMost) return value(std::string_view(text));
        std::string quoted;
        quote(quoted, json_parts::clean(text));
        known = m_repeated.emplace(text, std::move(quoted)).first;
    }
    separate();
    m_out += known->second;
}

void JsonWriter::value(const json_parts::Json& tree) {
    separate();
    json_parts::appendText(m_out, json_parts::textOf(tree, m_oneLine ? -1 : 2),
                           std::string(m_oneLine ? 0 : m_depth * kIndent, ' '));
}

void JsonWriter::value(const Dim3& extents) {
    beginArray();
    value(extents.x);
    value(extents.y);
    value(extents.z);
    endArray();
}

void JsonWriter::items(std::size_t count, const std::function<void(std::size_t)>& item) {
    beginArray();
    for (std::size_t i = 0; i < count; ++i) {
        if (count > kMostIndented) {
            separate();
            m_afterKey = true;  // what comes next follows at once
            m_oneLine = true;
        }
        item(i);
        m_oneLine = false;
    }
    endArray();
}

void JsonWriter::finish() {
    m_out += '\n';
    m_sink(m_out);
    m_out.clear();
}

}  // namespace roofscope
