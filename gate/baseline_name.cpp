// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gate/baseline.h"

namespace roofscope::gate {

namespace {

constexpr std::size_t kMostBytes = 4000;

/// FNV-1a: tells names apart, and is no secret.
std::uint64_t hash(std::string_view text) {
    std::uint64_t value = 0xcbf29ce484222325;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return value;
}

bool isPathChar(char c) {
    const auto u = static_cast<unsigned char>(c);
    return std::isalnum(u) != 0 || u >= 0x80 ||
           std::string_view("/\\._-+~@%#").find(c) != std::string_view::npos;
}

/// Length of the absolute path ("/home/ann/x.py", "~/x", "C:\x") that begins at `at`; 0 for none.
/// It must begin a word: "patterns/copy" and "float*/int" are no paths.
std::size_t pathLength(std::string_view text, std::size_t at) {
    if (at > 0 && std::string_view(" \t\n\"'`(<[{=,:;|>").find(text[at - 1]) == text.npos) return 0;
    const auto rest = text.substr(at);
    const auto named = [&](std::size_t i) { return i < rest.size() && isPathChar(rest[i]); };
    std::size_t root = 0;
    if (rest.starts_with('/') && named(1))
        root = 1;
    else if (rest.starts_with("~/") && named(2))
        root = 2;
    else if (rest.size() > 3 && std::isalpha(static_cast<unsigned char>(rest[0])) != 0 &&
             rest[1] == ':' && (rest[2] == '\\' || rest[2] == '/') && named(3))
        root = 3;
    if (root == 0) return 0;
    std::size_t end = root;
    while (named(end)) ++end;
    return end;
}

std::string withoutPaths(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t length = pathLength(text, at); length > 0) {
            out += fmt::format("<path {:08x}>", hash(text.substr(at, length)) & 0xffffffff);
            at += length;
        } else {
            out += text[at++];
        }
    }
    return out;
}

}  // namespace

std::string baselineName(std::string_view name) {
    std::string text = withoutPaths(name.substr(0, kMostBytes));
    if (name.size() > kMostBytes || text.size() > kMostBytes) {
        text.resize(std::min(text.size(), kMostBytes));
        text += fmt::format(" #{:016x}", hash(name));
    }
    // Bytes that are no UTF-8 become U+FFFD, as they would in the file.
    const auto clean =
        nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return nlohmann::json::parse(clean).get<std::string>();
}

}  // namespace roofscope::gate
