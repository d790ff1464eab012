// SPDX-License-Identifier: Apache-2.0
#include "analyzer/analysis.h"
#include "tests/support/catch.h"

using roofscope::shortKernelName;

TEST_CASE("shortKernelName drops return type, namespaces and parameters") {
    CHECK(shortKernelName("void ns::kernel<float, 4>(float const*, int)") == "kernel<float, 4>");
    CHECK(shortKernelName("copy(float4*, float4 const*)") == "copy");
    CHECK(shortKernelName("void a::b::c::d()") == "d");
    CHECK(shortKernelName("unsigned int f<(int)4, (bool)1>(int)") == "f<(int)4, (bool)1>");
    CHECK(shortKernelName("void k<at::native::Add<float>, std::pair<a::B, int> >(int)") ==
          "k<Add<float>, pair<B, int> >");
    CHECK(shortKernelName("void k<(a>b), 3>(int)") == "k<(a>b), 3>");
}

TEST_CASE("shortKernelName knows anonymous namespaces, operators and lambdas") {
    CHECK(shortKernelName("(anonymous namespace)::foo(int)") == "foo");
    CHECK(shortKernelName("void (anonymous namespace)::foo<(anonymous namespace)::T>(int)") ==
          "foo<T>");
    CHECK(shortKernelName("Functor::operator()(int) const") == "operator()");
    CHECK(shortKernelName("bool ns::operator<<int>(int)") == "operator<<int>");
    CHECK(shortKernelName("T* ns::X::operator->()") == "operator->");
    CHECK(shortKernelName("void run<main::{lambda(int)#1}>(main::{lambda(int)#1})") ==
          "run<{lambda(int)#1}>");
    CHECK(shortKernelName("decltype(auto) ns::f(int)") == "f");
}

TEST_CASE("shortKernelName leaves names without parameters alone") {
    CHECK(shortKernelName("triton_poi_fused_add_0") == "triton_poi_fused_add_0");
    CHECK(shortKernelName("_attn_fwd") == "_attn_fwd");
    CHECK(shortKernelName("sm90_xmma_gemm_bf16bf16_bf16f32") == "sm90_xmma_gemm_bf16bf16_bf16f32");
}

TEST_CASE("shortKernelName survives hostile names") {
    CHECK(shortKernelName("").empty());
    for (const char* name : {"(((((", ")))>>>", "foo<bar(int", "<<<<", "a::", "::", "operator",
                             "void ", "{lambda", "k<", "operator()", "\xff\xfe(", "a b c("})
        CHECK_NOTHROW(shortKernelName(name));
    CHECK(shortKernelName("foo<bar(int", 100) == "foo<bar(int");
    const std::string huge = "void " + std::string(500000, '<') + std::string(500000, '(');
    CHECK(shortKernelName(huge).size() < 100);
}

TEST_CASE("shortKernelName cuts in the middle at whole characters") {
    CHECK(shortKernelName("abcdefghij", 5) == "ab…ij");
    CHECK(shortKernelName("abcdefghij", 10) == "abcdefghij");
    CHECK(shortKernelName("ééééé", 3) == "é…é");
    CHECK(shortKernelName("abc", 0).empty());
    CHECK(shortKernelName("abc", 1) == "…");
}
