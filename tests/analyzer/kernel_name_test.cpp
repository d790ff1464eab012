// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "analyzer/model/analysis.h"
#include "profile/codec/codec.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

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
    // The kernel's own name is dropped before the functor.
    const std::string nested =
        shortOf("at::native::BinaryFunctor<bool, bool, bool, at::BitwiseAndFunctor<bool> >");
    CHECK(nested.ends_with("<BinaryFunctor<BitwiseAndFunctor<bool>>>"));
    CHECK(nested.starts_with("vectorized"));
    CHECK(shortKernelName("void at::cunn_SoftMaxForwardReg<float, float, float, "
                          "at::SoftMaxForwardEpilogue, long, 4>(float*)") ==
          "cunn_SoftMaxForwardReg<float, SoftMaxForwardEpilogue, long>");
    // Integers are kept where they fit, also in a kernel that has only integers.
    CHECK(shortKernelName("void tile<128, 64, 8>(int)") == "tile<128, 64, 8>");
    CHECK(shortKernelName("void tile<128, 64, 8, 4>(int)", 12) == "tile<128>");
}

TEST_CASE("shortKernelName leaves out a library's policies before it cuts the kernel's own name") {
    CHECK(
        shortKernelName("void cub::detail::radix_sort::DeviceRadixSortOnesweepKernel<cub::detail::"
                        "radix_sort::policy_hub<unsigned int, cub::NullType, unsigned int>::"
                        "Policy1000, (cub::SortOrder)0, unsigned int, cub::NullType, unsigned "
                        "int, int, int, cub::detail::identity_decomposer_t>(int*)",
                        40) == "DeviceRadixSortOnesweepKernel");
    CHECK(shortKernelName("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::"
                          "native::(anonymous namespace)::TensorListMetadata<2>, at::native::("
                          "anonymous namespace)::UnaryOpFunctor<float, 2, 1, 1>, at::native::Copy<"
                          "float, float> >(int)",
                          60) == "multi_tensor…pply_kernel<UnaryOpFunctor<float>, Copy<float>>");
}

TEST_CASE("shortKernelName leaves out parameters of Numba where there is no room") {
    const std::string tags = "[abi:v1][abi:cw51cXTLSUwv1sDUaKthqaNg]",
                      matrix = "Array<float, 2, C, mutable, aligned>",
                      name = "__main__::mm" + tags + "(" + matrix + ", Tuple<int, float>, double)";
    CHECK(shortKernelName(name) == "mm(float32[:,:], Tuple(int32, float32), float64)");
    CHECK(shortKernelName(name, 48) == "mm(float32[:,:], Tuple(int32, float32), float64)");
    CHECK(shortKernelName(name, 47) == "mm(float32[:,:], Tuple(int32, float32), …)");
    CHECK(shortKernelName(name, 41) == "mm(float32[:,:], …)");
    CHECK(shortKernelName(name, 18) == "mm(…)");
    CHECK(shortKernelName(name, 4) == "mm…)");
    CHECK(shortKernelName("a::outer::_3clocals_3e::k" + tags + "(double)", 22) ==
          "outer.<locals>.k(…)");
}

