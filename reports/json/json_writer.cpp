// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "profile/text/utf8.h"

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

char* JsonWriter::newLine(char* at) const {
    *at++ = '\n';
    return std::fill_n(at, m_depth * kIndent, ' ');
}

char* JsonWriter::begun(std::size_t size) {
    const std::size_t most = m_size + size + m_depth * kIndent + 2;
    if (most > m_out.size()) m_out.resize(std::max(most, kPiece + kPiece / 4));
    char* at = m_out.data() + m_size;
    if (m_afterKey) {
        m_afterKey = false;
        return at;
    }
    if (m_depth == 0) return at;
    if (!m_first) *at++ = ',';
    m_first = false;
    return m_oneLine ? at : newLine(at);
}

void JsonWriter::append(std::string_view text) {
    char* const at = begun(text.size());
    ended(std::ranges::copy(text, at).out);
}

void JsonWriter::begin(char bracket) {
    append({&bracket, 1});
    ++m_depth;
    m_first = true;
}

void JsonWriter::end(char bracket) {
    --m_depth;
    m_afterKey = true;  // no comma
    char* at = begun(1);
    if (!m_first && !m_oneLine) at = newLine(at);
    *at++ = bracket;
    ended(at);
    m_first = false;
    if (m_size < kPiece) return;
    m_sink({m_out.data(), m_size});
    m_size = 0;
}

void JsonWriter::key(std::string_view name) {
    char* at = begun(name.size() + 4);
    *at++ = '"';
    at = std::ranges::copy(name, at).out;
    *at++ = '"';
    *at++ = ':';
    if (!m_oneLine) *at++ = ' ';
    ended(at);
    m_afterKey = true;
}

void JsonWriter::null() { append("null"); }

void JsonWriter::value(bool flag) { append(flag ? "true" : "false"); }

std::string_view JsonWriter::textOf(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    Written& written = m_written[bits * 0x9E3779B97F4A7C15 >> (64 - std::bit_width(kWritten - 1))];
    if (written.size == 0 || std::bit_cast<std::uint64_t>(written.number) != bits) {
        char* const begin = written.text.data();
        char* const end = begin + written.text.size();
        written.number = number;
        written.size =
            static_cast<std::uint8_t>(nlohmann::detail::to_chars(begin, end, number) - begin);
    }
    return {written.text.data(), written.size};
}

void JsonWriter::value(double number) {
    if (!std::isfinite(number)) return null();
    // Whole ones the library writes in the same way: it takes several times as long.
    constexpr double kWhole = 1e15;
    const auto whole = std::abs(number) < kWhole ? static_cast<std::int64_t>(number) : 0;
    if (whole != 0 && number == static_cast<double>(whole)) {
        constexpr std::size_t kLongest = 24;
        char* at = begun(kLongest);
        at = std::to_chars(at, at + kLongest, whole).ptr;
        *at++ = '.';
        *at++ = '0';
        return ended(at);
    }
    append(textOf(number));
}

void JsonWriter::value(std::string_view text) {
    if (text.size() > json_parts::kMaxJsonName || plainLength(text) < text.size())
        return string(json_parts::clean(text));
    char* at = begun(text.size() + 2);
    *at++ = '"';
    at = std::ranges::copy(text, at).out;
    *at++ = '"';
    ended(at);
}

void JsonWriter::value(SharedText text) {
    std::string& known = m_shared[&text.str()];
    if (known.empty()) quote(known, json_parts::clean(text));
    append(known);
}

void JsonWriter::string(std::string_view clean) {
    std::string quoted;
    quote(quoted, clean);
    append(quoted);
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
    append(known->second);
}

void JsonWriter::value(const json_parts::Json& tree) {
    std::string text;
    json_parts::appendText(text, json_parts::textOf(tree, m_oneLine ? -1 : 2),
                           std::string(m_oneLine ? 0 : m_depth * kIndent, ' '));
    append(text);
}

void JsonWriter::value(const Dim3& extents) {
    beginArray();
    for (const auto extent : {extents.x, extents.y, extents.z}) value(extent);
    endArray();
}

void JsonWriter::items(std::size_t count, const std::function<void(std::size_t)>& item) {
    beginArray();
    for (std::size_t i = 0; i < count; ++i) {
        if (count > kMostIndented) {
            append({});
            m_afterKey = true;  // what comes next follows at once
            m_oneLine = true;
        }
        item(i);
        m_oneLine = false;
    }
    endArray();
}

void JsonWriter::finish() {
    m_depth = 0;
    append("\n");
    m_sink({m_out.data(), m_size});
    m_size = 0;
}

}  // namespace roofscope
