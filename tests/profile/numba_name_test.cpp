// SPDX-License-Identifier: Apache-2.0
// Demangled names as Numba 0.68 mangles them for these types.
#include "profile/names/numba_name.h"

#include <string>

#include "profile/names/function_name.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

const std::string kTags =
    "[abi:v2][abi:cw51cXTLSUwv1sDUaKthqaNgoKmjgOR3W3Cw6igA9duC0hkwnNGiHE_3d_3d]";

/// The shown name of `function` with Numba's tags; empty if it is not recognised as Numba's.
std::string shown(const std::string& function, const std::string& parameters = "()") {
    const auto name = numbaName(function + kTags + parameters);
    return name ? name->text() : std::string();
}

std::string typed(const std::string& parameters) { return shown("__main__::k", parameters); }

}  // namespace

TEST_CASE("a Numba kernel has its Python name") {
    CHECK(shown("__main__::mm", "(Array<float, 2, C, mutable, aligned>, long long)") ==
          "mm(float32[:,:], int64)");
    CHECK(shown("__main__::mm") == "mm()");
    CHECK(shown("mm") == "mm()");
    // Older names: without tags, and with both prefix and tags.
    CHECK(numbaName("cudapy::__main__::mm_24241(double)")->text() == "mm(float64)");
    CHECK(numbaName("cudapy::__main__::mm" + kTags + "(double)")->text() == "mm(float64)");
    CHECK(numbaName("cudapy::__main__::mm_24(double)")->text() == "mm_24(float64)");
}

TEST_CASE("a kernel's classes and outer functions stay, its module goes") {
    CHECK(shown("pkg::mod::outer::_3clocals_3e::inner") == "outer.<locals>.inner()");
    CHECK(shown("pkg::Solver::outer::_3clocals_3e::Step::run") ==
          "Solver.outer.<locals>.Step.run()");
    CHECK(shown("__main__::solver::step") == "solver.step()");
    CHECK(shown("pkg::Solver::step") == "Solver.step()");
    CHECK(shown("Pkg::step") == "step()");
    CHECK(shown("__main__::_3clambda_3e") == "<lambda>()");
    CHECK(shown("__main__::_e6_a0_b8_e5_87_bd_e6_95_b0") == "核函数()");
    // The author may have written it this way.
    CHECK(shown("__main__::conv_3d") == "conv_3d()");
    CHECK(shown("__main__::conv_c3_b4") == "conv_c3_b4()");
}

TEST_CASE("number types have NumPy's names") {
    CHECK(typed("(signed char, short, int, long long)") == "k(int8, int16, int32, int64)");
    CHECK(typed("(unsigned char, unsigned short, unsigned int, unsigned long long)") ==
          "k(uint8, uint16, uint32, uint64)");
    CHECK(typed("(half, float, double, bool, complex64, complex128, void)") ==
          "k(float16, float32, float64, bool, complex64, complex128, none)");
}

TEST_CASE("arrays in C order have brackets, others are written as Numba prints them") {
    CHECK(typed("(Array<unsigned char, 1, C, mutable, aligned>)") == "k(uint8[:])");
    CHECK(typed("(Array<complex64, 3, C, mutable, aligned>)") == "k(complex64[:,:,:])");
    CHECK(typed("(Array<float, 0, C, mutable, aligned>)") == "k(array(float32, 0d, C))");
    CHECK(typed("(Array<float, 2, A, mutable, aligned>, Array<double, 2, F, mutable, aligned>)") ==
          "k(array(float32, 2d, A), array(float64, 2d, F))");
    CHECK(typed("(Array<half, 1, C, readonly, aligned>)") == "k(readonly array(float16, 1d, C))");
    CHECK(typed("(Array<signed char, 1, C, mutable, unaligned>)") ==
          "k(unaligned array(int8, 1d, C))");
    CHECK(typed("(Array<Record<457>, 1, C, mutable, unaligned>, Record<457>)") ==
          "k(unaligned array(Record, 1d, C), Record)");
    CHECK(typed("(Array<datetime64_5bns_5d, 1, C, mutable, aligned>)") == "k(datetime64[ns][:])");
}

TEST_CASE("tuples and types that Numba mangles by their text are read") {
    CHECK(typed("(UniTuple<float, 3>, Tuple<long long, float>, Tuple)") ==
          "k(UniTuple(float32 x 3), Tuple(int64, float32), Tuple())");
    CHECK(typed("(UniTuple<Array<float, 2, C, mutable, aligned>, 2>)") ==
          "k(UniTuple(float32[:,:] x 2))");
    CHECK(typed("(OptionalType_28int64_29, P_28int64_2c_20float32_29, P_28int64_20x_202_29)") ==
          "k(OptionalType(int64), P(int64, float32), P(int64 x 2))");
    CHECK(typed("(omitted_28default_3d0::_5_29, omitted_28default_3dNone_29, float32_2a)") ==
          "k(omitted(default=0.5), omitted(default=None), float32*)");
    CHECK(typed("(Literal_5bint_5d_283_29, _5bchar_20x_204_5d, unicode_type)") ==
          "k(Literal[int](3), [char x 4], unicode_type)");
}

TEST_CASE("a type that is not known stays as it was demangled") {
    CHECK(typed("(MyType_2d, My_28Type, Vector<float, 3>, Array<float, 2>)") ==
          "k(MyType_2d, My_28Type, Vector<float, 3>, Array<float, 2>)");
    CHECK(typed("(Array<float, 99, C, mutable, aligned>)") ==
          "k(Array<float, 99, C, mutable, aligned>)");
    CHECK(typed("(Array<float, 2, C, warm, aligned>)") == "k(Array<float, 2, C, warm, aligned>)");
}

TEST_CASE("names of others are not taken for Numba's") {
    for (const char* name :
         {"", "mm", "mm(float*)", "void ns::gemm<float, 4>(float const*)", "cudapy::mm", "(int)",
          "std::string::append[abi:cxx11](char)", "std::__1::sort[abi:v160006](int*)",
          "f[abi:v1][abi:short](int)", "f[abi:vx][abi:cw51cXTLSUwv1sDUaKthq](int)",
          "cudapy::f<int>(int)", "[abi:v1][abi:cw51cXTLSUwv1sDUaKthq]()"}) {
        INFO(name);
        CHECK_FALSE(numbaName(name));
    }
    CHECK_FALSE(numbaName(std::string(1 << 20, 'a') + kTags + "()"));
    for (const std::string& part : {std::string("Tuple<"), std::string("_e6"), std::string("<"),
                                    std::string("::"), std::string("_5b"), std::string(">,")}) {
        std::string parameters = "(";
        while (parameters.size() < 4000) parameters += part;
        CHECK_NOTHROW(typed(parameters + ")"));
    }
}

TEST_CASE("the base name of a kernel of Numba is its function's") {
    CHECK(functionBaseName("pkg::outer::_3clocals_3e::inner" + kTags + "(double)") == "inner");
    CHECK(functionBaseName("__main__::_3clambda_3e" + kTags + "()") == "<lambda>");
    CHECK(stableKernelName("__main__::mm" + kTags + "(double)") == "mm(float64)");
    CHECK(stableKernelName("void gemm<4>(int)") == "void gemm<4>(int)");
}
