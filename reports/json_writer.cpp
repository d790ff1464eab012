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

/// What stands in a JSON string as it is: printable ASCII but for quotes, backslashes and what may
/// begin "</".
constexpr auto kPlain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t c = ' '; c <= '~'; ++c) plain[c] = c != '"' && c != '\\' && c != '<';
    return plain;
}();

std::size_t plainLength(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && kPlain[static_cast<unsigned char>(text[length])]) ++length;
    return length;
}

/// Appends clean text between quotes. Clean text has no control characters.
void quote(std::string& out, std::string_view text) {
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t plain = plainLength(text.substr(at)); plain > 0) {
            out.append(text, at, plain);
            at += plain;
            continue;
        }
        if (text[at] == '"' || text[at] == '\\') out += '\\';
        out += text[at];
        if (text.substr(at).starts_with("</")) out += '\\';
        ++at;
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

void JsonWriter::value(std::string_view text) {
    if (text.size() > json_parts::kMaxJsonName || plainLength(text) < text.size())
        return string(json_parts::clean(text));
    separate();
    m_out += '"';
    m_out += text;
    m_out += '"';
}

void JsonWriter::value(SharedText text) {
    std::string& known = m_shared[&text.str()];
    if (known.empty()) quote(known, json_parts::clean(text));
    separate();
    m_out += known;
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
