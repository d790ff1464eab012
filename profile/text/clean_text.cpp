// SPDX-License-Identifier: Apache-2.0
#include "profile/text/clean_text.h"

#include <algorithm>

#include "profile/text/utf8.h"

namespace roofscope {

namespace {

bool isPlain(char c) { return c >= ' ' && c <= '~'; }

/// Skips a terminal escape sequence (ECMA-48) that starts at `at` with ESC or a C1 control; false
/// if there is none. An unfinished sequence ends where its grammar breaks, so that it cannot
/// swallow the rest of a name.
bool skipEscapeSequence(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    std::size_t i = at;
    unsigned char kind = 0;
    if (byte(i) == 0x1B) {
        kind = byte(i + 1);
        i += 2;
    } else if (byte(i) == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) <= 0x9F) {
        kind = static_cast<unsigned char>(byte(i + 1) - 0x40);  // the 7-bit form of a C1 control
        i += 2;
    } else {
        return false;
    }
    if (kind == '[') {
        while (byte(i) >= 0x20 && byte(i) <= 0x3F) ++i;
        if (byte(i) >= 0x40 && byte(i) <= 0x7E) ++i;
    } else if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
        // A control string: skip up to BEL or ST if one is near, else only the introducer.
        constexpr std::size_t kLongest = 4096;
        const std::size_t limit = std::min(text.size(), i + kLongest);
        for (std::size_t end = i; end < limit; ++end) {
            if (byte(end) == 0x07) {
                i = end + 1;
                break;
            }
            if (byte(end) == 0x1B && byte(end + 1) == '\\') {
                i = end + 2;
                break;
            }
        }
    } else if (kind < 0x20 || kind > 0x7E) {
        i = std::min(i - 1, text.size());  // a lone ESC
        if (i == at) ++i;
    }
    at = std::min(i, text.size());
    return true;
}

}  // namespace

std::string cleanText(std::string_view text, std::size_t maxLength) {
    std::string out;
    out.reserve(std::min(text.size(), maxLength * 4 + 8));
    std::size_t length = 0, lastStart = 0;
    for (std::size_t at = 0; at < text.size();) {
        // Fast path: nearly all text is printable ASCII, which is copied.
        std::size_t run = 0;
        while (run < maxLength - length && at + run < text.size() && isPlain(text[at + run])) ++run;
        if (run > 0) {
            out.append(text, at, run);
            at += run;
            length += run;
            lastStart = out.size() - 1;
            continue;
        }
        if (skipEscapeSequence(text, at)) continue;
        const auto decoded = utf8::next(text, at);
        char32_t c = decoded.value_or(0xFFFD);
        if (c == '\n' || c == '\r' || c == '\t' || c == 0x2028 || c == 0x2029) c = ' ';
        if (utf8::isHidden(c)) continue;
        if (length == maxLength) {
            // Too long: replace the last character by "…".
            if (maxLength > 0) {
                out.resize(lastStart);
                out += "…";
            }
            return out;
        }
        lastStart = out.size();
        utf8::append(out, c);
        ++length;
    }
    return out;
}

}  // namespace roofscope
