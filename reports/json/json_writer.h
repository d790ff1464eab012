// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/model/shared_text.h"
#include "profile/text/json_stream.h"
#include "reports/json/json_parts.h"

namespace roofscope {

/// Streams a JSON report in the layout of nlohmann's dump(2). As a tree, a report of 50,000 kernels
/// would take gigabytes. Strings are cleaned (reports/json/json_parts.h), and "</" is escaped so
/// that it cannot end an enclosing script element. Missing values are null.
class JsonWriter {
public:
    explicit JsonWriter(const TextSink& sink,
                        JsonStream::Layout layout = JsonStream::Layout::Indented)
        : m_stream(sink, layout) {}

    void beginObject() { m_stream.open('{'); }
    void endObject() { m_stream.close('}'); }
    void beginArray() { m_stream.open('['); }
    void endArray() { m_stream.close(']'); }
    void key(std::string_view name) { m_stream.key(quoted(name)); }

    void null() { m_stream.value("null"); }
    void value(bool flag) { m_stream.value(flag ? "true" : "false"); }
    void value(double number);  ///< null if not finite
    template <std::integral Number>
    requires(!std::same_as<Number, bool>) void value(Number number) {
        std::array<char, 24> digits;
        const auto [end, error] =
            std::to_chars(digits.data(), digits.data() + digits.size(), number);
        m_stream.value({digits.data(), end});
    }
    /// A string of the profiled program or our own, cleaned and capped.
    void value(std::string_view text) { string(json_parts::clean(text)); }
    void value(const std::string& text) { value(std::string_view(text)); }
    void value(const char* text) { value(std::string_view(text)); }
    void value(SharedText text) { value(std::string_view(text)); }
    /// A string that is already clean; not capped.
    void string(std::string_view clean) { m_stream.value(quoted(clean)); }
    void value(const json_parts::Json& tree);
    void value(const Dim3& extents);
    template <class T>
    void value(const std::optional<T>& maybe) {
        maybe ? value(*maybe) : null();
    }

    template <class T>
    void field(std::string_view name, const T& content) {
        key(name);
        value(content);
    }
    /// null if the text is empty.
    void fieldOrNull(std::string_view name, const std::string& text) {
        key(name);
        text.empty() ? null() : value(text);
    }

    /// An object under this name; `fields` writes its members.
    template <class Fields>
    void object(std::string_view name, Fields fields) {
        key(name);
        beginObject();
        fields();
        endObject();
    }
    /// An array under this name; `write(item)` writes each item.
    template <class Items, class Write>
    void array(std::string_view name, const Items& items, Write write) {
        key(name);
        beginArray();
        for (const auto& item : items) write(item);
        endArray();
    }
    /// An array of plain values.
    template <class Items>
    void array(std::string_view name, const Items& items) {
        array(name, items, [this](const auto& item) { value(item); });
    }
    /// An array of `count` items. More than 1000 items are written one per line, since indenting
    /// them would double the file.
    void items(std::size_t count, const std::function<void(std::size_t)>& item);
    /// Ends the document.
    void finish() { m_stream.finish(); }

private:
    std::string_view quoted(std::string_view text);

    JsonStream m_stream;
    std::string m_quoted;  ///< buffer for the current string
};

}  // namespace roofscope
