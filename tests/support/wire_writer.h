// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace roofscope::test {

/// Writes protobuf messages, field by field:
/// WireWriter().varint(1, 300).bytes(2, "text").text()
class WireWriter {
public:
    WireWriter& varint(std::uint32_t field, std::uint64_t value) {
        tag(field, 0);
        number(value);
        return *this;
    }
    WireWriter& fixed64(std::uint32_t field, std::uint64_t value) {
        tag(field, 1);
        return raw(littleEndian(value, 8));
    }
    WireWriter& real(std::uint32_t field, double value) {
        return fixed64(field, std::bit_cast<std::uint64_t>(value));
    }
    WireWriter& real32(std::uint32_t field, float value) {
        tag(field, 5);
        return raw(littleEndian(std::bit_cast<std::uint32_t>(value), 4));
    }
    WireWriter& bytes(std::uint32_t field, std::string_view value) {
        tag(field, 2);
        number(value.size());
        return raw(value);
    }
    WireWriter& message(std::uint32_t field, const WireWriter& value) {
        return bytes(field, value.m_text);
    }
    WireWriter& raw(std::string_view text) {
        m_text += text;
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return m_text; }

    static std::string littleEndian(std::uint64_t value, int bytes) {
        std::string text;
        for (int i = 0; i < bytes; ++i, value >>= 8U) text += static_cast<char>(value & 0xFFU);
        return text;
    }

private:
    void tag(std::uint32_t field, std::uint32_t type) { number(std::uint64_t{field} << 3U | type); }
    void number(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) m_text += static_cast<char>(value | 0x80U);
        m_text += static_cast<char>(value);
    }

    std::string m_text;
};

}  // namespace roofscope::test
