// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "analyzer/model/derived.h"
#include "analyzer/model/finding.h"
#include "profile/model/profile.h"

/// Helpers shared by the JSON documents.
namespace roofscope::json_parts {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kMaxJsonName = 4096;
/// A string of the profiled program, cleaned and capped.
[[nodiscard]] std::string clean(std::string_view text);
/// null if the value is not finite.
[[nodiscard]] Json number(double value);
template <class Tag>
[[nodiscard]] Json number(Quantity<Tag> value) {
    return number(value.value);
}

/// null if there is no value.
template <class T>
[[nodiscard]] Json orNull(const std::optional<T>& value) {
    if (!value) return nullptr;
    if constexpr (std::integral<T>)
        return *value;
    else
        return number(*value);
}
template <class T>
[[nodiscard]] Json orNull(const Derived<T>& value) {
    return orNull(value.value);
}
/// A cleaned string of the profiled program; null if empty.
[[nodiscard]] Json orNull(const std::string& text);

/// An array of `make(item)` for each item.
template <class Items, class Make>
[[nodiscard]] Json list(const Items& items, Make make) {
    Json array = Json::array();
    for (const auto& item : items) array.push_back(make(item));
    return array;
}

[[nodiscard]] const char* unitName(Unit unit);
/// The document as text; "</" is escaped so that it cannot end an enclosing script element.
[[nodiscard]] std::string dump(const Json& root);

}  // namespace roofscope::json_parts
