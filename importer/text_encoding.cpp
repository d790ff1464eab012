// SPDX-License-Identifier: Apache-2.0
#include "importer/text_encoding.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "profile/text/utf8.h"

namespace roofscope {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

enum class Utf16 { No, LittleEndian, BigEndian };

/// Detects UTF-16 by the byte-order mark or, without one, by NULs in every second byte.
Utf16 utf16Of(std::string_view bytes) {
    if (bytes.starts_with("\xFF\xFE")) return Utf16::LittleEndian;
    if (bytes.starts_with("\xFE\xFF")) return Utf16::BigEndian;
    constexpr std::size_t kLookedAt = 64;
    if (bytes.size() < 4) return Utf16::No;
    const std::size_t end = std::min(bytes.size(), kLookedAt) & ~std::size_t{1};
    std::size_t nuls[2] = {0, 0};
    for (std::size_t i = 0; i < end; ++i) nuls[i % 2] += bytes[i] == '\0' ? 1 : 0;
    if (nuls[0] == 0 && nuls[1] == end / 2) return Utf16::LittleEndian;
    if (nuls[1] == 0 && nuls[0] == end / 2) return Utf16::BigEndian;
    return Utf16::No;
}

std::string fromUtf16(std::string_view bytes, bool bigEndian) {
    std::string text;
    text.reserve(bytes.size() / 2);
    const auto unit = [&](std::size_t i) {
        const auto low = static_cast<unsigned char>(bytes[i + (bigEndian ? 1 : 0)]);
        const auto high = static_cast<unsigned char>(bytes[i + (bigEndian ? 0 : 1)]);
        return static_cast<char32_t>(high << 8 | low);
    };
    const auto isSurrogate = [](char32_t c, char32_t first) {
        return c >= first && c < first + 0x400;
    };
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        char32_t c = unit(i);
        if (i == 0 && c == 0xFEFF) continue;
        if (isSurrogate(c, 0xD800) && i + 3 < bytes.size() && isSurrogate(unit(i + 2), 0xDC00)) {
            c = 0x10000 + ((c - 0xD800) << 10) + (unit(i + 2) - 0xDC00);
            i += 2;
        } else if (isSurrogate(c, 0xD800) || isSurrogate(c, 0xDC00)) {
            c = kReplacement;
        }
        utf8::append(text, c);
    }
    return text;
}

/// The characters of code page 1252 from 0x80 to 0x9F; all others are as in Unicode.
char32_t fromCodePage1252(unsigned char byte) {
    constexpr std::array<char32_t, 32> kUpper{
        0x20AC,       kReplacement, 0x201A, 0x0192, 0x201E, 0x2026,       0x2020, 0x2021,
        0x02C6,       0x2030,       0x0160, 0x2039, 0x0152, kReplacement, 0x017D, kReplacement,
        kReplacement, 0x2018,       0x2019, 0x201C, 0x201D, 0x2022,       0x2013, 0x2014,
        0x02DC,       0x2122,       0x0161, 0x203A, 0x0153, kReplacement, 0x017E, 0x0178};
    return byte >= 0x80 && byte < 0xA0 ? kUpper[byte - 0x80] : byte;
}

}  // namespace

std::optional<std::string> convertedToUtf8(std::string_view bytes) {
    const Utf16 wide = utf16Of(bytes);
    if (wide != Utf16::No) return fromUtf16(bytes, wide == Utf16::BigEndian);
    std::optional<std::string> text;
    std::size_t kept = 0;  // start of the part that is not yet in `text`
    for (std::size_t at = 0; at < bytes.size();) {
        if (static_cast<unsigned char>(bytes[at]) < 0x80) {
            ++at;
            continue;
        }
        const std::size_t from = at;
        if (utf8::next(bytes, at)) continue;
        if (!text) text.emplace();
        text->append(bytes.substr(kept, from - kept));
        utf8::append(*text, fromCodePage1252(static_cast<unsigned char>(bytes[from])));
        kept = at;
    }
    if (text) text->append(bytes.substr(kept));
    return text;
}

}  // namespace roofscope
