// SPDX-License-Identifier: Apache-2.0
#include "extract/folder/candidate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "profile/names/function_name.h"
#include "profile/text/clean_text.h"

namespace roofscope {
namespace {

using replay::LaunchDescription;
using replay::Shape;

std::string shapeText(const Shape& shape) {
    return fmt::format("{} x {} x {}", shape[0], shape[1], shape[2]);
}

std::string launchComment(const LaunchDescription& launch) {
    std::string text = fmt::format("// Launch: grid {}, block {}", shapeText(launch.grid),
                                   shapeText(launch.block));
    if (launch.cluster) text += ", cluster " + shapeText(*launch.cluster);
    if (launch.dynamicSharedBytes > 0)
        text += fmt::format(", {} bytes of dynamic shared memory", launch.dynamicSharedBytes);
    if (launch.cooperative) text += ", cooperative";
    return text +
           ".\n// Another shape is a line such as \"// roofscope: grid 64 32 block 256\"; options "
           "for nvcc,\n// \"// roofscope: nvcc -std=c++20\".\n";
}

/// The parameter types in a demangled name: "float const*", "int". Empty if the name has none.
std::vector<std::string> typesIn(const std::string& name) {
    const std::size_t close = name.rfind(')');
    if (close == std::string::npos) return {};
    int depth = 0;
    std::size_t open = close;
    for (std::size_t i = close + 1; i-- > 0;) {
        depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
        if (depth == 0) {
            open = i;
            break;
        }
    }
    std::vector<std::string> types(1);
    depth = 0;
    for (std::size_t i = open + 1; i < close; ++i) {
        const char c = name[i];
        depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            types.emplace_back();
        else if (!types.back().empty() || c != ' ')
            types.back() += c;
    }
    return types;
}

/// Whether the generated source can use a type without declaring it.
bool isBuiltIn(const std::string& type) {
    static const std::set<std::string, std::less<>> kWords{
        "float",  "double",  "int",           "unsigned",      "long",  "short",
        "char",   "bool",    "signed",        "void",          "const", "float2",
        "float4", "int2",    "int4",          "uint2",         "uint4", "double2",
        "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162"};
    std::string word;
    bool known = !type.empty();
    for (const char c : type + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
            word += c;
            continue;
        }
        known = known && (word.empty() || kWords.contains(word)) && (c == ' ' || c == '*');
        word.clear();
    }
    return known;
}

struct ArgumentFacts {
    std::string type, declaration, comment;
};

/// The alignment that explains a parameter's offset, given that the one before it ends at `end`.
std::uint64_t alignmentOf(std::uint64_t offset, std::uint64_t bytes, std::uint64_t end) {
    for (std::uint64_t alignment = 1; alignment <= 128; alignment *= 2)
        if ((end + alignment - 1) / alignment * alignment == offset &&
            (alignment >= 8 || bytes % (alignment * 2) != 0 || offset % (alignment * 2) != 0))
            return alignment;
    return 1;
}

/// What an argument points to, as text; empty if it is not an address.
std::string targetOf(const LaunchDescription& launch, const std::vector<unsigned char>& bytes) {
    if (bytes.size() != 8) return {};
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    for (const auto& region : launch.regions)
        if (region.variable.empty() && word >= region.address &&
            word - region.address < region.bytes)
            return fmt::format("the address of {} bytes", region.bytes - (word - region.address));
    return {};
}

std::string numberIn(const std::vector<unsigned char>& bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min<std::size_t>(bytes.size(), 8));
    if (bytes.size() != 4) return fmt::format("{}", word);
    float real = 0;
    std::memcpy(&real, bytes.data(), 4);
    return fmt::format("{}, or {} as float", static_cast<std::int32_t>(word), real);
}

std::vector<ArgumentFacts> argumentsOf(const LaunchDescription& launch) {
    const auto types = typesIn(launch.name);
    std::vector<ArgumentFacts> arguments;
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
        const auto& parameter = launch.parameters[i];
        const std::size_t bytes = parameter.bytes.size();
        const std::string target = targetOf(launch, parameter.bytes);
        ArgumentFacts argument;
        const bool simple = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
        if (types.size() == launch.parameters.size() && isBuiltIn(types[i])) {
            argument.type = types[i];
        } else if (!target.empty()) {
            argument.type = "void*";
        } else if (simple && parameter.offset % bytes == 0) {
            argument.type = fmt::format("std::uint{}_t", bytes * 8);
        } else {
            argument.type = fmt::format("Argument{}", i);
            argument.declaration =
                fmt::format("struct Argument{} {{\n    alignas({}) unsigned char bytes[{}];\n}};\n",
                            i, alignmentOf(parameter.offset, bytes, end), bytes);
        }
        argument.comment = fmt::format("// {}: {} bytes", i, bytes);
        if (!target.empty())
            argument.comment += ", " + target;
        else if (simple)
            argument.comment += ", " + numberIn(parameter.bytes);
        end = parameter.offset + bytes;
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

}  // namespace

std::string identifierOf(const std::string& name) {
    constexpr std::size_t kMost = 60;
    std::string text;
    for (const char c : functionBaseName(name).substr(0, kMost))
        text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front()))) text = "k_" + text;
    return text;
}

