// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "analyzer/finding.h"
#include "profile/profile.h"

/// What the JSON documents share.
namespace roofscope::json_parts {

using Json = nlohmann::ordered_json;

/// A string of the profiled program, clean and capped.
[[nodiscard]] std::string clean(std::string_view text);
/// null when the value is not finite.
[[nodiscard]] Json number(double value);
[[nodiscard]] const char* unitName(Unit unit);
[[nodiscard]] Json dim(const Dim3& extents);
/// A member that the object does not have yet: to look for each of a hundred keys takes time.
void append(Json& object, std::string_view key, Json value);
/// The document as text; "</" is written so that it cannot end a script element around it.
[[nodiscard]] std::string dump(const Json& root);
/// The same, with `count` items in root's empty array `list`, each made when it is its turn: all at
/// once would take many times the memory of their text. More than 1000 are one line each.
[[nodiscard]] std::string dump(const Json& root, std::string_view list, std::size_t count,
                               const std::function<Json(std::size_t)>& item);

}  // namespace roofscope::json_parts
