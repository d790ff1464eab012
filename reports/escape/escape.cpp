// SPDX-License-Identifier: Apache-2.0
#include "reports/escape/escape.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "profile/text/utf8.h"

namespace roofscope {

namespace {

bool isAlnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Length of the longest run of backticks.
std::size_t backtickRun(std::string_view text) {
    std::size_t longest = 0, run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

std::string codeSpan(std::string text) {
    if (text.find_first_not_of(' ') == std::string::npos) return "`(no name)`";
    const std::string fence(backtickRun(text) + 1, '`');
    const bool pad =
        text.front() == '`' || text.back() == '`' || (text.front() == ' ' && text.back() == ' ');
    return fence + (pad ? " " : "") + text + (pad ? " " : "") + fence;
}

std::string replaceAll(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// Whether markdown may give the character a special meaning.
bool isMarkup(std::string_view text, std::size_t at) {
    const char before = at > 0 ? text[at - 1] : ' ';
    const char after = at + 1 < text.size() ? text[at + 1] : ' ';
    switch (text[at]) {
        case '\\':
        case '`':
        case '*':
        case '[':
        case ']':
        case '|':
        case '~':
        case '$':
        case '@':  // mail addresses become links
            return true;
        case ':':  // and so does http://…
            return after == '/';
        case '.':  // and www.…
            return at >= 3 && (text[at - 1] | 32) == 'w' && (text[at - 2] | 32) == 'w';
        case '_':  // no emphasis inside a word (smsp__inst_executed)
            return !((isAlnum(before) || before == '_') && (isAlnum(after) || after == '_'));
        case '<':
            return isAlnum(after) || after == '/' || after == '!' || after == '?';
        case '&':
            return isAlnum(after) || after == '#';
        case '!':
            return after == '[';
        case '#':
            return before == ' ';
        default:
            return false;
    }
}

bool isSafeInShell(char c) {
    return isAlnum(c) || std::string_view("_-./=:,+@%^").find(c) != std::string_view::npos;
}

}  // namespace

std::string markdownCode(std::string_view text, std::size_t maxLength) {
    return codeSpan(cleanText(text, maxLength));
}

std::string markdownCodeCell(std::string_view text, std::size_t maxLength) {
    // GFM removes exactly one backslash before "|", so an existing one must not be doubled.
    return replaceAll(codeSpan(cleanText(text, maxLength)), "|", "\\|");
}

std::string markdownText(std::string_view text, std::size_t maxLength) {
    const std::string clean = cleanText(text, maxLength);
    std::string out;
    for (std::size_t i = 0; i < clean.size(); ++i) {
        if (isMarkup(clean, i)) out.push_back('\\');
        out.push_back(clean[i]);
    }
    return out;
}

std::string xmlText(std::string_view text, std::size_t maxLength) {
    static constexpr std::pair<char, std::string_view> kEntities[] = {
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    std::string out;
    for (const char c : cleanText(text, maxLength)) {
        const auto* const found = std::ranges::find(kEntities, c, [](auto& e) { return e.first; });
        out += found == std::end(kEntities) ? std::string_view(&c, 1) : found->second;
    }
    return out;
}

std::string csvField(std::string_view text, std::size_t maxLength) {
    std::string clean = cleanText(text, maxLength);
    const std::size_t first = clean.find_first_not_of(' ');
    // Some spreadsheets also accept full-width signs.
    const auto startsWith = [&](std::string_view sign) {
        return std::string_view(clean).substr(first).starts_with(sign);
    };
    constexpr std::string_view kFormula = "=+-@";
    if (first != std::string::npos &&
        (kFormula.find(clean[first]) != std::string_view::npos || startsWith("\uFF1D") ||
         startsWith("\uFF0B") || startsWith("\uFF0D") || startsWith("\uFF20")))
        clean.insert(0, "'");
    if (clean.find_first_of(",;\"") == std::string::npos && first == 0) return clean;
    return clean.empty() ? clean : "\"" + replaceAll(std::move(clean), "\"", "\"\"") + "\"";
}

std::string shellArgument(std::string_view argument) {
    bool safe = !argument.empty(), printable = true;
    for (std::size_t at = 0; at < argument.size();) {
        const char c = argument[at];
        if (!isSafeInShell(c)) safe = false;
        const auto decoded = utf8::next(argument, at);
        if (!decoded || utf8::isHidden(*decoded)) printable = false;
    }
    if (safe) return std::string(argument);
    if (printable) return "'" + replaceAll(std::string(argument), "'", "'\\''") + "'";
    std::string out = "$'";
    for (std::size_t at = 0; at < argument.size();) {
        const std::size_t start = at;
        const auto decoded = utf8::next(argument, at);
        const std::string_view bytes = argument.substr(start, at - start);
        if (!decoded || utf8::isHidden(*decoded)) {
            // An octal escape has at most three digits; \x would also swallow hex digits that
            // follow.
            for (const char byte : bytes)
                out += fmt::format("\\{:03o}",
                                   static_cast<unsigned>(static_cast<unsigned char>(byte)));
        } else {
            if (bytes == "'" || bytes == "\\") out.push_back('\\');
            out += bytes;
        }
    }
    return out + "'";
}

std::string shellCommand(const std::vector<std::string>& arguments, std::size_t maxLength) {
    std::string out;
    for (const std::string& argument : arguments) {
        if (argument.size() > maxLength || out.size() > maxLength) return {};
        if (!out.empty()) out.push_back(' ');
        out += shellArgument(argument);
    }
    return out.size() > maxLength ? std::string() : out;
}

std::size_t displayWidth(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto c = utf8::next(text, at);
        width += c && utf8::isWide(*c) ? 2 : 1;
    }
    return width;
}

std::string fitWidth(std::string_view text, std::size_t width, bool right) {
    std::string shown(text);
    if (displayWidth(text) > width) {
        shown.clear();
        std::size_t used = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t start = at;
            const auto c = utf8::next(text, at);
            const std::size_t columns = c && utf8::isWide(*c) ? 2 : 1;
            if (used + columns + 1 > width) break;
            shown += text.substr(start, at - start);
            used += columns;
        }
        if (width > 0) shown += "…";
    }
    const std::size_t used = displayWidth(shown);
    const std::string pad(width > used ? width - used : 0, ' ');
    return right ? pad + shown : shown + pad;
}

}  // namespace roofscope
