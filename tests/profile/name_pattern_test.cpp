// SPDX-License-Identifier: Apache-2.0
#include "profile/names/name_pattern.h"

#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("an expression is looked for anywhere in a name") {
    const auto pattern = NamePattern::compile("gemm|soft.*max");
    REQUIRE(pattern.ok());
    CHECK(pattern->matches("void cutlass_gemm<1>()"));
    CHECK(pattern->matches("cunn_SoftMax softmax"));
    CHECK_FALSE(pattern->matches("copy"));
    CHECK(NamePattern::compile("")->matches("anything"));
    CHECK(NamePattern::compile("a.b")->matches("a\nb"));
    CHECK(NamePattern::compile("^(?i)GEMM\\b")->matches("gemm<1>"));
    CHECK(NamePattern::compile("内核.*\\d")->matches("内核 7"));
    CHECK(NamePattern::compile("gemm")->matches("\xff gemm"));  // not UTF-8
}

TEST_CASE("a kernel is found by its demangled name and by its base name") {
    const auto found = [](const char* expression, const char* demangled) {
        const auto pattern = NamePattern::compile(expression);
        REQUIRE(pattern.ok());
        return pattern->matchesKernel(demangled);
    };
    CHECK(found("^chase$", "chase(Data)"));
    CHECK(found("^chase$", "void ns::chase<float, 4>(float const*)"));
    CHECK(found("^chase\\(Data\\)$", "chase(Data)"));
    CHECK(found("ns::chase<float", "void ns::chase<float, 4>(float const*)"));
    CHECK(found("^chase$", "chase"));
    CHECK_FALSE(found("^chase$", "chaser(Data)"));
    CHECK_FALSE(found("^chase$", "step(chase)"));
    CHECK_FALSE(found("^chase$", "step<chase>()"));
    CHECK_FALSE(found("^float$", "void chase<float>()"));
    constexpr const char* kNumba =
        "pkg::outer::_3clocals_3e::mm[abi:v1][abi:cw51cXTLSUwv1sDUaKthqaNg](Array<float, 2, C, "
        "mutable, aligned>)";
    for (const char* expression :
         {"^mm$", "outer.<locals>.mm", "^outer.*\\(float32\\[:,:\\]\\)$", "Array<float, 2"})
        CHECK(found(expression, kNumba));
    CHECK_FALSE(found("^outer$", kNumba));
}

TEST_CASE("malformed and endless expressions are errors, long names and costly matches end") {
    for (const std::string& bad :
         {std::string("("), std::string("["), std::string(5000, 'a'), std::string("(a)\\1"),
          std::string("a(?!b)"), std::string("\xff"), std::string("((a{100}){100}){100}")}) {
        const auto pattern = NamePattern::compile(bad);
        REQUIRE_FALSE(pattern.ok());
        CHECK(pattern.error().code == ErrorCode::Usage);
    }
    CHECK_FALSE(NamePattern::compile("(x+x+)+y")->matches(std::string(2000, 'x')));
    // The whole name is searched.
    CHECK(NamePattern::compile("y$")->matches(std::string(1 << 20, 'x') + "y"));
    CHECK_FALSE(NamePattern::compile("(x+x+)+y")->matches(std::string(1 << 22, 'x')));
    CHECK_FALSE(NamePattern::compile("(x?){50}x{50}y")->matches(std::string(1 << 20, 'x')));
}

TEST_CASE("a glob fits a whole name, byte by byte") {
    const auto fits = [](std::string_view glob, std::string_view name) {
        return NamePattern::glob(glob).matches(name);
    };
    CHECK(fits("*", ""));
    CHECK(fits("a*c", "abbc"));
    CHECK(fits("a?c", "abc"));
    CHECK(fits("a?c", "a\nc"));
    CHECK(fits("f<(a|b)>[1]\\.*", "f<(a|b)>[1]\\.+"));
    CHECK(fits("内核*", "内核 7"));
    CHECK(fits("\xff?", "\xff\xfe"));  // not UTF-8
    CHECK(fits(std::string_view("\0*", 2), std::string_view("\0a", 2)));
    for (const auto name : {"", "a", "ac", "abbc", "xabc", "abcx"}) CHECK_FALSE(fits("a?c", name));
    CHECK_FALSE(fits("", "a"));
    CHECK(fits("*y", std::string(1 << 20, 'x') + "y"));
    CHECK_FALSE(fits("*x*x*x*x*x*x*x*x*x*x*y", std::string(1 << 20, 'x')));
}
