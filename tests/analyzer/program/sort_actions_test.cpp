// SPDX-License-Identifier: Apache-2.0
// Sorts of all the data that take much of a program's time.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionNamed;
using roofscope::test::judged;
using roofscope::test::SyntheticProgram;

namespace {

constexpr const char* kSegmentedSort =
    "void at_cuda_detail::cub::detail::radix_sort::DeviceSegmentedRadixSortKernel<float, "
    "long>(int)";
constexpr const char* kReverseIndices =
    "at::native::(anonymous namespace)::fill_reverse_indices_kernel(long*, int)";
constexpr const char* kDistances =
    "void at::native::vectorized_elementwise_kernel<4, at::native::sqrt_kernel_cuda>(int)";
constexpr const char* kOnesweep =
    "void cub::CUB_300001_SM_900::detail::radix_sort::DeviceRadixSortOnesweepKernel<int>(int)";

using SortSteps = std::vector<std::pair<const char*, double>>;

/// Ten steps of these launches. `op`: the operator that launches the sort's kernels.
Program sortingProgram(const SortSteps& steps, std::string_view op, bool torch = true) {
    SyntheticProgram p;
    for (int i = 0; i < 10; ++i) {
        p.push("step");
        for (const auto& [kernel, us] : steps) p.launch(kernel, us);
        p.sync().pop();
    }
    Profile profile = p.build();
    for (Launch& launch : profile.launches) launch.grid = {4096, 1, 1};
    for (std::uint32_t k = 0; k < profile.kernels.size(); ++k) {
        Kernel& kernel = profile.kernels[k];
        if (torch) kernel.symbol = "_ZN2at6native" + std::to_string(k);
        if (kernel.name.find("ort") == std::string::npos &&
            kernel.name.find("reverse") == std::string::npos)
            continue;
        CallSite site{.kernel = k, .line = 21, .function = "neighbours"};
        site.file = torch ? "/app/knn.py" : "/app/knn.cu";
        site.op = op;
        site.sizes = op.empty() ? "" : "[1024, 262144]";
        site.count = 10;
        profile.callSites.push_back(site);
    }
    return judged(profile);
}

const Action* sortAction(const Program& program) { return actionNamed(program, "full-sort"); }

const SortSteps kKnn{
    {kDistances, 3000}, {kReverseIndices, 1000}, {kSegmentedSort, 8000}, {kSegmentedSort, 8000}};

}  // namespace

TEST_CASE("a full sort of rows is told to select, if only the first are used") {
    const Program program = sortingProgram(kKnn, "aten::sort");
    const Action* action = sortAction(program);
    REQUIRE(action);
    CHECK(&program.actions.front() == action);
    CHECK(action->bound.value * 1e6 == Approx(17000).epsilon(0.01));
    CHECK_FALSE(action->estimate);
    CHECK(action->kernels.size() == 2);
    CHECK(action->edit.in(Language::En).starts_with("If only the first k of each row are used"));
    CHECK(action->edit.in(Language::En).find("torch.topk") != std::string::npos);
    const auto what = std::ranges::find(action->args, "operator", &Arg::name);
    REQUIRE(what != action->args.end());
    CHECK(what->text.in(Language::En) == "aten::sort [1024, 262144]");
}

TEST_CASE("a sort of CUB is told to select or to sort fewer bits") {
    const Program program = sortingProgram({{kOnesweep, 600}, {kOnesweep, 600}}, "", false);
    const Action* action = sortAction(program);
    REQUIRE(action);
    // One array, which is mostly wanted in order: half of its bits.
    CHECK(action->bound.value * 1e6 == Approx(600).epsilon(0.01));
    CHECK(action->estimate);
    CHECK(action->edit.in(Language::En).find("begin_bit") != std::string::npos);
}

