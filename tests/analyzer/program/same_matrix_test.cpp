// SPDX-License-Identifier: Apache-2.0
// Matrix-vector products with one matrix, one after another.
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionNamed;
using roofscope::test::SyntheticProgram;

namespace {

constexpr const char* kGemv =
    "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false, false, "
    "cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<float const>, "
    "cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float>, float> "
    ">(cublasGemvParamsEx<int, float>, float, float)";
constexpr const char* kMaximum =
    "void iamax_kernel<int, float, float, 256>(cublasIamaxParams<int, float, float>)";
constexpr const char* kUpdate = "update(float const*, float*)";

/// A program whose launches name their buffers. Each name is an allocation of its own.
class Products {
public:
    SyntheticProgram program;

    void launch(const char* kernel, double us, std::initializer_list<const char*> buffers,
                bool inStruct = true) {
        program.launch(kernel, us);
        std::vector<BufferArgument> arguments;
        for (const char* name : buffers)
            arguments.push_back(
                {.buffer = number(name),
                 .parameter = inStruct ? 0 : static_cast<std::uint32_t>(arguments.size())});
        Profile& profile = program.profile();
        profile.launches.back().arguments =
            static_cast<std::uint32_t>(profile.argumentLists.size());
        profile.argumentLists.add(arguments);
    }
    void product(const char* vector, const char* result) {
        launch(kGemv, 80, {"matrix", vector, result, result});
    }
    /// A copy from the host. What it writes gets a new number.
    void send(const char* buffer, double bytes) {
        program.copy(TransferKind::HostToDevice, MemoryKind::Pageable, bytes, 2);
        m_numbers.erase(buffer);
    }
    void back(double bytes) {
        program.copy(TransferKind::DeviceToHost, MemoryKind::Pageable, bytes, 2);
    }

private:
    std::uint32_t number(const std::string& name) {
        auto& buffers = program.profile().buffers;
        const auto allocation = static_cast<std::uint32_t>(m_allocations.size());
        const auto of = m_allocations.try_emplace(name, allocation).first->second;
        const auto [found, isNew] =
            m_numbers.try_emplace(name, static_cast<std::uint32_t>(buffers.size()));
        if (isNew) buffers.push_back({.allocation = of, .offsetBytes = 0, .bytes = 1u << 20});
        return found->second;
    }
    std::map<std::string, std::uint32_t> m_allocations, m_numbers;
};

using ProductStep = std::function<void(Products&, int)>;

/// A hundred steps.
Program judgedProducts(const ProductStep& step, bool buffersKnown = true) {
    Products products;
    for (int i = 0; i < 100; ++i) {
        products.program.push("step");
        step(products, i);
        products.program.sync().pop();
    }
    Profile profile = products.program.build();
    if (!buffersKnown)
        for (Launch& launch : profile.launches) launch.arguments.reset();
    return test::judged(profile);
}

bool isFound(const ProductStep& step, bool buffersKnown = true) {
    return actionNamed(judgedProducts(step, buffersKnown), "same-matrix-products") != nullptr;
}

/// The best match of a vector from the host in a dictionary.
void match(Products& p, int /*step*/) {
    p.send("vector", 2000);
    p.product("vector", "result");
    p.launch(kMaximum, 3, {"result", "best"});
    p.back(4);
}

}  // namespace

TEST_CASE("products of one matrix with vectors from the host are to be one product") {
    const Program program = judgedProducts(match);
    const Action* action = actionNamed(program, "same-matrix-products");
    REQUIRE(action);
    CHECK(action == &program.actions.front());
    CHECK(action->kernels.size() == 1);
    CHECK_FALSE(action->estimate);
    // No more than 64 vectors at once are promised.
    CHECK(action->bound.value * 1e6 == Approx(80 * (1 - 1.0 / 64)).epsilon(0.01));
    const std::string sentence = action->sentence.in(Language::En);
    CHECK(sentence.starts_with("Matrix-vector products with the same matrix"));
    CHECK(action->edit.in(Language::En).find("cublasSgemm") != std::string::npos);
}

