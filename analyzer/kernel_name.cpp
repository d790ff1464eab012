// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analysis.h"

namespace roofscope {

namespace {

constexpr std::string_view kEllipsis = "…";

bool isIdentifier(char c) {
    const auto u = static_cast<unsigned char>(c);
    return std::isalnum(u) != 0 || c == '_' || c == '$' || c == '~' || u >= 0x80;
}

/// True when the word "operator" ends right before `at`.
bool afterOperator(std::string_view text, std::size_t at) {
    constexpr std::string_view kWord = "operator";
    while (at > 0 && text[at - 1] == ' ') --at;
    if (at < kWord.size() || text.substr(at - kWord.size(), kWord.size()) != kWord) return false;
    return at == kWord.size() || !isIdentifier(text[at - kWord.size() - 1]);
}

/// End of the symbol of an operator function that starts at `at`: "()", "<<=", "->", "[]", …
std::size_t endOfOperatorSymbol(std::string_view text, std::size_t at) {
    if (text.substr(at, 2) == "()" || text.substr(at, 2) == "[]") return at + 2;
    constexpr std::string_view kSymbols = "<>=!+-*/%^&|~,";
    std::size_t end = at;
    while (end < text.size() && end < at + 3 && kSymbols.find(text[end]) != text.npos) ++end;
    return end;
}

/// What scanning a name at nesting depth 0 finds.
struct Parts {
    std::size_t nameBegin = 0;  ///< after the return type and the last top-level "::"
    std::size_t nameEnd = 0;    ///< before the parameter list
};

Parts scan(std::string_view text) {
    Parts parts{.nameBegin = 0, .nameEnd = text.size()};
    std::vector<char> open;  // brackets that are open; unbalanced ones simply stay
    const auto close = [&open](char opener) {
        // A ')' also ends any '<' inside it: that one was a less-than sign.
        for (std::size_t i = open.size(); i-- > 0;)
            if (open[i] == opener) {
                open.resize(i);
                return;
            }
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (open.empty() && std::string_view("<>()[]=!+-*/%^&|,").find(c) != text.npos &&
            afterOperator(text, i)) {
            const std::size_t end = endOfOperatorSymbol(text, i);
            if (end > i) {
                i = end - 1;
                continue;
            }
        }
        switch (c) {
            case '(':
                if (open.empty() && i > parts.nameBegin &&
                    text.substr(parts.nameBegin, i - parts.nameBegin) != "decltype") {
                    parts.nameEnd = i;
                    return parts;
                }
                open.push_back(c);
                break;
            case '<':
            case '[':
            case '{':
                open.push_back(c);
                break;
            case ')':
                close('(');
                break;
            case ']':
                close('[');
                break;
            case '}':
                close('{');
                break;
            case '>':
                if (i > 0 && text[i - 1] == '-') break;  // "->"
                if (!open.empty() && open.back() == '<') open.pop_back();
                break;
            case ' ':
                if (open.empty() && !afterOperator(text, i)) parts.nameBegin = i + 1;
                break;
            case ':':
                if (open.empty() && i + 1 < text.size() && text[i + 1] == ':') {
                    parts.nameBegin = i + 2;
                    ++i;
                }
                break;
            default:
                break;
        }
    }
    return parts;
}

/// "at::native::Add<std::pair<a::B, int>>" → "Add<pair<B, int>>".
std::string withoutNamespaces(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ':' && i + 1 < text.size() && text[i + 1] == ':') {
            std::size_t keep = out.size();
            while (keep > 0 && isIdentifier(out[keep - 1])) --keep;
            if (keep < out.size()) {
                out.resize(keep);
                ++i;
                continue;
            }
            if (out.empty()) {
                ++i;
                continue;
            }
        }
        out += text[i];
    }
    return out;
}

void eraseAll(std::string& text, std::string_view what) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, from)) {
        out.append(text, from, at - from);
        from = at + what.size();
    }
    if (from == 0) return;
    out.append(text, from, text.npos);
    text = std::move(out);
}

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// At most `maxLength` characters, cut in the middle; never inside a UTF-8 sequence.
std::string shorten(const std::string& text, std::size_t maxLength) {
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (!isContinuation(text[i])) starts.push_back(i);
    if (starts.size() <= maxLength) return text;
    if (maxLength == 0) return {};
    const std::size_t kept = maxLength - 1;
    const std::size_t tail = kept / 2, head = kept - tail;
    std::string out = text.substr(0, starts[head]);
    out += kEllipsis;
    if (tail > 0) out += text.substr(starts[starts.size() - tail]);
    return out;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

}  // namespace

std::string shortKernelName(std::string_view demangled, std::size_t maxLength) {
    std::string text(trim(demangled));
    eraseAll(text, "(anonymous namespace)::");
    eraseAll(text, "<unnamed>::");
    const Parts parts = scan(text);
    std::string_view name;
    if (parts.nameBegin < parts.nameEnd)
        name =
            trim(std::string_view(text).substr(parts.nameBegin, parts.nameEnd - parts.nameBegin));
    if (name.empty()) name = text;  // not a C++ name: show it as it is
    return shorten(withoutNamespaces(name), maxLength);
}

}  // namespace roofscope
