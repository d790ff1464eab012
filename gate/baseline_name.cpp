// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gate/baseline.h"
#include "profile/operations/redact.h"

namespace roofscope::gate {

namespace {

constexpr std::size_t kMostBytes = 4000;

/// FNV-1a: distinguishes names, but hides nothing.
std::uint64_t hash(std::string_view text) {
    std::uint64_t value = 0xcbf29ce484222325;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return value;
}

/// The text that replaces a private part. Paths stay distinguishable. Machines do not, so that a
/// baseline made on one can be compared on another.
std::string replacement(std::string_view part) {
    if (part.find_first_of("/\\@:~") == part.npos) return "<host>";
    return fmt::format("<path {:08x}>", hash(part) & 0xffffffff);
}

}  // namespace

std::string baselineName(std::string_view name, const PrivateDataFilter& privateParts) {
    std::string text = privateParts.replaced(name.substr(0, kMostBytes), replacement);
    if (name.size() > kMostBytes || text.size() > kMostBytes) {
        text.resize(std::min(text.size(), kMostBytes));
        text += fmt::format(" #{:016x}", hash(name));
    }
    if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        return text;
    // Bytes that are not UTF-8 become U+FFFD, as they would in the file.
    const auto clean =
        nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return nlohmann::json::parse(clean).get<std::string>();
}

}  // namespace roofscope::gate
