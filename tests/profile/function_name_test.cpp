// SPDX-License-Identifier: Apache-2.0
#include "profile/names/function_name.h"

#include <string>

#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("a function's name is what stands before its parameters, without namespaces") {
    CHECK(functionName("void ns::gemm<float, 4>(float const*)") == "gemm<float, 4>");
    CHECK(functionName("_matmul") == "_matmul");
    CHECK(functionName("ns::Op<int>::operator()(int) const") == "operator()");
    CHECK(functionName("std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&)") ==
          "operator<< <std::char_traits<char> >");
}

TEST_CASE("a base name has no template arguments either") {
    CHECK(functionBaseName("void ns::gemm<float, 4>(float const*)") == "gemm");
    CHECK(functionBaseName("void (anonymous namespace)::step<(lambda at a.cu:3)>(int)") == "step");
    CHECK(functionBaseName("chase(Data)") == "chase");
    CHECK(functionBaseName("loop_add_fusion_1") == "loop_add_fusion_1");
    CHECK(functionBaseName("ns::Op<int>::operator()<4>(int)") == "operator()");
    // Names that are not C++ are kept.
    CHECK(functionBaseName("<lambda>") == "<lambda>");
    CHECK(functionBaseName("").empty());
    CHECK(functionBaseName(std::string(1 << 20, '<')) == std::string(1 << 20, '<'));
}

TEST_CASE("a host stub is named after the kernel that it launches") {
    CHECK(kernelOfStub("__device_stub__Z12bitonicMergePj(unsigned int*)") == "bitonicMerge");
    CHECK(kernelOfStub("__device_stub__ZN2ns4gemmIfEEvPT_(float*)") == "gemm");
    CHECK(kernelOfStub("__device_stub__Z1f1AIiiES_IS0_S0_ES_IS1_S1_E(int)") == "f");
    CHECK(kernelOfStub("__device_stub__Z99x(int)") == "x");
    CHECK(kernelOfStub("__device_stub_f(int)") == "f");
    // The name of a kernel that is extern "C".
    CHECK(kernelOfStub("__device_stub_scale(float*)") == "scale");
    CHECK(kernelOfStub("bitonicMerge(unsigned int*)").empty());
    CHECK(kernelOfStub("__device_stub_").empty());
}
