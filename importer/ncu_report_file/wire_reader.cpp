// SPDX-License-Identifier: Apache-2.0
#include "importer/ncu_report_file/wire_reader.h"

namespace roofscope::ncufile {

std::string_view toString(WireFault fault) {
    switch (fault) {
        case WireFault::None:
            return "nothing is wrong";
        case WireFault::Truncated:
            return "a field goes beyond its end";
        case WireFault::BadVarint:
            return "a number has more than 64 bits";
        case WireFault::BadNumber:
            return "a field has an impossible number";
        case WireFault::BadType:
            return "a field has an unknown encoding";
        case WireFault::BudgetSpent:
            return "the file has too many fields";
    }
    return "";
}

bool WireReader::fail(WireFault fault) {
    m_fault = fault;
    m_rest = {};
    return false;
}

bool WireReader::varint(std::uint64_t& value) {
    constexpr unsigned kBits = 64, kPerByte = 7, kMore = 0x80;
    value = 0;
    std::size_t at = 0;
    for (unsigned shift = 0; shift < kBits; shift += kPerByte) {
        if (at == m_rest.size()) return fail(WireFault::Truncated);
        const auto byte = static_cast<unsigned char>(m_rest[at++]);
        const std::uint64_t bits = byte & (kMore - 1);
        // Only one bit of the tenth byte fits into 64 bits.
        if (shift + kPerByte > kBits && (bits >> (kBits - shift)) != 0)
            return fail(WireFault::BadVarint);
        value |= bits << shift;
        if ((byte & kMore) == 0) {
            m_rest.remove_prefix(at);
            return true;
        }
    }
    return fail(WireFault::BadVarint);
}

bool WireReader::fixed(std::size_t bytes, std::uint64_t& value) {
    if (m_rest.size() < bytes) return fail(WireFault::Truncated);
    value = 0;
    for (std::size_t i = bytes; i-- > 0;)
        value = value << 8U | static_cast<unsigned char>(m_rest[i]);
    m_rest.remove_prefix(bytes);
    return true;
}

bool WireReader::next(WireField& field) {
    constexpr std::uint64_t kMostNumber = (std::uint64_t{1} << 29U) - 1;
    if (m_fault != WireFault::None || m_rest.empty()) return false;
    if (!m_budget.take()) return fail(WireFault::BudgetSpent);
    std::uint64_t tag = 0;
    if (!varint(tag)) return false;
    const std::uint64_t number = tag >> 3U;
    if (number < 1 || number > kMostNumber) return fail(WireFault::BadNumber);
    field = {.number = static_cast<std::uint32_t>(number),
             .type = static_cast<WireType>(tag & 7U),
             .value = 0,
             .bytes = {}};
    switch (field.type) {
        case WireType::Varint:
            return varint(field.value);
        case WireType::Fixed64:
            return fixed(8, field.value);
        case WireType::Fixed32:
            return fixed(4, field.value);
        case WireType::Bytes: {
            std::uint64_t length = 0;
            if (!varint(length)) return false;
            if (length > m_rest.size()) return fail(WireFault::Truncated);
            field.bytes = m_rest.substr(0, static_cast<std::size_t>(length));
            m_rest.remove_prefix(static_cast<std::size_t>(length));
            return true;
        }
    }
    return fail(WireFault::BadType);
}

}  // namespace roofscope::ncufile
