// SPDX-License-Identifier: Apache-2.0
// Follows Numba's itanium_mangler.py and the mangling_args of its types.
#include "profile/names/numba_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>
#include <vector>

#include "profile/text/utf8.h"

namespace roofscope {

namespace {

using Texts = std::vector<std::string_view>;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isWordChar(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isNumber(std::string_view text) { return !text.empty() && std::ranges::all_of(text, isDigit); }

/// Decodes an escape like "_3d" at the start of `text`.
std::optional<unsigned char> escaped(std::string_view text) {
    if (text.size() < 3 || text[0] != '_') return std::nullopt;
    unsigned value = 0;
    const auto read = std::from_chars(text.data() + 1, text.data() + 3, value, 16);
    if (read.ec != std::errc() || read.ptr != text.data() + 3) return std::nullopt;
    return static_cast<unsigned char>(value);
}

bool isUtf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();)
        if (!utf8::next(text, at)) return false;
    return true;
}

/// Decodes escaped letters beyond ASCII. Underscores themselves are not escaped, so "conv_c3_b4"
/// may be a plain name: only sequences of at least three bytes are certain enough.
std::string withLetters(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        std::string bytes;
        for (std::size_t at = i; at < text.size(); at += 3) {
            const auto byte = escaped(text.substr(at));
            if (!byte || *byte < 0x80) break;
            bytes += static_cast<char>(*byte);
        }
        if (bytes.size() >= 3 && isUtf8(bytes)) {
            out += bytes;
            i += 3 * bytes.size();
        } else {
            out += text[i++];
        }
    }
    return out;
}

std::string identifier(std::string_view part) {
    for (const auto& [written, meant] :
         {std::pair("_3clocals_3e", "<locals>"), std::pair("_3clambda_3e", "<lambda>")})
        if (part == written) return meant;
    return withLetters(part);
}

/// "OptionalType_28int64_29" → "OptionalType(int64)". Numba writes a dot as "::" and puts an
/// underscore before a digit that follows it. A name without a matching pair of brackets is the
/// user's own and may contain such sequences by chance, so it is returned unchanged.
std::string unescaped(std::string_view text) {
    constexpr std::string_view kMarks = " ()*,-/:;<=>[]{}#'+", kOpen = "([{<", kClose = ")]}>";
    std::string out;
    std::vector<char> open;
    bool brackets = false;
    for (std::size_t i = 0; i < text.size();) {
        if (text.substr(i).starts_with("::")) {
            out += '.';
            i += 2;
            if (i + 1 < text.size() && text[i] == '_' && isDigit(text[i + 1])) ++i;
            continue;
        }
        const auto byte = escaped(text.substr(i));
        if (!byte || kMarks.find(static_cast<char>(*byte)) == kMarks.npos) {
            out += text[i++];
            continue;
        }
        const char c = static_cast<char>(*byte);
        i += 3;
        out += c;
        if (kOpen.find(c) != kOpen.npos) open.push_back(c);
        const std::size_t closed = kClose.find(c);
        if (closed == kClose.npos) continue;
        if (open.empty() || open.back() != kOpen[closed]) return std::string(text);
        open.pop_back();
        brackets = true;
    }
    const bool isPointer = out.ends_with('*') && out.find('*') + 1 == out.size();
    return open.empty() && (brackets || isPointer) ? out : std::string(text);
}

/// Splits at commas outside of angle brackets.
Texts splitArguments(std::string_view text) {
    Texts parts;
    if (text.empty()) return parts;
    std::size_t from = 0, depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '<') ++depth;
        if (text[i] == '>' && depth > 0) --depth;
        if (text[i] != ',' || depth > 0) continue;
        parts.push_back(text.substr(from, i - from));
        from = i + 1;
        while (from < text.size() && text[from] == ' ') ++from;
    }
    parts.push_back(text.substr(from));
    return parts;
}

std::string_view numberType(std::string_view name) {
    using Pair = std::pair<std::string_view, std::string_view>;
    constexpr std::array<Pair, 13> kTypes{{{"void", "none"},
                                           {"bool", "bool"},
                                           {"signed char", "int8"},
                                           {"unsigned char", "uint8"},
                                           {"short", "int16"},
                                           {"unsigned short", "uint16"},
                                           {"int", "int32"},
                                           {"unsigned int", "uint32"},
                                           {"long long", "int64"},
                                           {"unsigned long long", "uint64"},
                                           {"half", "float16"},
                                           {"float", "float32"},
                                           {"double", "float64"}}};
    const auto found = std::ranges::find(kTypes, name, &Pair::first);
    return found == kTypes.end() ? std::string_view() : found->second;
}

std::string typeText(std::string_view type, int depth);

/// Nullopt unless these are the five arguments of an array type.
std::optional<std::string> arrayText(const Texts& arguments, int depth) {
    constexpr std::size_t kMostDimensions = 64;  // NumPy's
    if (arguments.size() != 5 || !isNumber(arguments[1]) || arguments[1].size() > 2) return {};
    std::size_t dimensions = 0;
    std::from_chars(arguments[1].data(), arguments[1].data() + arguments[1].size(), dimensions);
    if (dimensions > kMostDimensions) return {};
    const bool readOnly = arguments[3] == "readonly", unaligned = arguments[4] == "unaligned";
    if ((!readOnly && arguments[3] != "mutable") || (!unaligned && arguments[4] != "aligned"))
        return {};
    std::string text = typeText(arguments[0], depth);
    if (arguments[2] == "C" && dimensions > 0 && !readOnly && !unaligned) {
        text += "[:";
        for (std::size_t i = 1; i < dimensions; ++i) text += ",:";
        return text + "]";
    }
    std::string kind = unaligned ? "unaligned " : "";
    if (readOnly) kind += "readonly ";
    return kind + "array(" + text + ", " + std::string(arguments[1]) + "d, " +
           std::string(arguments[2]) + ")";
}

