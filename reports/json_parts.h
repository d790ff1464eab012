// SPDX-License-Identifier: Apache-2.0
#pragma once

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
/// The document as text; "</" is written so that it cannot end a script element around it.
[[nodiscard]] std::string dump(const Json& root);
/// Appends a part of such a document that stands `indent` spaces deep, without a line end.
void append(std::string& text, const Json& value, std::size_t indent);

}  // namespace roofscope::json_parts
