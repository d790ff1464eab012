// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/model/derived.h"
#include "profile/text/text_sink.h"
#include "reports/json/json_parts.h"

namespace roofscope {

/// Writes a JSON document while it is made, as nlohmann's dump(2) would write the whole: a report
/// of 50,000 kernels would take gigabytes as a tree. Strings are cleaned
/// (reports/json/json_parts.h), and
/// "</" is written so that it cannot end a script element around it.
class JsonWriter {
public:
    explicit JsonWriter(const TextSink& sink) : m_sink(sink) {}
    ~JsonWriter() = default;
    JsonWriter(const JsonWriter&) = delete;
    JsonWriter& operator=(const JsonWriter&) = delete;

    void beginObject() { begin('{'); }
    void endObject() { end('}'); }
    void beginArray() { begin('['); }
    void endArray() { end(']'); }
    void key(std::string_view name);  ///< plain ASCII, that needs no escape

    void null();
    void value(bool flag);
    void value(double number);  ///< null when it is not finite
    template <std::integral Number>
    requires(!std::same_as<Number, bool>) void value(Number number) {
        constexpr std::size_t kLongest = 24;
        char* const at = begun(kLongest);
        ended(std::to_chars(at, at + kLongest, number).ptr);
    }
    /// A string of the profiled program or a text of ours, cleaned and capped.
    void value(std::string_view text);
    void value(const std::string& text) { value(std::string_view(text)); }
    void value(const char* text) { value(std::string_view(text)); }
    /// A text that comes again and again: cleaned once.
    void value(SharedText text);
    void repeated(const std::string& text);
    /// What is clean already.
    void string(std::string_view clean);
    /// A sentence that was put together from clean texts; as long as it is.
    void sentence(const std::string& text);
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
    void finish();

private:
    void begin(char bracket);
    void end(char bracket);
    /// Writes what stands before a value (a comma, a new line). Returns where the value goes, of
    /// which there is room for `size` bytes; `ended` takes the end of it.
    char* begun(std::size_t size);
    void ended(const char* end) { m_size = static_cast<std::size_t>(end - m_out.data()); }
    char* newLine(char* at) const;
    void append(std::string_view text);
    /// A finite number as the library writes those of trees.
    std::string_view textOf(double number);

    /// A number that was written: many come again, as all repeats of a count that agree do.
    struct Written {
        double number = 0;
        std::uint8_t size = 0;
        std::array<char, 31> text;
    };
    static constexpr std::size_t kWritten = 64;

    const TextSink& m_sink;
    std::vector<char> m_out;  ///< of which m_size bytes are text
    std::size_t m_size = 0;
    std::array<Written, kWritten> m_written;
    std::size_t m_depth = 0;
    bool m_first = true;  ///< nothing stands in the innermost brackets yet
    bool m_afterKey = false;
    bool m_oneLine = false;
    std::unordered_map<std::string, std::string> m_repeated;       ///< with quotes, by the text
    std::unordered_map<const std::string*, std::string> m_shared;  ///< the same of SharedText
};

}  // namespace roofscope
