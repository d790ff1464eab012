// SPDX-License-Identifier: Apache-2.0
#include "analyzer/names/kernel_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/names/distinct_names.h"
#include "profile/names/function_name.h"
#include "profile/names/numba_name.h"

namespace roofscope {

namespace {

constexpr std::string_view kEllipsis = "…";

bool isIdentifier(char c) {
    const auto u = static_cast<unsigned char>(c);
    return std::isalnum(u) != 0 || c == '_' || c == '$' || c == '~' || u >= 0x80;
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

/// A name with its template arguments: head "Add", arguments {float}, tail "*" of "Add<float>*".
struct Type {
    std::string head;
    std::vector<Type> arguments;
    std::string tail;
    bool isTemplate = false;
};

std::string render(const Type& type) {
    std::string text = type.head;
    if (!type.isTemplate) return text;
    text += '<';
    for (std::size_t i = 0; i < type.arguments.size(); ++i)
        text += (i == 0 ? "" : ", ") + render(type.arguments[i]);
    return text + ">" + type.tail;
}

/// nullopt for text that does not nest like a type: such a name is only cut.
std::optional<Type> parseType(std::string_view text, int depth = 0) {
    constexpr int kDeepest = 24;
    if (depth > kDeepest) return std::nullopt;
    Type type;
    int round = 0, angle = 0;  // open brackets; '<' inside round ones starts no list
    std::size_t from = 0;
    const auto take = [&](std::size_t end) {
        auto argument = parseType(trim(text.substr(from, end - from)), depth + 1);
        if (argument) type.arguments.push_back(std::move(*argument));
        return argument.has_value();
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '(' || c == '{' || c == '[') ++round;
        if ((c == ')' || c == '}' || c == ']') && --round < 0) return std::nullopt;
        if (round > 0) continue;
        if (c == '<' && angle++ == 0) {
            if (type.isTemplate) {  // "A<int>::B<int>": the second list stays text
                continue;
            }
            type.head = trim(text.substr(0, i));
            from = i + 1;
        } else if (c == ',' && angle == 1 && !type.isTemplate) {
            if (!take(i)) return std::nullopt;
            from = i + 1;
        } else if (c == '>') {
            if (--angle < 0) return std::nullopt;
            if (angle == 0 && !type.isTemplate) {
                if (!take(i)) return std::nullopt;
                type.isTemplate = true;
                type.tail = text.substr(i + 1);
            }
        }
    }
    if (round != 0 || angle != 0) return std::nullopt;
    if (!type.isTemplate) type.head = text;
    return type;
}

/// "4", "2ul", "-1", "(bool)1".
bool isInteger(const Type& type) {
    if (type.isTemplate) return false;
    std::string_view text = type.head;
    if (text.starts_with('('))
        text = text.substr(
            std::min(text.size(), text.find(')') == text.npos ? text.size() : text.find(')') + 1));
    if (text.starts_with('-')) text.remove_prefix(1);
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) == 0) return false;
    return text.find_first_not_of("0123456789uUlL") == text.npos;
}

/// A number type of the language or of CUDA, pointers to it included.
bool isNumberType(const Type& type) {
    if (type.isTemplate) return false;
    constexpr std::array<std::string_view, 12> kWords{"float", "double", "bool",  "char",
                                                      "short", "int",    "long",  "unsigned",
                                                      "void",  "signed", "const", "__half"};
    std::string_view rest = type.head;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of(" *&"), rest.size());
        const std::string_view word = rest.substr(0, end);
        if (!word.empty() && word != "__nv_bfloat16" &&
            std::ranges::find(kWords, word) == kWords.end())
            return false;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return !type.head.empty();
}

/// Drops where a functor was defined, which says little if there is no room:
/// "Gelu(T&)::{lambda()#2}" → "Gelu".
void dropScopes(Type& type) {
    if (type.isTemplate) {
        if (type.tail.starts_with('(') || type.tail.starts_with("::")) type.tail.clear();
    } else if (const auto end = std::min(type.head.find('('), type.head.find("::"));
               end != std::string::npos && end > 0 && type.head[0] != '{') {
        type.head.resize(end);
    }
    for (Type& argument : type.arguments) dropScopes(argument);
}

/// Drops how a library tunes a kernel or passes its arguments: the kernel's own name and its
/// functor tell more.
void dropPolicies(Type& type) {
    constexpr std::array<std::string_view, 4> kPolicies{
        "policy_hub", "NullType", "identity_decomposer_t", "TensorListMetadata"};
    std::erase_if(type.arguments, [&](const Type& argument) {
        return std::ranges::find(kPolicies, argument.head) != kPolicies.end() ||
               argument.head.starts_with("policy_");
    });
    if (type.arguments.empty()) type.isTemplate = false;
}