namespace {

constexpr const char* kBlockSort =
    "void cub::CUB_300001_SM_900::detail::merge_sort::DeviceMergeSortBlockSortKernel<ByCell, "
    "Particle>(bool)";
constexpr const char* kMergePartition =
    "void cub::CUB_300001_SM_900::detail::merge_sort::DeviceMergeSortPartitionKernel<ByCell, "
    "Particle>(bool)";
constexpr const char* kMerge =
    "void cub::CUB_300001_SM_900::detail::merge_sort::DeviceMergeSortMergeKernel<ByCell, "
    "Particle>(bool)";

/// A merge sort with so many merges after the sort of blocks.
SortSteps mergeSort(int merges) {
    SortSteps steps{{kBlockSort, 400}};
    for (int i = 0; i < merges; ++i) {
        steps.emplace_back(kMergePartition, 20);
        steps.emplace_back(kMerge, 300);
    }
    return steps;
}

}  // namespace

TEST_CASE("a merge sort is told to give way to a radix sort of keys and indices") {
    const Program program = sortingProgram(mergeSort(14), "", false);
    const Action* action = sortAction(program);
    REQUIRE(action);
    CHECK(action == &program.actions.front());
    CHECK(action->title.in(Language::En) == "Merge sorts");
    CHECK(action->edit.in(Language::En).find("cub::DeviceRadixSort") != std::string::npos);
    CHECK(action->edit.in(Language::En).find("Allocate the temporary memory once") !=
          std::string::npos);
    CHECK(action->edit.in(Language::En).find("the first k") == std::string::npos);
    // 15 passes over the elements in place of 5.
    CHECK(action->estimate);
    CHECK(action->bound.value * 1e6 == Approx((400 + 14 * 320) * 2 / 3.0).epsilon(0.01));
}

TEST_CASE("other sorts, and short merge sorts, are told nothing of merge sorts") {
    // Mostly a radix sort.
    SortSteps steps = mergeSort(2);
    for (int i = 0; i < 4; ++i) steps.emplace_back(kOnesweep, 600);
    const Program radix = sortingProgram(steps, "", false);
    REQUIRE(sortAction(radix));
    CHECK(sortAction(radix)->title.in(Language::En) == "Full sorts");
    // PyTorch chose the sort.
    const Program torch = sortingProgram(mergeSort(14), "aten::sort");
    REQUIRE(sortAction(torch));
    CHECK(sortAction(torch)->edit.in(Language::En).find("torch.topk") != std::string::npos);
    // A radix sort needs as many passes.
    CHECK_FALSE(sortAction(sortingProgram(mergeSort(4), "", false)));
}

namespace {

/// A step of particles: `merges` launches of a sort, and the kernel that uses it.
const Action* ownSort(int merges, const char* name, double us, double other, const Program*& kept) {
    static std::vector<std::unique_ptr<Program>> programs;
    SyntheticProgram p;
    for (int i = 0; i < 20; ++i) {
        for (int k = 0; k < merges; ++k) p.launch(name, us);
        p.launch("collide(float4*)", other).sync();
    }
    Profile profile = p.build();
    for (Launch& launch : profile.launches) launch.grid = {64, 1, 1};
    programs.push_back(std::make_unique<Program>(judged(profile)));
    kept = programs.back().get();
    return actionNamed(*kept, "own-sort");
}

}  // namespace

