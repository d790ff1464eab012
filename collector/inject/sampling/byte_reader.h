// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "collector/inject/sampling/own_memory.h"

namespace roofscope::inject {

/// Reads consecutive numbers from this process' memory; a bad address is an error, not a crash.
/// After the first failure, every number is 0 and ok() is false.
class ByteReader {
public:
    ByteReader(std::uintptr_t from, std::uintptr_t end) : m_at(from), m_end(end) {}

    template <class T>
    requires std::is_trivially_copyable_v<T> T next() {
        T value{};
        if (!m_ok || sizeof(T) > m_end - m_at || !fetch(sizeof(T))) return fail(), T{};
        std::memcpy(&value, m_bytes.data() + (m_at - m_first), sizeof value);
        m_at += sizeof value;
        return value;
    }
    std::uint64_t unsignedLeb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = next<std::uint8_t>();
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if ((byte & 0x80U) == 0) return value;
        }
        return fail(), 0;
    }
    std::int64_t signedLeb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = next<std::uint8_t>();
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if ((byte & 0x80U) != 0) continue;
            if ((byte & 0x40U) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
            return std::bit_cast<std::int64_t>(value);
        }
        return fail(), 0;
    }
    /// Reads a pointer as .eh_frame encodes it (DW_EH_PE_…). `data` is the base for the "data
    /// relative" encoding.
    std::uintptr_t pointer(std::uint8_t encoding, std::uintptr_t data = 0);

    void skip(std::uint64_t bytes) {
        if (bytes > m_end - m_at) return fail();
        m_at += bytes;
    }
    [[nodiscard]] std::uintptr_t at() const { return m_at; }
    [[nodiscard]] bool more() const { return m_ok && m_at < m_end; }
    [[nodiscard]] bool ok() const { return m_ok; }

private:
    void fail() { m_ok = false; }
    /// Makes sure that these bytes are in m_bytes.
    bool fetch(std::size_t bytes) {
        if (m_at >= m_first && m_at + bytes <= m_first + m_count) return true;
        m_first = m_at;
        m_count = own_memory::copy(m_at, m_bytes.data(), std::min(m_bytes.size(), m_end - m_at));
        return bytes <= m_count;
    }

    std::uintptr_t m_at, m_end;
    std::uintptr_t m_first = 0;  ///< address of m_bytes
    std::size_t m_count = 0;
    std::array<std::uint8_t, 128> m_bytes{};
    bool m_ok = true;
};

inline std::uintptr_t ByteReader::pointer(std::uint8_t encoding, std::uintptr_t data) {
    constexpr std::uint8_t kOmit = 0xff, kIndirect = 0x80, kForm = 0x0f, kBase = 0x70;
    constexpr std::uint8_t kHere = 0x10, kData = 0x30;
    if (encoding == kOmit) return 0;
    const std::uintptr_t here = m_at;
    std::uintptr_t value = 0;
    switch (encoding & kForm) {
        case 0x00:
        case 0x04:
        case 0x0c:
            value = next<std::uint64_t>();
            break;
        case 0x01:
            value = unsignedLeb();
            break;
        case 0x02:
            value = next<std::uint16_t>();
            break;
        case 0x03:
            value = next<std::uint32_t>();
            break;
        case 0x09:
            value = static_cast<std::uintptr_t>(signedLeb());
            break;
        case 0x0a:
            value = static_cast<std::uintptr_t>(std::int64_t{next<std::int16_t>()});
            break;
        case 0x0b:
            value = static_cast<std::uintptr_t>(std::int64_t{next<std::int32_t>()});
            break;
        default:
            return fail(), 0;
    }
    if (value == 0) return 0;
    const auto base = static_cast<std::uint8_t>(encoding & kBase);
    if (base == kHere)
        value += here;
    else if (base == kData)
        value += data;
    else if (base != 0)
        return fail(), 0;
    if ((encoding & kIndirect) != 0 && !own_memory::read(value, value)) return fail(), 0;
    return value;
}

}  // namespace roofscope::inject