/// Drops integers, and arguments that repeat the one before; one argument always stays.
void dropRepeats(Type& type) {
    std::vector<Type> kept;
    for (Type& argument : type.arguments) {
        dropRepeats(argument);
        const bool last = kept.empty() && &argument == &type.arguments.back();
        if (!last && isInteger(argument)) continue;
        if (!kept.empty() && render(kept.back()) == render(argument)) continue;
        kept.push_back(std::move(argument));
    }
    type.arguments = std::move(kept);
}

/// Drops number types next to a class: "Binary<float, Add<float>>" → "Binary<Add<float>>".
void dropNumberTypes(Type& type) {
    for (Type& argument : type.arguments) dropNumberTypes(argument);
    const auto isNumber = [](const Type& t) { return isNumberType(t) || isInteger(t); };
    if (!std::ranges::all_of(type.arguments, isNumber)) std::erase_if(type.arguments, isNumber);
}

/// Drops template arguments below `depth` levels.
void prune(Type& type, int depth) {
    for (Type& argument : type.arguments) {
        if (depth <= 1 && argument.isTemplate) {
            argument.isTemplate = false;
            argument.arguments.clear();
        }
        prune(argument, depth - 1);
    }
}

/// Reduces a kernel template that is too long, step by step, to what distinguishes it from its
/// siblings: the functor. nullopt if no step makes it fit.
std::optional<std::string> reduced(std::string_view name, std::size_t maxLength) {
    constexpr std::size_t kLongest = 8192;  // hostile names are not worth the time
    constexpr std::size_t kLeastHead = 10;  // of the kernel's own name
    if (name.size() > kLongest || name.starts_with("operator")) return std::nullopt;
    std::optional<Type> parsed = parseType(name);
    if (!parsed || !parsed->isTemplate) return std::nullopt;
    Type& type = *parsed;
    auto& arguments = type.arguments;
    const auto fits = [&] { return lengthOf(render(type)) <= maxLength; };
    // The storage of an elementwise kernel's pointers and its unrolling factor say least.
    while (!fits() && arguments.size() > 1 &&
           (arguments.back().head == "array" || isInteger(arguments.back())))
        arguments.pop_back();
    if (!fits() && !std::ranges::all_of(arguments, isInteger)) std::erase_if(arguments, isInteger);
    for (const auto step : {dropScopes, dropPolicies, dropRepeats, dropNumberTypes})
        if (!fits()) step(type);
    if (fits()) return render(type);
    const std::string head = type.head;
    // The kernel's own name in full tells more than a cut one with number types.
    if (lengthOf(head) <= maxLength && std::ranges::all_of(arguments, [](const Type& t) {
            return isNumberType(t) || isInteger(t);
        }))
        return head;
    for (const int depth : {24, 3, 2, 1, 0}) {
        prune(type, std::max(depth, 1));
        if (depth == 0) arguments.resize(1);  // the first functor stands for all
        type.head = head;
        if (fits()) return render(type);
        const std::size_t length = lengthOf(render(type)), own = lengthOf(head);
        if (length - own + kLeastHead > maxLength) continue;
        type.head = shorten(head, own - (length - maxLength));
        return render(type);
    }
    return std::nullopt;
}

/// "mm(float32[:,:], …)": as many parameters as fit. Only Numba's names still have parameters;
/// nullopt for other names, and if the function's own name does not fit.
std::optional<std::string> withFewerParameters(std::string_view name, std::size_t maxLength) {
    if (!name.ends_with(')') || name.starts_with("operator")) return std::nullopt;
    std::size_t list = name.size(), depth = 0;
    while (list > 0) {
        const char c = name[--list];
        if (c == ')' || c == ']') ++depth;
        if ((c == '(' || c == '[') && --depth == 0) break;
    }
    if (list == 0 || name[list] != '(') return std::nullopt;
    const std::string end = std::string(kEllipsis) + ")";
    if (lengthOf(name.substr(0, list + 1)) + lengthOf(end) > maxLength) return std::nullopt;
    std::string fits = std::string(name.substr(0, list + 1)) + end;
    for (std::size_t i = list + 1; i + 1 < name.size(); ++i) {
        const char c = name[i];
        if (c == '(' || c == '[') ++depth;
        if ((c == ')' || c == ']') && depth > 0) --depth;
        if (c != ',' || depth > 0) continue;
        std::string longer = std::string(name.substr(0, i)) + ", " + end;
        if (lengthOf(longer) > maxLength) break;
        fits = std::move(longer);
    }
    return fits;
}

}  // namespace

std::string plainKernelName(std::string_view demangled) {
    if (const auto numba = numbaName(demangled)) return numba->text();
    return withoutNamespaces(functionName(demangled));
}

std::string cutKernelName(const std::string& plain, std::size_t maxLength) {
    if (lengthOf(plain) <= maxLength) return plain;
    if (auto shorter = withFewerParameters(plain, maxLength)) return *shorter;
    if (auto shorter = reduced(plain, maxLength)) return *shorter;
    return shorten(plain, maxLength);
}

std::string shortKernelName(std::string_view demangled, std::size_t maxLength) {
    return cutKernelName(plainKernelName(demangled), maxLength);
}

}  // namespace roofscope