std::string typeText(std::string_view type, int depth = 0) {
    constexpr int kDeepest = 16;
    if (const std::string_view number = numberType(type); !number.empty())
        return std::string(number);
    if (type == "Tuple") return "Tuple()";
    const std::size_t list = type.find('<');
    if (list == type.npos) return unescaped(type);
    if (depth >= kDeepest || !type.ends_with('>')) return std::string(type);
    const std::string_view head = type.substr(0, list);
    const Texts arguments = splitArguments(type.substr(list + 1, type.size() - list - 2));
    if (head == "Array")
        if (auto text = arrayText(arguments, depth + 1)) return *text;
    // The number in a record is a per-process type counter: drop it.
    if (head == "Record" && arguments.size() == 1) return "Record";
    if (head == "UniTuple" && arguments.size() == 2 && isNumber(arguments[1]))
        return "UniTuple(" + typeText(arguments[0], depth + 1) + " x " + std::string(arguments[1]) +
               ")";
    if (head != "Tuple") return std::string(type);
    std::string text = "Tuple(";
    for (std::size_t i = 0; i < arguments.size(); ++i)
        text += (i == 0 ? "" : ", ") + typeText(arguments[i], depth + 1);
    return text + ")";
}

/// Removes the tag at the end of `name` and returns it: "[abi:v1]" → "v1". Empty if there is none.
std::string_view takeTag(std::string_view& name) {
    constexpr std::string_view kBegin = "[abi:";
    if (!name.ends_with(']')) return {};
    const std::size_t at = name.rfind(kBegin);
    if (at == name.npos) return {};
    const std::string_view tag = name.substr(at + kBegin.size(), name.size() - at - 6);
    if (!std::ranges::all_of(tag, isWordChar)) return {};
    name = name.substr(0, at);
    return tag;
}

/// Removes the tags for version and compiler flags. Both are required: C++ libraries have at most
/// something like the first.
bool takeTags(std::string_view& name) {
    constexpr std::size_t kShortestFlags = 16;
    std::string_view rest = name;
    const std::string_view flags = takeTag(rest), version = takeTag(rest);
    if (flags.size() < kShortestFlags || !version.starts_with('v') || !isNumber(version.substr(1)))
        return false;
    name = rest;
    return true;
}

/// "mm_24241" → "mm": older versions without tags appended "$241" to tell functions apart.
std::string_view withoutNumber(std::string_view name) {
    constexpr std::string_view kDollar = "_24";
    const std::size_t at = name.rfind(kDollar);
    if (at == name.npos || at == 0 || !isNumber(name.substr(at + kDollar.size()))) return name;
    return name.substr(0, at);
}

Texts splitScopes(std::string_view name) {
    Texts parts;
    for (;;) {
        const std::size_t end = name.find("::");
        parts.push_back(name.substr(0, end));
        if (end == name.npos) return parts;
        name.remove_prefix(end + 2);
    }
}

/// The index at which the qualified name begins, after the module. Only for "__main__" is the
/// module's length known; otherwise classes are told from modules by their capital letter.
std::size_t beginOfScope(const Texts& parts) {
    if (parts.front() == "__main__" && parts.size() > 1) return 1;
    std::size_t begin = parts.size() - 1;
    while (begin > 1) {
        const std::string_view before = parts[begin - 1];
        const bool isFunction = before == "_3clocals_3e" && begin > 2;
        const bool isClass = !before.empty() && before[0] >= 'A' && before[0] <= 'Z';
        if (!isFunction && !isClass) break;
        begin -= isFunction ? 2 : 1;
    }
    return begin;
}

}  // namespace

std::optional<NumbaName> numbaName(std::string_view demangled) {
    constexpr std::string_view kNamespace = "cudapy::";
    constexpr std::size_t kLongest = 8192;  // longer names are hostile
    if (demangled.size() > kLongest) return std::nullopt;
    const bool inNamespace = demangled.starts_with(kNamespace);
    if (!inNamespace && demangled.find("[abi:v") == demangled.npos) return std::nullopt;
    const std::size_t list = demangled.find('(');
    if (list == demangled.npos || !demangled.ends_with(')')) return std::nullopt;
    std::string_view name = demangled.substr(0, list);
    if (inNamespace) name.remove_prefix(kNamespace.size());
    if (!takeTags(name)) {
        if (!inNamespace) return std::nullopt;
        name = withoutNumber(name);
    }
    const bool isPlain =
        std::ranges::all_of(name, [](char c) { return isWordChar(c) || c == ':'; });
    const Texts parts = splitScopes(name);
    if (!isPlain || parts.back().empty()) return std::nullopt;
    NumbaName numba;
    for (std::size_t i = beginOfScope(parts); i + 1 < parts.size(); ++i)
        numba.scope += identifier(parts[i]) + ".";
    numba.function = identifier(parts.back());
    numba.parameters = "(";
    const auto types = splitArguments(demangled.substr(list + 1, demangled.size() - list - 2));
    for (std::size_t i = 0; i < types.size(); ++i)
        numba.parameters += (i == 0 ? "" : ", ") + typeText(types[i]);
    numba.parameters += ")";
    return numba;
}

}  // namespace roofscope
