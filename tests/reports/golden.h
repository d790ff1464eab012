// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope::test {

/// Compares with tests/golden/reports/NAME. ROOFSCOPE_APPROVE=1 rewrites the file: read the
/// difference before you commit it.
void checkGolden(const std::string& name, const std::string& actual);

}  // namespace roofscope::test
