// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "analyzer/finding.h"
#include "profile/profile.h"

/// What the JSON documents share.
namespace roofscope::json_parts {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kMaxJsonName = 4096;
/// A string of the profiled program, clean and capped.
[[nodiscard]] std::string clean(std::string_view text);
/// null when the value is not finite.
[[nodiscard]] Json number(double value);
[[nodiscard]] const char* unitName(Unit unit);
[[nodiscard]] Json dim(const Dim3& extents);
/// The document as text; "</" is written so that it cannot end a script element around it.
[[nodiscard]] std::string dump(const Json& root);
/// The tree as text, indented by so many blanks a level; -1: in one line.
[[nodiscard]] std::string textOf(const Json& value, int indent);
/// Appends such a text, its lines after the first behind `indent`. "</", which stands in strings
/// only, is written so that "</script>" ends no script element of a page around it.
void appendText(std::string& out, std::string_view text, std::string_view indent);

}  // namespace roofscope::json_parts
