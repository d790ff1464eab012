// SPDX-License-Identifier: Apache-2.0
#include "profile/names/function_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

#include "profile/names/numba_name.h"

namespace roofscope {

namespace {

bool isIdentifier(char c) {
    const auto u = static_cast<unsigned char>(c);
    return std::isalnum(u) != 0 || c == '_' || c == '$' || c == '~' || u >= 0x80;
}

/// Whether the word "operator" ends right before `at`, ignoring blanks.
bool afterOperator(std::string_view text, std::size_t at) {
    constexpr std::string_view kOperator = "operator";
    while (at > 0 && text[at - 1] == ' ') --at;
    if (at < kOperator.size() || text.substr(at - kOperator.size(), kOperator.size()) != kOperator)
        return false;
    return at == kOperator.size() || !isIdentifier(text[at - kOperator.size() - 1]);
}

/// End of the symbol of an operator function that starts at `at`: "()", "<<=", "->", "[]", …
std::size_t endOfOperatorSymbol(std::string_view text, std::size_t at) {
    if (text.substr(at, 2) == "()" || text.substr(at, 2) == "[]") return at + 2;
    constexpr std::string_view kSymbols = "<>=!+-*/%^&|~,";
    std::size_t end = at;
    while (end < text.size() && end < at + 3 && kSymbols.find(text[end]) != text.npos) ++end;
    return end;
}

/// Where the name is, as found by scanning at nesting depth 0.
struct Parts {
    std::size_t nameBegin = 0;  ///< after the return type and the last top-level "::"
    std::size_t nameEnd = 0;    ///< before the parameter list
};

Parts scan(std::string_view text) {
    Parts parts{.nameEnd = text.size()};
    std::vector<char> open;                // open brackets; unbalanced ones just stay
    std::array<std::size_t, 128> count{};  // per kind: never search for one that is not there
    const auto push = [&](char opener) {
        open.push_back(opener);
        ++count[static_cast<unsigned char>(opener)];
    };
    const auto pop = [&] {
        const char opener = open.back();
        open.pop_back();
        --count[static_cast<unsigned char>(opener)];
        return opener;
    };
    const auto close = [&](char opener) {
        if (count[static_cast<unsigned char>(opener)] == 0) return;
        // A '<' that is still open at a ')' was a less-than sign.
        while (pop() != opener) {
        }
    };
    bool blankOfOperator = false;  // decided at the first blank of a run
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (open.empty() && std::string_view("<>()[]=!+-*/%^&|,").find(c) != text.npos &&
            afterOperator(text, i)) {
            const std::size_t end = endOfOperatorSymbol(text, i);
            if (end > i) {
                // "operator<< <char>": the blank keeps the arguments apart from the symbol.
                i = text.substr(end, 2) == " <" ? end : end - 1;
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
                push(c);
                break;
            case '<':
            case '[':
            case '{':
                push(c);
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
                if (!open.empty() && open.back() == '<') pop();
                break;
            case ' ':
                if (!open.empty()) break;
                if (i == 0 || text[i - 1] != ' ') blankOfOperator = afterOperator(text, i);
                if (!blankOfOperator) parts.nameBegin = i + 1;
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

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

}  // namespace

std::string functionName(std::string_view demangled) {
    std::string text(trim(demangled));
    eraseAll(text, "(anonymous namespace)::");
    eraseAll(text, "<unnamed>::");
    const Parts parts = scan(text);
    std::string_view name;
    if (parts.nameBegin < parts.nameEnd)
        name =
            trim(std::string_view(text).substr(parts.nameBegin, parts.nameEnd - parts.nameBegin));
    return name.empty() ? text : std::string(name);
}

std::string functionBaseName(std::string_view demangled) {
    if (const auto numba = numbaName(demangled)) return numba->function;
    std::string name = functionName(demangled);
    if (const auto list = name.find('<'); list != name.npos && list > 0) name.resize(list);
    return std::string(trim(name));
}

std::string stableKernelName(std::string_view demangled) {
    const auto numba = numbaName(demangled);
    return numba ? numba->text() : std::string(demangled);
}

std::string kernelOfStub(std::string_view demangled) {
    constexpr std::string_view kStub = "__device_stub_";
    if (!demangled.starts_with(kStub)) return {};
    demangled.remove_prefix(kStub.size());
    std::string_view symbol = demangled.substr(0, demangled.find('('));
    // Do not use a demangler: names come from files, and a short one can demangle to gigabytes.
    constexpr std::string_view kMangled = "_Z";
    if (!symbol.starts_with(kMangled)) return std::string(symbol);
    symbol.remove_prefix(kMangled.size());
    const bool nested = symbol.starts_with('N');
    if (nested) symbol.remove_prefix(1);
    std::string_view name;  // the last part: "4gemm" of "N2ns4gemmE"
    for (std::size_t length = 0; !symbol.empty(); symbol.remove_prefix(length)) {
        const auto [end, error] =
            std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
        if (error != std::errc() || length == 0) break;
        symbol.remove_prefix(static_cast<std::size_t>(end - symbol.data()));
        length = std::min(length, symbol.size());
        name = symbol.substr(0, length);
        if (!nested) break;
    }
    return std::string(name);
}

}  // namespace roofscope
