// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope::test {

/// Returns "" if the text is well-formed XML as our SVG writer may produce it (elements, attributes
/// in double quotes, character data, the five predefined and numeric entities), else what is wrong.
/// Stricter than XML: no comments, CDATA, doctype or duplicate attributes.
std::string wellFormedXml(const std::string& text);

}  // namespace roofscope::test