TEST_CASE("products of one matrix with vectors that are already on the GPU") {
    CHECK(isFound([](Products& p, int step) {
        p.product(("vector" + std::to_string(step)).c_str(), "result");
        p.launch(kMaximum, 3, {"result", "best"});
    }));
    // A kernel makes the vector of what came from the host.
    CHECK(isFound([](Products& p, int) {
        p.send("input", 2000);
        p.launch(kUpdate, 3, {"input", "vector"}, false);
        p.product("vector", "result");
        p.launch(kMaximum, 3, {"result", "best"});
    }));
}

TEST_CASE("where buffers are not known, the matrix may be another one") {
    const Program program = judgedProducts(match, false);
    const Action* action = actionNamed(program, "same-matrix-products");
    REQUIRE(action);
    CHECK(action->sentence.in(Language::En).find("If the matrix is the same") != std::string::npos);
    // Not directly after a copy of a vector: the inner layers of a model.
    CHECK_FALSE(isFound(
        [](Products& p, int) {
            p.send("vector", 2000);
            p.launch(kUpdate, 3, {"vector", "result"}, false);
            p.product("result", "result");
            p.back(4);
        },
        false));
}

TEST_CASE("a product whose vector comes from the last result stays") {
    // On the GPU: a power iteration, a recurrent cell.
    CHECK_FALSE(isFound([](Products& p, int) {
        p.product("vector", "result");
        p.launch(kUpdate, 3, {"result", "vector"}, false);
        p.back(4);
    }));
    // The same with another input in each step.
    CHECK_FALSE(isFound([](Products& p, int) {
        p.send("input", 2000);
        p.product("vector", "result");
        p.launch("cell(float const*, float const*, float*)", 3, {"input", "result", "vector"},
                 false);
    }));
    // By two kernels and through a third array, as in conjugate gradients.
    CHECK_FALSE(isFound([](Products& p, int) {
        p.product("vector", "result");
        p.launch(kUpdate, 3, {"result", "residual"}, false);
        p.launch(kUpdate, 3, {"residual", "vector"}, false);
        p.back(4);
    }));
    // By a copy on the GPU.
    CHECK_FALSE(isFound([](Products& p, int) {
        p.product("vector", "result");
        p.program.copy(TransferKind::OnDevice, MemoryKind::Device, 2000, 2);
        p.send("vector", 4);
    }));
    // On the CPU: as many bytes come back as are sent.
    CHECK_FALSE(isFound([](Products& p, int) {
        p.send("vector", 2000);
        p.product("vector", "result");
        p.back(2000);
    }));
    CHECK_FALSE(isFound(
        [](Products& p, int) {
            p.send("vector", 2000);
            p.product("vector", "result");
            p.back(2000);
        },
        false));
}

TEST_CASE("products with another matrix, or with the same vector, stay") {
    // Weights that are trained.
    CHECK_FALSE(isFound([](Products& p, int step) {
        match(p, step);
        p.launch(kUpdate, 3, {"gradient", "matrix"}, false);
    }));
    CHECK_FALSE(isFound([](Products& p, int step) {
        p.send("matrix", 1e6);
        match(p, step);
    }));
    // A benchmark.
    CHECK_FALSE(isFound([](Products& p, int) { p.product("vector", "result"); }));
    // The program's own kernel.
    CHECK_FALSE(isFound([](Products& p, int) {
        p.send("vector", 2000);
        p.launch("multiply(float const*, float const*, float*)", 80, {"matrix", "vector", "result"},
                 false);
    }));
    // A launch without known buffers may write anything.
    CHECK_FALSE(isFound([](Products& p, int step) {
        match(p, step);
        p.program.launch(kUpdate, 3);
    }));
}
