// SPDX-License-Identifier: Apache-2.0
// PyTorch's operators, from what its profiler passes to NVTX to the profile's launch sites. For how
// they are switched on see operators_test.py.
#include "collector/inject/python/operators.h"

#include <array>
#include <map>

#include "collector/inject/python/python_lines.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
namespace operators = roofscope::inject::operators;
namespace python_lines = roofscope::inject::python_lines;

namespace {

using Function = void (*)();
constexpr unsigned kPush = 9, kPop = 11;
std::array<Function, 16> g_functions{};
std::array<Function*, 16> g_table{};
int g_size = 16;
int g_pushes = 0, g_pops = 0;

int tableOf(int, Function*** table, unsigned* size) {
    *table = g_table.data();
    *size = static_cast<unsigned>(g_size);
    return 1;
}
const void* tables(std::uint32_t) {
    struct Callbacks {
        std::size_t size;
        int (*table)(int, Function***, unsigned*);
    };
    static constexpr Callbacks kCallbacks{sizeof(Callbacks), tableOf};
    return &kCallbacks;
}
void prepareTables() {
    for (std::size_t i = 0; i < g_table.size(); ++i) g_table[i] = &g_functions[i];
    g_functions[kPush] =
        reinterpret_cast<Function>(+[](const char*) { return static_cast<int>(++g_pushes); });
    g_functions[kPop] = reinterpret_cast<Function>(+[] { return static_cast<int>(++g_pops); });
}
void push(const std::string& text) {
    reinterpret_cast<int (*)(const char*)>(g_functions[kPush])(text.c_str());
}
void pop() { reinterpret_cast<int (*)()>(g_functions[kPop])(); }

void within(const std::string& text, const std::function<void()>& work) {
    push(text);
    work();
    pop();
}
void at(unsigned line) { python_lines::at(python_lines::code("/app/train.py", "step"), line); }

Profile recorded(const std::function<void(test::FakeProgram&)>& program) {
    const test::TemporaryFolder folder;
    const RunConfiguration configuration{.mode = CountersMode{.callSites = true}};
    REQUIRE(test::runFakeProgram(configuration, folder.path(),
                                 [&](test::FakeProgram& p) {
                                     prepareTables();
                                     if (!operators::interpose(tables)) return;
                                     operators::follow(true);
                                     program(p);
                                 },
                                 {.readable = true}));
    auto profile = readSpools(folder.path());
    REQUIRE(profile);
    return *profile;
}

/// "gemm:12 aten::mm [8, 8]" → number of launches, per site.
std::map<std::string, std::uint64_t> sitesOf(const Profile& profile) {
    std::map<std::string, std::uint64_t> sites;
    for (const CallSite& site : profile.callSites) {
        if (!site.kernel) continue;
        std::string text =
            profile.kernels[*site.kernel].name + ":" + std::to_string(site.line) + " " + site.op;
        if (!site.sizes.empty()) text += " " + site.sizes;
        if (!site.backward.empty()) text += " in " + site.backward;
        if (!site.forward.file.empty()) text += " of " + std::to_string(site.forward.line);
        sites[text] += site.count;
    }
    return sites;
}

}  // namespace

TEST_CASE("the text of an operator") {
    const auto text = operators::parse(
        "aten::linear, seq = 12, op_id = 1, sizes = [[3, 8], [], [16]], input_op_ids = [(0,-1)]");
    CHECK(text.name == "aten::linear");
    CHECK(text.sequence == 12U);
    CHECK(text.sizes == "[3, 8], [16]");
    CHECK(operators::parse("aten::to, op_id = 3, sizes = [[], []]").sizes.empty());
    CHECK(operators::parse("aten::to, op_id = 3").name == "aten::to");
    CHECK_FALSE(operators::parse("aten::to, op_id = 3").sequence);
    CHECK(operators::parse("a, b [1], op_id = 3").name == "a, b [1]");
    CHECK(operators::parse("").name.empty());
    CHECK_FALSE(operators::parse("x, seq = -1, op_id = 2").sequence);
    CHECK_FALSE(operators::parse("x, seq = 99999999999999999999, op_id = 2").sequence);
    for (const char* hostile : {"[[", "[[1], \x1b[31m]", "]", "[", "", "[]]", "[,]", "[[1]] x"})
        CHECK(operators::parse("x, op_id = 1, sizes = " + std::string(hostile)).sizes.size() < 8);
    std::string many = "[";
    for (int i = 0; i < 1000; ++i) many += "[1024, 1024], ";
    const auto cut = operators::parse("aten::cat, op_id = 1, sizes = " + many + "[]]").sizes;
    CHECK(cut.size() < 140);
    CHECK(cut.ends_with("], …"));
}

