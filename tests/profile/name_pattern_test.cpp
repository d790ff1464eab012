// SPDX-License-Identifier: Apache-2.0
#include "profile/name_pattern.h"

#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("an expression is looked for anywhere in a name") {
    const auto pattern = NamePattern::compile("gemm|soft.*max");
    REQUIRE(pattern.ok());
    CHECK(pattern->matches("void cutlass_gemm<1>()").value());
    CHECK(pattern->matches("cunn_SoftMax softmax").value());
    CHECK_FALSE(pattern->matches("copy").value());
    CHECK(NamePattern::compile("")->matches("anything").value());
    CHECK(NamePattern::compile("(a)\\1")->matches("baab").value());  // with a back reference
}

TEST_CASE("malformed and endless expressions are errors, long names and costly matches end") {
    for (const std::string& bad : {std::string("("), std::string("["), std::string(5000, 'a')}) {
        const auto pattern = NamePattern::compile(bad);
        REQUIRE_FALSE(pattern.ok());
        CHECK(pattern.error().code == ErrorCode::Usage);
    }
    CHECK_FALSE(NamePattern::compile("(x+x+)+y")->matches(std::string(2000, 'x')).value());
    CHECK_FALSE(NamePattern::compile("y")->matches(std::string(1 << 20, 'x') + "y").value());
}
