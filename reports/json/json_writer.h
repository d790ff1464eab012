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

/// Writes a JSON document of a report while it is made, as nlohmann's dump(2) would write the
/// whole: as a tree a report of 50,000 kernels would take gigabytes. Strings are cleaned
/// (reports/json/json_parts.h), and "</" is written so that it cannot end a script element around
/// it. What is missing is null.
class JsonWriter {
public:
    explicit JsonWriter(const TextSink& sink) : m_stream(sink, JsonStream::Layout::Indented) {}

    void beginObject() { m_stream.open('{'); }
    void endObject() { m_stream.close('}'); }
    void beginArray() { m_stream.open('['); }
    void endArray() { m_stream.close(']'); }
    void key(std::string_view name) { m_stream.key(quoted(name)); }

    void null() { m_stream.value("null"); }
    void value(bool flag) { m_stream.value(flag ? "true" : "false"); }
    void value(double number);  ///< null when it is not finite
    template <std::integral Number>
    requires(!std::same_as<Number, bool>) void value(Number number) {
        std::array<char, 24> digits;
        const auto [end, error] =
            std::to_chars(digits.data(), digits.data() + digits.size(), number);
        m_stream.value({digits.data(), end});
    }
    /// A string of the profiled program or a text of ours, cleaned and capped.
    void value(std::string_view text) { string(json_parts::clean(text)); }
    void value(const std::string& text) { value(std::string_view(text)); }
    void value(const char* text) { value(std::string_view(text)); }
    void value(SharedText text) { value(std::string_view(text)); }
    /// What is clean already, as long as it is.
    void string(std::string_view clean) { m_stream.value(quoted(clean)); }
    /// A tree.
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
    /// Null where the text is empty.
    void fieldOrNull(std::string_view name, const std::string& text) {
        key(name);
        text.empty() ? null() : value(text);
    }

    /// An object under this name; `fields` writes what is in it.
    template <class Fields>
    void object(std::string_view name, Fields fields) {
        key(name);
        beginObject();
        fields();
        endObject();
    }
    /// An array under this name; `write` writes each of the items.
    template <class Items, class Write>
    void array(std::string_view name, const Items& items, Write write) {
        key(name);
        beginArray();
        for (const auto& item : items) write(item);
        endArray();
    }
    /// The same of values.
    template <class Items>
    void array(std::string_view name, const Items& items) {
        array(name, items, [this](const auto& item) { value(item); });
    }
    /// The items of an array. More than 1000 are one line each: to indent them would double the
    /// file.
    void items(std::size_t count, const std::function<void(std::size_t)>& item);
    /// Ends the document.
    void finish() { m_stream.finish(); }

private:
    std::string_view quoted(std::string_view text);

    JsonStream m_stream;
    std::string m_quoted;  ///< the last text
};

}  // namespace roofscope