TEST_CASE("a program's own sort in many short launches gives way to a library's") {
    const Program* program = nullptr;
    const Action* action = ownSort(20, "bitonicMergeGlobal(unsigned*, unsigned*)", 3, 20, program);
    REQUIRE(action);
    CHECK(action == &program->actions.front());
    CHECK(action->estimate);
    CHECK(action->bound.value * 1e6 >= 60 - 16);
    CHECK(action->edit.in(Language::En).find("cub::DeviceRadixSort") != std::string::npos);
    CHECK(ownSort(20, "void sortStep<int>(int*)", 3, 20, program));
    // As few launches as a library's; long ones; a small part; another thing by its name.
    CHECK_FALSE(ownSort(4, "bitonicMergeGlobal(unsigned*)", 3, 3, program));
    CHECK_FALSE(ownSort(20, "bitonicMergeGlobal(unsigned*)", 300, 20, program));
    CHECK_FALSE(ownSort(20, "bitonicMergeGlobal(unsigned*)", 3, 3000, program));
    CHECK_FALSE(ownSort(20, "sortedSearch(float*)", 3, 20, program));
    CHECK_FALSE(ownSort(20, "step(float*)", 3, 20, program));
    CHECK_FALSE(ownSort(20, "oddEvenReduce(float*)", 3, 20, program));
    CHECK_FALSE(ownSort(20, "particle_sort::force(float*)", 3, 20, program));
    // How many sorts 240 launches of one kernel are is not known: 20 of a library are taken off.
    const Action* many = ownSort(240, "radixSortStep(int*)", 3, 20, program);
    REQUIRE(many);
    CHECK(many->bound.value * 1e6 < 240 * 3 + 240 * 3 - 20 * 16);
}

TEST_CASE("sorts that are small, or serve another operator, are no fault") {
    // Less than a fifth of the kernels' time: boxes before non-maximum suppression.
    CHECK_FALSE(
        sortAction(sortingProgram({{kDistances, 9000}, {kSegmentedSort, 2000}}, "aten::sort")));
    // Indices of an embedding's gradient, of a sparse tensor, of index_put, a permutation.
    for (const char* op : {"aten::embedding_dense_backward", "aten::_coalesce", "aten::index_put_",
                           "aten::randperm", "aten::unique2"}) {
        INFO(op);
        CHECK_FALSE(sortAction(sortingProgram(kKnn, op)));
    }
    // PyTorch without recorded operators: it is not known what sorts.
    CHECK_FALSE(sortAction(sortingProgram(kKnn, "")));
    // A few keys: a selection takes as long.
    CHECK_FALSE(sortAction(sortingProgram({{kDistances, 5}, {kSegmentedSort, 6}}, "aten::sort")));
    CHECK_FALSE(sortAction(sortingProgram({{kDistances, 5000}}, "aten::sort")));
}

TEST_CASE("a sparse tensor that is coalesced in each product is told to be coalesced once") {
    constexpr const char* kSums =
        "void at::native::apply::coalesceValuesKernel<float, float>(long*, long*, float*, float*)";
    constexpr const char* kProduct = "void cusparse::csrmm_alg1_kernel<false, true>(int)";
    const auto program = [&](int products, const char* op, std::uint32_t productLine = 33) {
        SyntheticProgram p;
        for (int i = 0; i < 10; ++i) {
            p.push("step");
            if (i < products) p.launch(kSums, 300);
            p.launch(kProduct, 200).sync().pop();
        }
        Profile profile = p.build();
        for (std::uint32_t k = 0; k < profile.kernels.size(); ++k)
            profile.callSites.push_back(
                {.kernel = k,
                 .file = "/app/graph.py",
                 .line = profile.kernels[k].name == kSums ? 33 : productLine,
                 .op = profile.kernels[k].name == kSums ? op : "aten::addmm",
                 .sizes = "[400, 400]",
                 .count = 10});
        return judged(profile);
    };
    const auto coalesced = [](const Program& of) { return actionNamed(of, "repeated-coalesce"); };
    const Program each = program(10, "aten::_coalesce");
    REQUIRE(coalesced(each));
    CHECK(coalesced(each) == &each.actions.front());
    CHECK(coalesced(each)->bound.value * 1e6 == Approx(300));
    CHECK_FALSE(coalesced(program(1, "aten::_coalesce")));  // where the matrix is made
    CHECK_FALSE(coalesced(program(10, "aten::embedding_sparse_backward")));
    CHECK_FALSE(coalesced(program(10, "aten::_coalesce", 40)));  // gradients, in the optimizer
}