std::string sourceCandidate(const LaunchDescription& launch, const KernelSource& source) {
    return "// The source file of the kernel " + cleanText(launch.name) +
           "\n// when its launch was extracted. Edit a copy; \"./check COPY.cu\" judges it.\n" +
           launchComment(launch) + "\n" + source.text;
}

std::string signatureCandidate(const LaunchDescription& launch, bool python) {
    std::string text = "// The kernel " + cleanText(launch.name) + "\n";
    text += python ? "// was compiled from Python: kernel.py.\n"
                   : "// Its source was not found: the program was built without -lineinfo, or its "
                     "files are elsewhere.\n";
    text += "// This has its parameters. Write a body in a copy; \"./check COPY.cu\" judges it.\n" +
            launchComment(launch) + "#include <cstdint>\n";
    const auto arguments = argumentsOf(launch);
    const auto uses = [&](std::string_view word) {
        return std::ranges::any_of(arguments, [&](const ArgumentFacts& argument) {
            return argument.type.find(word) != std::string::npos;
        });
    };
    if (uses("__half")) text += "#include <cuda_fp16.h>\n";
    if (uses("__nv_bfloat16")) text += "#include <cuda_bf16.h>\n";
    text += "\n";
    for (const ArgumentFacts& argument : arguments) text += argument.declaration;
    for (const ArgumentFacts& argument : arguments) text += argument.comment + "\n";
    const std::uint64_t threads =
        std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    text += fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}(", threads,
                        identifierOf(launch.name));
    for (std::size_t i = 0; i < arguments.size(); ++i)
        text += fmt::format("{}{} a{}", i ? ", " : "", arguments[i].type, i);
    return text + ") {\n}\n";
}

std::vector<std::string> pythonTypes(const LaunchDescription& launch) {
    static const std::map<std::string, std::string, std::less<>> kNames{
        {"float", "f32"},         {"double", "f64"},
        {"int", "i32"},           {"unsigned", "u32"},
        {"unsigned int", "u32"},  {"long", "i64"},
        {"long long", "i64"},     {"unsigned long", "u64"},
        {"short", "i16"},         {"unsigned short", "u16"},
        {"char", "i8"},           {"signed char", "i8"},
        {"unsigned char", "u8"},  {"unsigned long long", "u64"},
        {"bool", "bool"},         {"__half", "f16"},
        {"c10::Half", "f16"},     {"__nv_bfloat16", "bf16"},
        {"c10::BFloat16", "bf16"}};
    std::vector<std::string> types(launch.parameters.size());
    const auto named = typesIn(launch.name);
    if (named.size() != types.size()) return types;
    for (std::size_t i = 0; i < types.size(); ++i) {
        std::string word = named[i];
        for (const std::string_view part : {" const", "const ", " restrict", " __restrict__"})
            if (const std::size_t at = word.find(part); at != std::string::npos)
                word.erase(at, part.size());
        const bool pointer = word.ends_with('*');
        if (pointer) word.pop_back();
        while (word.ends_with(' ')) word.pop_back();
        if (const auto known = kNames.find(word); known != kNames.end())
            types[i] = known->second + (pointer ? "*" : "");
    }
    return types;
}

std::string pythonCandidate(const LaunchDescription& launch, bool source) {
    std::string text =
        "# The kernel " + cleanText(launch.name) +
        "\n# in Python: write the body in a copy, and \"./check COPY.py\" judges it. ";
    if (source) text += "kernel.py has its source.\n#";
    text +=
        " It may\n# launch several kernels of Triton, PyTorch or others, on the current stream. If "
        "it imports CuPy and\n# not PyTorch, arguments are CuPy's arrays. With neither they have "
        ".pointer and .bytes; add \"*, stream\".\n"
        "# Types: f32, f64, f16, bf16, i32, i64, u8, …; shapes: \"f32[64, 128]\", without one all "
        "from the\n# address on, which may be more than the kernel uses.\n";
    std::string launched = launchComment(launch);
    text += "#" + launched.substr(2, launched.find('\n') - 1);
    text += "import torch\n\n\ndef candidate(\n";
    const auto types = pythonTypes(launch);
    const auto arguments = argumentsOf(launch);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string type = types[i];
        if (type.ends_with('*')) type.pop_back();
        const bool pointer = !targetOf(launch, launch.parameters[i].bytes).empty();
        if (type.empty() && pointer) type = "u8";
        text += fmt::format("    a{}", i);
        if (!type.empty()) text += fmt::format(": \"{}{}\"", type, pointer ? "[:]" : "");
        text += ",  #" + arguments[i].comment.substr(2) + "\n";
    }
    return text + "):\n    raise NotImplementedError\n";
}

std::string architectureOf(const LaunchDescription& launch) {
    // From compute capability 9.0 on, some instructions exist only in architecture-specific code.
    constexpr int kSpecific = 9;
    return fmt::format("sm_{}{}{}", launch.computeMajor, launch.computeMinor,
                       launch.computeMajor >= kSpecific ? "a" : "");
}

}  // namespace roofscope
