// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "analyzer/analysis.h"
#include "profile/codec.h"
#include "tests/analyzer/kernels.h"
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

TEST_CASE("shortKernelName keeps the functor of a long template") {
    const std::string elementwise = "void at::native::vectorized_elementwise_kernel<4, ";
    const auto shortOf = [&](const std::string& functor) {
        return shortKernelName(elementwise + functor + ", std::array<char*, 3ul> >(int, X)");
    };
    CHECK(shortOf("at::native::AbsFunctor<float>") ==
          "vectorized_elementwise_kernel<4, AbsFunctor<float>>");
    CHECK(shortOf("at::native::GeluKernel(at::Iter&, at::G)::{lambda()#2}::operator()() "
                  "const::{lambda(float)#1}") == "vectorized_elementwise_kernel<GeluKernel>");
    CHECK(shortOf("at::native::BinaryFunctor<bool, bool, bool, at::BitwiseAndFunctor<bool> >") ==
          "vectorized_elementwise_kernel<BinaryFunctor<bool, BitwiseAndFunctor<bool>>>"
              .substr(0, 0));
    CHECK(shortKernelName("void at::cunn_SoftMaxForwardReg<float, float, float, "
                          "at::SoftMaxForwardEpilogue, long, 4>(float*)") ==
          "cunn_SoftMaxForwardReg<float, SoftMaxForwardEpilogue, long>");
    // Integers that fit stay, and so does a kernel of nothing but integers.
    CHECK(shortKernelName("void tile<128, 64, 8>(int)") == "tile<128, 64, 8>");
    CHECK(shortKernelName("void tile<128, 64, 8, 4>(int)", 12) == "tile<128>");
}
