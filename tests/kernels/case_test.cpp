// SPDX-License-Identifier: Apache-2.0
#include "kernels/case.h"

#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::kernels;

TEST_CASE("a case is written with its extents in order and its type last") {
    const Case c{.shape = {{"B", 64}, {"H", 64}, {"D", 96}, {"E", 96}}, .dtype = DType::BF16};
    CHECK(c.id() == "B=64,H=64,D=96,E=96,bf16");
    CHECK(Case{.dtype = DType::F32}.id() == "f32");
}

TEST_CASE("the text of a case reads back as the same case") {
    for (const char* text : {"B=64,H=64,D=96,E=96,bf16", "bytes=268435456,u8", "f32", "n=0,f64"}) {
        const Result<Case> parsed = parseCase(text);
        REQUIRE(parsed.ok());
        CHECK(parsed->id() == text);
    }
}

TEST_CASE("shapes that make no sense are refused with the part that is wrong") {
    for (const char* text : {"", "B", "B=", "=4", "B=x", "B=-1", "B=4x", "B=4,,D=5", "B=4,B=5",
                             "B=99999999999999999999", "B=1099511627777", "B= 4", "B=4,"}) {
        INFO(text);
        const Result<Shape> parsed = parseShape(text);
        REQUIRE_FALSE(parsed.ok());
        CHECK(parsed.error().code == ErrorCode::Usage);
    }
    CHECK(parseShape("B=4x").error().what.find("'4x'") != std::string::npos);
}

TEST_CASE("cases without a type or with an unknown one are refused") {
    for (const char* text : {"", "B=4", "B=4,f31", "B=4,", "bf16,B=4"}) {
        INFO(text);
        CHECK_FALSE(parseCase(text).ok());
    }
}

TEST_CASE("changes replace extents and keep the order of the base") {
    const Shape base{{"B", 64}, {"H", 64}, {"D", 96}};
    const Result<Shape> changed = applyShape(base, Shape{{"D", 7}, {"B", 1}});
    REQUIRE(changed.ok());
    CHECK(changed->text() == "B=1,H=64,D=7");
    const Result<Shape> unknown = applyShape(base, Shape{{"Q", 1}});
    REQUIRE_FALSE(unknown.ok());
    CHECK(unknown.error().message().find("B=64,H=64,D=96") != std::string::npos);
}
