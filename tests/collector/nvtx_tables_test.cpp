// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/ranges/nvtx_tables.h"

#include <generated_nvtx_meta.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "collector/inject/injector.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
namespace nvtx = inject::nvtx;

namespace {

constexpr unsigned kSize = 16;

/// The functions that a shared object calls for a module of NVTX; they are CUPTI's at first.
struct Module {
    std::array<nvtx::Function, kSize> functions{};
    std::array<nvtx::Function*, kSize> table{};
    unsigned size = kSize;
};
Module g_core, g_core2;

void cuptis() {}

void reset() {
    for (Module* module : {&g_core, &g_core2}) {
        module->size = kSize;
        for (unsigned i = 0; i < kSize; ++i) {
            module->functions[i] = &cuptis;
            module->table[i] = &module->functions[i];
        }
    }
}

int tableOf(int module, nvtx::Function*** table, unsigned* size) {
    Module& of = module == nvtx::kCore ? g_core : g_core2;
    *table = of.table.data();
    *size = of.size;
    return module == nvtx::kCore || module == nvtx::kCore2 ? 1 : 0;
}

const void* tables(std::uint32_t id) {
    struct Callbacks {
        std::size_t size;
        int (*getModuleFunctionTable)(int, nvtx::Function***, unsigned*);
    };
    static constexpr Callbacks kCallbacks{sizeof(Callbacks), tableOf};
    return id == 1 ? &kCallbacks : nullptr;
}

/// Calls a function of a table as NVTX does.
template <class... Arguments>
void call(const Module& module, unsigned index, Arguments... arguments) {
    reinterpret_cast<int (*)(Arguments...)>(module.functions[index])(arguments...);
}

nvtxEventAttributes_t named(const char* name) {
    nvtxEventAttributes_t attributes{};
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    return attributes;
}

}  // namespace

TEST_CASE("ranges of NVTX reach the recording without CUPTI") {
    const test::TemporaryFolder folder;
    const RunConfiguration configuration{.mode = TimingMode{}};
    REQUIRE(test::runFakeProgram(configuration, folder.path(), [](test::FakeProgram& program) {
        reset();
        if (!nvtx::takeRanges(tables, &inject::Injector::rangeCalled)) return;
        const auto domain = reinterpret_cast<nvtxDomainHandle_t>(0x10);
        const nvtxEventAttributes_t step = named("step"), layer = named("layer");
        call(g_core2, nvtx::kDomainRangePushEx, domain, &step);
        program.launch({.kernel = "a"});
        call(g_core, nvtx::kRangePushA, "inner");
        program.launch({.kernel = "b"});
        call(g_core, nvtx::kRangePushW, L"wide");
        call(g_core, nvtx::kRangePop);
        program.launch({.kernel = "c"});
        call(g_core, nvtx::kRangePop);
        call(g_core, nvtx::kRangePushEx, &layer);
        program.launch({.kernel = "d"});
        call(g_core, nvtx::kRangePop);
        call(g_core2, nvtx::kDomainRangePop, domain);
        program.launch({.kernel = "e"});
    }));
    const auto profile = readSpools(folder.path());
    REQUIRE(profile);
    REQUIRE(profile->launches.size() == 5);
    std::vector<std::string> names;
    for (const Launch& launch : profile->launches)
        names.push_back(launch.range ? profile->ranges[*launch.range] : "");
    CHECK(names[0].find("step") != std::string::npos);
    CHECK(names[1].find("inner") != std::string::npos);
    CHECK(names[2] == names[1]);  // the pop has ended the range with the wide name
    CHECK(names[3].find("layer") != std::string::npos);
    CHECK(names[4].empty());
}

TEST_CASE("tables of another NVTX stay CUPTI's") {
    const auto taken = [] { return nvtx::takeRanges(tables, &inject::Injector::rangeCalled); };
    reset();
    g_core2.size = nvtx::kDomainRangePop;
    CHECK_FALSE(taken());
    g_core2.size = kSize;
    g_core.table[nvtx::kRangePop] = nullptr;
    CHECK_FALSE(taken());
    CHECK(std::ranges::all_of(g_core.functions, [](auto f) { return f == &cuptis; }));
    CHECK_FALSE(nvtx::takeRanges(nullptr, &inject::Injector::rangeCalled));
}
