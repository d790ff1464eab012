// SPDX-License-Identifier: Apache-2.0
#include "analyzer/chains/buffer_access.h"

#include "tests/support/catch.h"

using namespace roofscope;

namespace {

using Uses = std::vector<PointerUse>;
using Numbers = std::vector<std::uint32_t>;
constexpr auto R = PointerUse::Reads, W = PointerUse::MayWrite, U = PointerUse::Undeclared;

BufferAccess bufferAccess(std::string_view demangled, std::span<const BufferArgument> arguments) {
    return KernelBuffers(demangled).access(arguments);
}

/// One pointer per parameter, buffer numbers from 10.
std::vector<BufferArgument> inParameters(std::initializer_list<std::uint32_t> parameters) {
    std::vector<BufferArgument> list;
    for (const std::uint32_t parameter : parameters)
        list.push_back(
            {.buffer = 10 + static_cast<std::uint32_t>(list.size()), .parameter = parameter});
    return list;
}

constexpr const char* kTorchAdd =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";

}  // namespace

TEST_CASE("declarations say what is read and what may be written") {
    CHECK(pointerUses("copy(float const*, float*, unsigned long)") == Uses{R, W, U});
    CHECK(pointerUses("void ns::k<float, 4>(ns::Piece<4> const*, ns::Piece<4>*)") == Uses{R, W});
    CHECK(pointerUses("k(void const*, void*, char const volatile*)") == Uses{R, W, W});
    CHECK(pointerUses("k(const float*, float* __restrict__, float const* __restrict__)") ==
          Uses{R, W, R});
    CHECK(pointerUses("k(float const* const, float* const)") == Uses{R, W});
    CHECK(pointerUses("k()").empty());
    CHECK(pointerUses("k(void)").empty());
}

TEST_CASE("what declarations do not say stays undeclared") {
    // Pointers to pointers, pointers to arrays and functions, structs, references, lambdas.
    CHECK(pointerUses("k(float**, float const* const*, float (*) [4], void (*)(int), S, T&)") ==
          Uses{U, U, U, U, U, U});
    CHECK(pointerUses("k(CUtensorMap_st, std::array<char*, 2ul>)") == Uses{U, U});
    for (const char* name : {"add_kernel", "", "(", ")", "(float*)", "k(float*", "k float*)", "((",
                             "))", "k<(float*)>"})
        CHECK(pointerUses(name).empty());
}

TEST_CASE("commas and parentheses inside types do not part parameters") {
    CHECK(pointerUses("void roofscope::(anonymous namespace)::map<A<1, 2>, (B)3>(float const*, "
                      "A<1, 2>, std::pair<int (*)(int, int), B>, float*)") == Uses{R, U, U, W});
    CHECK(pointerUses("void k<f(int, int)::{lambda(float)#1}>(f(int, int)::{lambda(float)#1}, "
                      "float*)") == Uses{U, W});
    CHECK(pointerUses("k(A<(x->y)>, float*)") == Uses{U, W});
}

TEST_CASE("a launch's buffers are sorted by declaration, each once") {
    const auto access =
        bufferAccess("zip(float const*, float const*, float*)", inParameters({0, 1, 2}));
    REQUIRE(access.known);
    CHECK(access.reads == Numbers{10, 11});
    CHECK(access.mutables == Numbers{12});
    const std::vector<BufferArgument> twice{{.buffer = 3, .parameter = 0},
                                            {.buffer = 3, .parameter = 1}};
    CHECK(bufferAccess("square(float const*, float const*, float*)", twice).reads == Numbers{3});
    CHECK(bufferAccess("anything", {}).known);  // it has no pointer arguments
}

TEST_CASE("one undeclared pointer makes the launch unknown") {
    CHECK_FALSE(bufferAccess("add_kernel", inParameters({0, 1, 2})).known);
    CHECK_FALSE(bufferAccess("k(float const*, S)", inParameters({0, 1})).known);
    CHECK_FALSE(bufferAccess("k(float const*, float**)", inParameters({0, 1})).known);
    CHECK_FALSE(bufferAccess("k(float const*)", inParameters({0, 1})).known);
    CHECK_FALSE(
        bufferAccess("k(float const*, CUtensorMap_st, float*)", inParameters({0, 2})).known);
    // A struct without pointers does not matter.
    CHECK(bufferAccess("k(float const*, S, float*)", inParameters({0, 2})).known);
}

TEST_CASE("PyTorch's elementwise kernels: the output first, then the inputs") {
    const auto access = bufferAccess(kTorchAdd, inParameters({2, 2, 2}));
    REQUIRE(access.known);
    CHECK(access.elementwiseByName);
    CHECK(access.mutables == Numbers{10});
    CHECK(access.reads == Numbers{11, 12});

    const char* legacy =
        "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
        "at::native::CUDAFunctor_add<float> >(at::TensorIteratorBase&, "
        "at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1}>(int, "
        "at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> >"
        "(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1})";
    CHECK(bufferAccess(legacy, inParameters({1, 1, 1})).reads == Numbers{11, 12});

    // An in-place operation names its buffer twice.
    const std::vector<BufferArgument> inPlace{{.buffer = 1, .parameter = 2},
                                              {.buffer = 1, .parameter = 2},
                                              {.buffer = 2, .parameter = 2}};
    CHECK(bufferAccess(kTorchAdd, inPlace).reads == Numbers{1, 2});
    CHECK(bufferAccess(kTorchAdd, inPlace).mutables == Numbers{1});
}

TEST_CASE("what only looks like PyTorch's elementwise kernels is not taken for them") {
    CHECK_FALSE(bufferAccess(kTorchAdd, inParameters({2, 2})).known);     // an operand is missing
    CHECK_FALSE(bufferAccess(kTorchAdd, inParameters({1, 2, 2})).known);  // one is in the functor
    for (const char* name :
         {"void at::native::index_elementwise_kernel<128, 4, f>(long, std::array<char*, 3ul>)",
          "void at::native::elementwise_kernel<128, 4, scatter()::{lambda(int)#1}>(int, "
          "scatter()::{lambda(int)#1})",
          "void mine::vectorized_elementwise_kernel<4, f, std::array<char*, 3ul> >(int, f, "
          "std::array<char*, 3ul>)",
          "void at::native::unrolled_elementwise_kernel_for_multi_outputs<2, f>(int, f, "
          "std::array<char*, 3ul>)"})
        CHECK_FALSE(bufferAccess(name, inParameters({1, 1, 1})).known);
}

TEST_CASE("an elementwise kernel of CuPy reads its arrays and writes the last") {
    const auto add = bufferAccess("cupy_add__float32_float32_float32", inParameters({0, 1, 2}));
    REQUIRE(add.known);
    CHECK(add.elementwiseByName);
    CHECK(add.reads == Numbers{10, 11});
    CHECK(add.mutables == Numbers{12});
    CHECK(bufferAccess("cupy_arange__float_float_float32", inParameters({2})).mutables ==
          Numbers{10});
    // A reduction has no types in its name, and a user's kernel may be called anything.
    CHECK_FALSE(bufferAccess("cupy_sum", inParameters({0, 1})).known);
    CHECK_FALSE(bufferAccess("cupy_mine__x(float*, S)", inParameters({0, 1})).elementwiseByName);
}
