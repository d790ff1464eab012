// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/golden.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/catch.h"

namespace roofscope::test {

void checkGolden(const std::string& name, const std::string& actual) {
    const auto path = std::filesystem::path(ROOFSCOPE_SOURCE_DIR) / "tests/golden/reports" / name;
    const char* approve = std::getenv("ROOFSCOPE_APPROVE");
    if (approve && std::string(approve) == "1") {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << actual;
    }
    std::ifstream stream(path, std::ios::binary);
    std::stringstream expected;
    expected << stream.rdbuf();
    INFO("differs from " << path << "; if that is right: ROOFSCOPE_APPROVE=1 ctest -R reports");
    CHECK(actual == expected.str());
}

}  // namespace roofscope::test
