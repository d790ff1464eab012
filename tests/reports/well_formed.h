// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope::test {

/// Empty when a text is a well-formed XML document as our SVG writer may produce it (elements,
/// attributes in double quotes, character data, the five predefined and numeric entities), else
/// what is wrong. Stricter than XML: no comments, no CDATA, no doctype, no duplicate attributes.
std::string wellFormedXml(const std::string& text);

}  // namespace roofscope::test
