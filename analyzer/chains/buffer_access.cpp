// SPDX-License-Identifier: Apache-2.0
#include "analyzer/chains/buffer_access.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace roofscope {

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

bool dropEnd(std::string_view& text, std::string_view end) {
    if (!text.ends_with(end)) return false;
    text = trimmed(text.substr(0, text.size() - end.size()));
    return true;
}

/// The texts between the last top-level parentheses; nullopt when the name does not end with them.
std::optional<std::vector<std::string_view>> parameterTexts(std::string_view name) {
    name = trimmed(name);
    if (!name.ends_with(')')) return {};
    std::size_t begin = name.size();
    for (int depth = 0; begin > 0;) {
        const char c = name[--begin];
        if (c == ')') ++depth;
        if (c == '(' && --depth == 0) break;
        if (begin == 0) return {};
    }
    if (begin == 0) return {};  // "(…)" alone names nothing
    std::string_view inside = trimmed(name.substr(begin + 1, name.size() - begin - 2));
    std::vector<std::string_view> texts;
    if (inside.empty() || inside == "void") return texts;
    int depth = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const char c = inside[i];
        if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}' || (c == '>' && (i == 0 || inside[i - 1] != '-')))
            --depth;
        if (c != ',' || depth != 0) continue;
        texts.push_back(trimmed(inside.substr(from, i - from)));
        from = i + 1;
    }
    texts.push_back(trimmed(inside.substr(from)));
    return texts;
}

PointerUse useOf(std::string_view type) {
    // Qualifiers of the pointer itself say nothing about what it points to.
    while (dropEnd(type, " const") || dropEnd(type, "__restrict__") ||
           dropEnd(type, "__restrict") || dropEnd(type, " restrict")) {
    }
    if (!dropEnd(type, "*")) return PointerUse::Undeclared;
    if (type.empty() || type.ends_with(')')) return PointerUse::Undeclared;
    const bool readOnly = type.ends_with(" const") || type.starts_with("const ");
    dropEnd(type, " const");
    // A pointer to pointers: the memory behind the inner pointers is not known.
    if (type.ends_with('*') || type.ends_with('&')) return PointerUse::Undeclared;
    return readOnly ? PointerUse::Reads : PointerUse::MayWrite;
}

void addOnce(std::vector<std::uint32_t>& list, std::uint32_t item) {
    if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

bool isTorchElementwise(std::string_view name) {
    if (name.starts_with("void ")) name.remove_prefix(5);
    constexpr std::string_view kNamespace = "at::native::", kLegacy = "legacy::";
    if (!name.starts_with(kNamespace)) return false;
    name.remove_prefix(kNamespace.size());
    if (name.starts_with(kLegacy)) name.remove_prefix(kLegacy.size());
    if (name.starts_with("vectorized_elementwise_kernel<") ||
        name.starts_with("unrolled_elementwise_kernel<"))
        return true;
    // Other parts of PyTorch launch this one with arbitrary lambdas.
    return name.starts_with("elementwise_kernel<") && name.find("gpu_kernel_impl") != name.npos;
}

/// "cupy_multiply__float32_float_float32": a ufunc has types in its name, a reduction has not.
bool isCuPyElementwise(std::string_view name) {
    return name.starts_with("cupy_") && name.find("__") != name.npos && name.find('(') == name.npos;
}

/// The inputs come first, the output last.
BufferAccess cupyAccess(std::span<const BufferArgument> arguments) {
    BufferAccess access{.known = true, .elementwiseByName = true};
    for (const BufferArgument& argument : arguments.first(arguments.size() - 1))
        addOnce(access.reads, argument.buffer);
    access.mutables.push_back(arguments.back().buffer);
    return access;
}

/// 3 for "std::array<char*, 3ul>" or "at::detail::Array<char*, 3>".
std::optional<std::size_t> operandCount(std::string_view type) {
    constexpr std::string_view kArray = "rray<char*, ";
    const auto at = type.find(kArray);
    if (at == type.npos) return {};
    const std::string_view digits = type.substr(at + kArray.size());
    std::size_t count = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    return read.ec == std::errc() ? std::optional(count) : std::nullopt;
}

}  // namespace

std::vector<PointerUse> pointerUses(std::string_view demangled) {
    std::vector<PointerUse> uses;
    if (const auto texts = parameterTexts(demangled))
        for (const std::string_view text : *texts) uses.push_back(useOf(text));
    return uses;
}

KernelBuffers::KernelBuffers(std::string_view demangled) {
    if (isTorchElementwise(demangled)) {
        m_kind = Kind::Torch;
        if (const auto texts = parameterTexts(demangled))
            for (const std::string_view text : *texts) m_operands.push_back(operandCount(text));
    } else if (isCuPyElementwise(demangled)) {
        m_kind = Kind::CuPy;
    } else {
        m_uses = pointerUses(demangled);
        m_tensorMap = demangled.find("CUtensorMap") != demangled.npos;
    }
}

BufferAccess KernelBuffers::access(std::span<const BufferArgument> arguments) const {
    if (arguments.empty()) return {.known = true};
    if (m_kind == Kind::Torch) return torchAccess(arguments);
    return m_kind == Kind::CuPy ? cupyAccess(arguments) : declaredAccess(arguments);
}

BufferAccess KernelBuffers::torchAccess(std::span<const BufferArgument> arguments) const {
    // All operands are in one parameter. A pointer in another one belongs to the operation itself.
    const std::uint32_t parameter = arguments.front().parameter;
    for (const BufferArgument& argument : arguments)
        if (argument.parameter != parameter) return {};
    if (parameter >= m_operands.size()) return {};
    if (const auto count = m_operands[parameter]; count && *count != arguments.size()) return {};
    BufferAccess access{.known = true, .elementwiseByName = true};
    access.mutables.push_back(arguments.front().buffer);
    for (const BufferArgument& argument : arguments.subspan(1))
        addOnce(access.reads, argument.buffer);
    return access;
}

BufferAccess KernelBuffers::declaredAccess(std::span<const BufferArgument> arguments) const {
    // A tensor map (TMA) leads to memory that it does not show as a pointer.
    if (m_tensorMap) return {};
    BufferAccess access{.known = true};
    for (const BufferArgument& argument : arguments) {
        if (argument.parameter >= m_uses.size()) return {};
        const PointerUse use = m_uses[argument.parameter];
        if (use == PointerUse::Undeclared) return {};
        addOnce(use == PointerUse::Reads ? access.reads : access.mutables, argument.buffer);
    }
    return access;
}

}  // namespace roofscope
