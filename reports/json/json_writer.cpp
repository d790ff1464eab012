// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_writer.h"

#include <cmath>

namespace roofscope {

std::string_view JsonWriter::quoted(std::string_view text) {
    m_quoted.clear();
    appendQuoted(m_quoted, text);
    for (std::size_t at = 0; (at = m_quoted.find("</", at)) != m_quoted.npos;)
        m_quoted.insert(at + 1, 1, '\\');
    return m_quoted;
}

void JsonWriter::value(double number) {
    if (!std::isfinite(number)) return null();
    std::array<char, 64> digits;
    const char* const end =
        nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), number);
    m_stream.value({digits.data(), end});
}

void JsonWriter::value(const json_parts::Json& tree) {
    if (tree.is_object()) {
        beginObject();
        for (const auto& [name, content] : tree.items()) field(name, content);
        endObject();
    } else if (tree.is_array()) {
        beginArray();
        for (const json_parts::Json& item : tree) value(item);
        endArray();
    } else if (tree.is_string()) {
        string(tree.get_ref<const std::string&>());
    } else if (tree.is_number_float()) {
        value(tree.get<double>());
    } else {
        m_stream.value(tree.dump());
    }
}

void JsonWriter::value(const Dim3& extents) {
    beginArray();
    for (const auto extent : {extents.x, extents.y, extents.z}) value(extent);
    endArray();
}

void JsonWriter::items(std::size_t count, const std::function<void(std::size_t)>& item) {
    constexpr std::size_t kMostIndented = 1000;
    const bool aLineEach = count > kMostIndented;
    beginArray();
    for (std::size_t i = 0; i < count; ++i) {
        if (aLineEach) m_stream.beginOneLine();
        item(i);
        if (aLineEach) m_stream.endOneLine();
    }
    endArray();
}

}  // namespace roofscope