TEST_CASE("kernels of one name say what sets them apart") {
    using namespace roofscope;
    const auto namesOf = [](const test::SyntheticProfile& p) {
        std::set<std::string> names;
        const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
        for (const KernelAnalysis& k : analysis.kernels) {
            names.insert(k.name);
            CHECK(k.fullName.find('[') == std::string::npos);
        }
        CHECK(names.size() == analysis.kernels.size());
        return names;
    };
    using Names = std::set<std::string>;
    test::SyntheticProfile ranges;
    test::idle(ranges, "f<float>", {8}, {128}, 3).range("step > decode/naive/B=1,H=64,f32");
    test::idle(ranges, "f<float>", {8}, {128}, 3).range("step > decode/naive/B=16,H=64,f32");
    test::idle(ranges, "alone", {8}, {128}, 3).range("step");
    CHECK(namesOf(ranges) == Names{"alone", "f<float> [B=1]", "f<float> [B=16]"});

    test::SyntheticProfile grids;
    test::idle(grids, "f", {4096}, {128}, 3).range("same");
    test::idle(grids, "f", {16, 2}, {128}, 3).range("same");
    CHECK(namesOf(grids) == Names{"f [grid 4096]", "f [grid 16x2]"});

    // Numba compilations are told apart by their types; if these are cut or equal, by other means.
    test::SyntheticProfile numba;
    const std::string tags = "[abi:cw51cXTLSUwv1sDUaKthqaNg]";
    std::string arrays;
    for (int i = 0; i < 6; ++i) arrays += "Array<double, 2, C, mutable, aligned>, ";
    for (const std::string& name :
         {"__main__::f[abi:v1]" + tags + "(int)", "__main__::f[abi:v1]" + tags + "(float)",
          "__main__::g[abi:v2]" + tags + "(" + arrays + "int)",
          "__main__::g[abi:v2]" + tags + "(" + arrays + "float)"})
        test::idle(numba, name, {8}, {128}, 3);
    const Analysis compiled = analyze(std::make_shared<const Profile>(numba.build()));
    std::set<std::string> shown;
    for (const KernelAnalysis& k : compiled.kernels) shown.insert(k.name);
    CHECK(shown == Names{"f(int32)", "f(float32)",
                         "g(float64[:,:], float64[:,:], float64[:,:], float64[:,:], …)",
                         "g(float64[:,:], float64[:,:], float64[:,:], …) #2"});

    test::SyntheticProfile both;  // neither range nor grid is enough on its own
    test::idle(both, "f", {1}, {128}, 3).range("a");
    test::idle(both, "f", {2}, {128}, 3).range("a");
    test::idle(both, "f", {2}, {128}, 3).range("b");
    CHECK(namesOf(both) == Names{"f [a, grid 1]", "f [a, grid 2]", "f [b, grid 2]"});

    test::SyntheticProfile letters;  // non-ASCII: characters count, not bytes, and none is split
    std::string many;
    for (int i = 0; i < 31; ++i) many += "é";
    test::idle(letters, "f", {1}, {128}, 3).range(many + "é");
    test::idle(letters, "f", {1}, {128}, 3).range("z" + many + "é");
    CHECK(namesOf(letters) == Names{"f [" + many + "é]", "f [z" + many.substr(2) + "…]"});

    test::SyntheticProfile nothing;  // two functions with the same short name and shape
    test::idle(nothing, "one::f(int)", {1}, {128}, 3);
    test::idle(nothing, "two::f(int)", {1}, {128}, 3);
    CHECK(namesOf(nothing) == Names{"f", "f #2"});

    test::SyntheticProfile crossed;  // #3 is taken by the other shape, so #4 follows
    for (const std::uint32_t grid : {1U, 2U})
        for (const char* name : {"one::f(int)", "two::f(int)", "six::f(int)"})
            test::idle(crossed, name, {grid}, {128}, 3);
    CHECK(namesOf(crossed) == Names{"f [grid 1]", "f #2", "f #3", "f [grid 2]", "f #4", "f #5"});
}

TEST_CASE("recorded kernels all have a name of their own that fits its column") {
    using namespace roofscope;
    for (const char* file : {"h200_bundled", "h200_lightning_shapes", "h200_torch_triton"}) {
        INFO(file);
        const Analysis& analysis = test::recorded(file);
        std::set<std::string> names;
        for (const KernelAnalysis& kernel : analysis.kernels) {
            INFO(kernel.name);
            CHECK(names.insert(kernel.name).second);
            std::size_t characters = 0;
            for (const char c : kernel.name) characters += (c & 0xC0) != 0x80;
            CHECK(characters <= 60);
        }
    }
}
