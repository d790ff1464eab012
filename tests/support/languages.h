// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/language/language.h"

namespace roofscope::test {

/// Chinese, which tests use as an example of a language other than English. The code knows it only
/// from its files.
inline const Language kZh = parseLanguage("zh").value();

}  // namespace roofscope::test