TEST_CASE("tables that are not as expected stay as they are") {
    CHECK_FALSE(operators::interpose(nullptr));
    CHECK_FALSE(operators::interpose([](std::uint32_t) -> const void* { return nullptr; }));
    g_size = 11;
    prepareTables();
    const Function before = g_functions[kPush];
    CHECK_FALSE(operators::interpose(tables));
    CHECK(g_functions[kPush] == before);
    g_size = 16;
    g_table[kPop] = nullptr;
    CHECK_FALSE(operators::interpose(tables));
    CHECK_FALSE(operators::areOfProfiler(tables));  // the table of another shared object
}

TEST_CASE("launches are counted by line and operator, which is no range") {
    const Profile p = recorded([](test::FakeProgram& program) {
        program.pushRange("step");
        at(12);
        for (int i = 0; i < 3; ++i)
            within("aten::linear, seq = 4, op_id = 1, sizes = [[8, 8], []]", [&] {
                within("aten::mm, op_id = 2, sizes = [[8, 8]]",
                       [&] { program.launch({.kernel = "gemm"}); });
            });
        at(13);
        for (int i = 0; i < 7; ++i)
            within("aten::cat, op_id = 3, sizes = [[" + std::to_string(i % 6) + "]]",
                   [&] { program.launch({.kernel = "cat"}); });
        at(20);
        within("autograd::engine::evaluate_function: MmBackward0, op_id = 4", [&] {
            within("MmBackward0, seq = 4, op_id = 5", [&] {
                within("aten::mm, op_id = 6", [&] { program.launch({.kernel = "gemm"}); });
            });
        });
        program.launch({.kernel = "own"});
        program.popRange();
    });
    const std::map<std::string, std::uint64_t> expected{
        {"gemm:12 aten::mm [8, 8]", 3},
        {"cat:13 aten::cat [0]", 2},
        {"cat:13 aten::cat [1]", 1},
        {"cat:13 aten::cat [2]", 1},
        {"cat:13 aten::cat [3]", 1},
        {"cat:13 aten::cat", 2},
        {"gemm:20 aten::mm in MmBackward0 of 12", 1},
        {"own:20 ", 1}};
    CHECK(sitesOf(p) == expected);
    CHECK(p.ranges == std::vector<std::string>{"step"});
}

TEST_CASE("what a convolution launches after it has waited is cuDNN's search") {
    const Profile p = recorded([](test::FakeProgram& program) {
        at(12);
        const auto launchAndWait = [&] {
            for (int i = 0; i < 3; ++i) {
                program.launch({.kernel = "tried"});
                program.call(CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize);
            }
        };
        within("aten::cudnn_convolution, op_id = 2, sizes = [[8, 8]]", launchAndWait);
        within("aten::cudnn_convolution, op_id = 3, sizes = [[8, 8]]",
               [&] { program.launch({.kernel = "chosen"}); });
        // Other operators wait as a part of their work.
        within("aten::nonzero, op_id = 4, sizes = [[8]]", launchAndWait);
    });
    const std::map<std::string, std::uint64_t> expected{
        {"tried:12 aten::cudnn_convolution [8, 8]", 1},
        {"chosen:12 aten::cudnn_convolution [8, 8]", 1},
        {"tried:12 aten::nonzero [8]", 3}};
    CHECK(sitesOf(p) == expected);
    REQUIRE(p.launches.size() == 7);
    REQUIRE_FALSE(p.counters.names().empty());
    std::size_t counted = 0;
    for (std::size_t i = 0; i < p.launches.size(); ++i)
        counted += p.counters.value(p.counters.names().front(), i).has_value();
    CHECK(counted == 5);
}

TEST_CASE("launches of one line have their shapes, unless there are many") {
    const Profile p = recorded([](test::FakeProgram& program) {
        at(12);
        for (unsigned i = 1; i <= 2; ++i)
            for (unsigned j = 0; j < i; ++j) program.launch({.kernel = "few", .grid = i});
        at(13);
        for (unsigned i = 1; i <= 20; ++i) program.launch({.kernel = "many", .grid = i});
    });
    std::map<std::string, std::uint64_t> counts;
    for (const CallSite& site : p.callSites)
        if (site.kernel)
            counts[p.kernels[*site.kernel].name + " " +
                   (site.shape ? std::to_string(site.shape->grid.x) : "any")] += site.count;
    CHECK(counts["few 1"] == 1);
    CHECK(counts["few 2"] == 2);
    CHECK(counts["many 16"] == 1);
    CHECK(counts["many any"] == 4);
    CHECK(counts.size() == 19);
}

TEST_CASE("without Python's line the operator is the site; without following there is none") {
    const Profile p = recorded([](test::FakeProgram& program) {
        within("aten::mm, op_id = 2", [&] { program.launch({.kernel = "gemm"}); });
        pop();  // an observer failed: one pop too many
        if (g_pops != 0) abort();
        operators::follow(false);
        at(5);
        within("aten::mm, op_id = 2", [&] { program.launch({.kernel = "gemm"}); });
        if (g_pushes != 1 || g_pops != 1) abort();  // NVTX was called
    });
    const std::map<std::string, std::uint64_t> expected{{"gemm:0 aten::mm", 1}, {"gemm:5 ", 1}};
    CHECK(sitesOf(p) == expected);
}
