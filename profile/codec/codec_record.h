// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "profile/codec/codec_internal.h"
#include "profile/codec/json_cursor.h"
#include "profile/codec/json_writer.h"

/// JSON objects with one key per struct member. A function template that takes either of these
/// classes names each key once, for both reading and writing. Internal to profile/.
namespace roofscope {

class RecordWriter {
public:
    explicit RecordWriter(json::Writer& writer) : m_writer(writer) {}

    template <class T>
    void operator()(std::string_view key, const T& value) const {
        m_writer.field(key, value);
    }
    void operator()(std::string_view key, const std::optional<Seconds>& value) const {
        if (value) m_writer.field(key, nsFromSeconds(*value));
    }
    template <class Tag>
    void operator()(std::string_view key, const std::optional<Quantity<Tag>>& value) const {
        if (value) m_writer.field(key, value->value);
    }
    /// Leaves the key out if the value is the default.
    template <class T>
    void ifAny(std::string_view key, const T& value) const {
        when(value != T{}, key, value);
    }
    template <class T>
    void when(bool written, std::string_view key, const T& value) const {
        if (written) (*this)(key, value);
    }

private:
    json::Writer& m_writer;
};

/// A missing key leaves its member unchanged.
class RecordReader {
public:
    explicit RecordReader(const json::Cursor& at) : m_at(at) {}

    template <class T>
    void operator()(std::string_view key, T& target) const {
        m_at.read(key, target);
    }
    void operator()(std::string_view key, std::optional<Seconds>& target) const {
        if (const auto ns = notNegative(key)) target = secondsFromNs(*ns);
    }
    void operator()(std::string_view key, std::optional<Hertz>& target) const {
        if (const auto hertz = notNegative(key)) target = Hertz{*hertz};
    }
    void operator()(std::string_view key, std::optional<Ratio>& target) const {
        if (const auto at = m_at.find(key)) target = Ratio{at->number()};
    }
    template <class T>
    void ifAny(std::string_view key, T& target) const {
        (*this)(key, target);
    }
    template <class T>
    void when(bool /*written*/, std::string_view key, T& target) const {
        (*this)(key, target);
    }

private:
    [[nodiscard]] std::optional<double> notNegative(std::string_view key) const {
        std::optional<double> value;
        m_at.read(key, value);
        if (value && *value < 0) m_at.find(key)->fail("must not be negative");
        return value;
    }

    const json::Cursor& m_at;
};

/// `writeItem(writer, item)` writes the members of one item.
template <class T, class Write>
void writeList(json::Writer& w, std::string_view key, const std::vector<T>& list, Write writeItem,
               bool newLine = true) {
    w.key(key, newLine);
    w.open('[');
    for (const T& item : list) {
        w.open('{');
        writeItem(w, item);
        w.close('}');
    }
    w.close(']');
}

template <class T, class Read>
std::vector<T> readList(const json::Cursor& root, std::string_view key, Read readItem) {
    std::vector<T> list;
    if (const auto at = root.find(key)) {
        std::size_t count = 0;  // a growing vector takes up to twice the memory
        at->forEach([&](const json::Cursor&) { ++count; });
        list.reserve(count);
        at->forEach([&](const json::Cursor& item) { list.push_back(readItem(item)); });
    }
    return list;
}

}  // namespace roofscope
