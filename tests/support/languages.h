// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/language/language.h"

namespace roofscope::test {

/// Chinese, which tests take for what is special about a language other than English. Code knows it
/// from its files only.
inline const Language kZh = parseLanguage("zh").value();

}  // namespace roofscope::test
