// SPDX-License-Identifier: Apache-2.0
// Which buffers a launch got, read from its parameters through a fake driver.
#include "collector/inject/launches/launch_arguments.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <string>
#include <thread>

#include "collector/inject/calls/followed_calls.h"
#include "collector/inject/calls/memory_writes.h"
#include "collector/inject/launches/argument_log.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::inject;

namespace {

struct Parameter {
    std::size_t offset, bytes;
};

/// What the fake driver knows. Global, because driver functions have no state of their own.
struct FakeDriver {
    std::vector<Parameter> layout;
    std::vector<BufferTable::Allocation> allocations;
    CUresult layoutResult = CUDA_SUCCESS, pointerResult = CUDA_SUCCESS;
    int pointerQueries = 0;
};
FakeDriver g_driver;

CUresult paramInfo(CUfunction, std::size_t index, std::size_t* offset, std::size_t* bytes) {
    if (g_driver.layoutResult != CUDA_SUCCESS) return g_driver.layoutResult;
    if (index >= g_driver.layout.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = g_driver.layout[index].offset;
    *bytes = g_driver.layout[index].bytes;
    return CUDA_SUCCESS;
}

CUresult pointerAttributes(unsigned count, CUpointer_attribute* which, void** data,
                           CUdeviceptr pointer) {
    ++g_driver.pointerQueries;
    if (g_driver.pointerResult != CUDA_SUCCESS) return g_driver.pointerResult;
    BufferTable::Allocation found;
    for (const auto& a : g_driver.allocations)
        if (pointer >= a.start && pointer - a.start < a.bytes) found = a;
    for (unsigned i = 0; i < count; ++i) {
        const std::uint64_t value = which[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ? found.start
                                    : which[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE     ? found.bytes
                                                                                      : found.id;
        std::memcpy(data[i], &value, sizeof value);
    }
    return CUDA_SUCCESS;
}

constexpr std::uint64_t kA = 0x7f0000000000, kB = 0x7f1000000000;

/// A process that launches kernels on the fake driver.
struct ArgumentGuest {
    test::TemporaryFolder folder;
    std::unique_ptr<SpoolWriter> spool = std::make_unique<SpoolWriter>(folder.path().string());
    DriverApi driver;
    BufferTable table;
    std::uint64_t next = 0;

    ArgumentGuest() {
        g_driver = {};
        g_driver.allocations = {{.start = kA, .bytes = 4096, .id = 1},
                                {.start = kB, .bytes = 1 << 20, .id = 2}};
        driver.cuFuncGetParamInfo = &paramInfo;
        driver.cuPointerGetAttributes = &pointerAttributes;
        spool->process({.pid = 1});
        spool->device(0, Device{.name = "fake", .chip = "GH100"});
        spool->kernel(0, Kernel{.name = "k", .symbol = "k"});
    }
    std::optional<std::vector<BufferArgument>> arguments(const LaunchParameters& parameters) {
        const auto layout = parameterLayout(driver, nullptr);
        std::vector<PointerWord> words;
        if (!layout || !addPointerWords(*layout, parameters, words)) return {};
        return bufferArguments(
            words, [this](std::uint64_t address) { return allocationOf(driver, address); }, table,
            *spool);
    }
    /// A launch with one 8-byte parameter per value.
    std::optional<std::vector<BufferArgument>> launch(std::vector<std::uint64_t> values) {
        g_driver.layout.clear();
        std::vector<void*> pointers;
        for (auto& value : values) {
            g_driver.layout.push_back({8 * g_driver.layout.size(), 8});
            pointers.push_back(&value);
        }
        auto list = arguments({.kernelParams = pointers.data()});
        spool->launch(next, LaunchFacts{});
        if (list) spool->arguments(next, *list);
        ++next;
        return list;
    }
    Profile profile() {
        spool->end();
        spool.reset();
        auto read = readSpools(folder.path());
        REQUIRE(read.ok());
        return *read;
    }
};

std::vector<std::uint32_t> numbers(const std::optional<std::vector<BufferArgument>>& list) {
    REQUIRE(list);
    std::vector<std::uint32_t> result;
    for (const auto& argument : *list) result.push_back(argument.buffer);
    return result;
}

using Numbers = std::vector<std::uint32_t>;

bool damaged(const Profile& profile) {
    for (const auto& issue : profile.issues)
        if (issue.code == "spool-damaged") return true;
    return false;
}

}  // namespace

TEST_CASE("pointers among the parameters are found, counts are not asked for") {
    ArgumentGuest guest;
    const auto list = guest.launch({kA, 1 << 26, kB + 256});
    REQUIRE(list);
    REQUIRE(list->size() == 2);
    CHECK((*list)[0] == BufferArgument{.buffer = 0, .parameter = 0});
    CHECK((*list)[1] == BufferArgument{.buffer = 1, .parameter = 2});
    CHECK(g_driver.pointerQueries == 2);
    // A large number that is not an address is looked up once and left out.
    CHECK(numbers(guest.launch({kB + 256, 0x7eeeeeeeeeee, kA})) == Numbers{1, 0});
    CHECK(guest.launch({5, 0})->empty());
}

TEST_CASE("structs are searched as a whole, at 8-byte steps") {
    ArgumentGuest guest;
    struct Operands {
        char* data[3];
        std::int32_t count;
        std::int32_t rest;  // padding that is read with it
    } operands{{reinterpret_cast<char*>(kB), reinterpret_cast<char*>(kA), nullptr}, 7, 0};
    std::int32_t n = 5;
    void* parameters[] = {&n, &operands};
    g_driver.layout = {{0, 4}, {8, sizeof operands}};
    const auto list = guest.arguments({.kernelParams = parameters});
    REQUIRE(list);
    REQUIRE(list->size() == 2);
    CHECK((*list)[0] == BufferArgument{.buffer = 0, .parameter = 1});
    CHECK((*list)[1] == BufferArgument{.buffer = 1, .parameter = 1});
}

TEST_CASE("a packed parameter buffer is read within its size") {
    ArgumentGuest guest;
    g_driver.layout = {{0, 8}, {8, 4}, {16, 8}};
    std::array<std::uint64_t, 3> packed{kA, 3, kB};
    std::size_t bytes = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &bytes, CU_LAUNCH_PARAM_END};
    CHECK(numbers(guest.arguments({.extra = extra})) == Numbers{0, 1});
    bytes = 23;  // cuts the last parameter
    CHECK_FALSE(guest.arguments({.extra = extra}));
    void* empty[] = {CU_LAUNCH_PARAM_END};
    CHECK_FALSE(guest.arguments({.extra = empty}));
    CHECK_FALSE(guest.arguments({}));
}

TEST_CASE("arguments that are not all known are left out") {
    ArgumentGuest guest;
    SECTION("a driver without the queries") {
        guest.driver.cuFuncGetParamInfo = nullptr;
        CHECK_FALSE(guest.launch({kA}));
    }
    SECTION("a driver without the pointer query") {
        guest.driver.cuPointerGetAttributes = nullptr;
        CHECK_FALSE(guest.launch({kA}));
    }
    SECTION("a layout that the driver does not tell") {
        g_driver.layoutResult = CUDA_ERROR_INVALID_CONTEXT;
        CHECK_FALSE(guest.launch({kA}));
    }
    SECTION("a pointer of which the driver tells nothing") {
        g_driver.pointerResult = CUDA_ERROR_INVALID_CONTEXT;
        CHECK_FALSE(guest.launch({kA}));
    }
    SECTION("a parameter that is not there") {
        g_driver.layout = {{0, 8}};
        void* parameters[] = {nullptr};
        CHECK_FALSE(guest.arguments({.kernelParams = parameters}));
    }
    SECTION("more pointers than the limit") {
        CHECK(guest.launch(std::vector<std::uint64_t>(kMostPointers, kA)));
        CHECK_FALSE(guest.launch(std::vector<std::uint64_t>(kMostPointers + 1, kA)));
    }
    SECTION("more words like addresses than are asked for") {
        CHECK_FALSE(guest.launch(std::vector<std::uint64_t>(4 * kMostPointers + 1, kA - 1)));
        CHECK(g_driver.pointerQueries == 0);
    }
    SECTION("more bytes than the limit") {
        std::vector<std::uint64_t> large(kMostParameterBytes / 8 + 1, 0);
        void* parameters[] = {large.data()};
        g_driver.layout = {{0, kMostParameterBytes}};
        CHECK(guest.arguments({.kernelParams = parameters}));
        g_driver.layout = {{0, kMostParameterBytes + 8}};
        CHECK_FALSE(guest.arguments({.kernelParams = parameters}));
        g_driver.layout = {{0, ~std::size_t{0}}, {0, 16}};
        CHECK_FALSE(guest.arguments({.kernelParams = parameters}));
    }
}

TEST_CASE("an endless parameter layout does not hang the program") {
    ArgumentGuest guest;
    guest.driver.cuFuncGetParamInfo = [](CUfunction, std::size_t, std::size_t* offset,
                                         std::size_t* bytes) {
        *offset = *bytes = 0;
        return CUDA_SUCCESS;
    };
    std::vector<std::uint64_t> values(2 * kMostParameterBytes);
    std::vector<void*> parameters(values.size(), values.data());
    CHECK(guest.arguments({.kernelParams = parameters.data()}));
}

TEST_CASE("a buffer is the same as long as its contents can come from kernels only") {
    ArgumentGuest guest;
    CHECK(numbers(guest.launch({kA, kB})) == Numbers{0, 1});
    CHECK(numbers(guest.launch({kB, kA})) == Numbers{1, 0});
    guest.table.written(kA + 100);  // into the first allocation
    CHECK(numbers(guest.launch({kA, kB})) == Numbers{2, 1});
    guest.table.written(kA + 4096);  // just behind it
    guest.table.written(0);
    CHECK(numbers(guest.launch({kA})) == Numbers{2});
    guest.table.writtenAnywhere();
    CHECK(numbers(guest.launch({kA, kB})) == Numbers{3, 4});
    // Freed, and allocated again at the same address.
    g_driver.allocations[1].id = 3;
    CHECK(numbers(guest.launch({kB})) == Numbers{5});
    g_driver.allocations[1].bytes = 2 << 20;
    CHECK(numbers(guest.launch({kB})) == Numbers{6});
}

TEST_CASE("arguments reach the profile; equal lists are stored once, addresses not at all") {
    ArgumentGuest guest;
    for (int i = 0; i < 3; ++i) (void)guest.launch({kA + 1024, 7, kB});
    (void)guest.launch({kB, kA + 1024});
    (void)guest.launch({1});
    g_driver.pointerResult = CUDA_ERROR_INVALID_CONTEXT;
    (void)guest.launch({kA});
    const Profile p = guest.profile();
    CHECK_FALSE(damaged(p));
    REQUIRE(p.launches.size() == 6);
    CHECK(p.argumentLists.size() == 3);
    CHECK(p.launches[0].arguments == 0U);
    CHECK(p.launches[2].arguments == 0U);
    CHECK(p.launches[3].arguments == 1U);
    CHECK(p.argumentLists[p.launches[4].arguments.value()].empty());
    CHECK_FALSE(p.launches[5].arguments);
    REQUIRE(p.buffers.size() == 2);
    CHECK(p.buffers[0] == Buffer{.allocation = 0, .offsetBytes = 1024, .bytes = 3072});
    CHECK(p.buffers[1] == Buffer{.allocation = 1, .offsetBytes = 0, .bytes = 1 << 20});
}

namespace {

/// Launches whose buffers are looked up later.
struct DeferredArgumentGuest : ArgumentGuest {
    ArgumentLog log;

    DeferredArgumentGuest() : log(driver, *spool) {
        driver.cuFuncGetAttribute = [](int* value, CUfunction_attribute, CUfunction) {
            *value = 0;
            return CUDA_SUCCESS;
        };
    }
    void launched(std::vector<std::uint64_t> values) {
        g_driver.layout.clear();
        std::vector<void*> pointers;
        for (auto& value : values) {
            g_driver.layout.push_back({8 * g_driver.layout.size(), 8});
            pointers.push_back(&value);
        }
        spool->launch(next, LaunchFacts{});
        // A different kernel for each number of parameters.
        log.launched(next++, reinterpret_cast<CUfunction>(8 * (values.size() + 1)),
                     {.kernelParams = pointers.data()});
    }
    /// The buffers of each launch.
    std::vector<Numbers> lists() {
        const Profile p = profile();
        CHECK_FALSE(damaged(p));
        std::vector<Numbers> all;
        for (const Launch& l : p.launches) {
            Numbers list;
            if (l.arguments)
                for (const auto& argument : p.argumentLists[*l.arguments])
                    list.push_back(argument.buffer);
            all.push_back(std::move(list));
        }
        return all;
    }
};

}  // namespace

TEST_CASE("what launches were given is asked later, each buffer once while memory stays as it is") {
    DeferredArgumentGuest guest;
    guest.launched({kA, kB, 0x100000001});  // two counts that together look like an address
    guest.launched({kB + 64, kA, 0x100000001});
    guest.log.written(kA);
    guest.launched({kA, kB, 5});
    CHECK(g_driver.pointerQueries == 0);
    CHECK(guest.log.resolve(true));
    CHECK(g_driver.pointerQueries == 3);
    CHECK_FALSE(guest.log.resolve(true));
    guest.launched({kA, kB});
    guest.log.written({});
    guest.launched({kA});
    CHECK(guest.log.resolve(true));
    CHECK(g_driver.pointerQueries == 3);
    guest.launched({kA});
    CHECK(guest.log.resolve(false));
    CHECK(g_driver.pointerQueries == 4);
    CHECK(guest.lists() == std::vector<Numbers>{{0, 1}, {2, 0}, {3, 1}, {3, 1}, {4}, {4}});
}

TEST_CASE("buffers of launches before a free are looked up before it") {
    DeferredArgumentGuest guest;
    guest.launched({kA, kB});
    guest.log.beforeFree(true);
    g_driver.allocations[0].id = 3;  // freed, and allocated again at the same address
    g_driver.allocations.pop_back();
    guest.log.allocationsChanged();
    guest.launched({kA, kB});
    CHECK(guest.log.resolve(true));
    g_driver.allocations.push_back({.start = kB, .bytes = 64, .id = 4});
    guest.log.allocationsChanged();
    guest.launched({kB});
    CHECK(guest.log.resolve(true));
    // During stream capture the driver is not called.
    guest.launched({kA});
    guest.log.beforeFree(false);
    CHECK_FALSE(guest.log.resolve(true));
    CHECK(guest.lists() == std::vector<Numbers>{{0, 1}, {2}, {3}, {}});
}

TEST_CASE("freeing memory does not wait for a driver that does not answer another thread") {
    static std::atomic<bool> asked, answer;
    asked = answer = false;
    DeferredArgumentGuest guest;
    guest.launched({kB});
    CHECK(guest.log.resolve(true));
    guest.driver.cuPointerGetAttributes = [](unsigned count, CUpointer_attribute* which,
                                             void** data, CUdeviceptr pointer) {
        asked = true;
        while (!answer) std::this_thread::yield();
        return pointerAttributes(count, which, data, pointer);
    };
    guest.launched({kA});
    guest.launched({kB});
    std::thread other([&] { guest.log.resolve(true); });
    while (!asked) std::this_thread::yield();
    guest.launched({kB});
    guest.log.beforeFree(true);
    answer = true;
    other.join();
    // If the look-up may have come too late, the buffers are unknown.
    CHECK_FALSE(guest.log.resolve(true));
    CHECK(guest.lists() == std::vector<Numbers>{{0}, {}, {}, {}});
}

TEST_CASE("buffers of several processes do not mix") {
    const std::string spool = R"({"t":"process","pid":7}
{"t":"device","id":0,"name":"GPU"}
{"t":"kernel","id":0,"name":"k","symbol":"k"}
{"t":"buffer","id":0,"allocation":0,"offset":0,"bytes":64}
{"t":"launch","n":0,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[1,1,1]}
{"t":"arguments","n":0,"l":[[0,1]]}
{"t":"end"}
)";
    // The largest id is not a larger one than the others.
    const std::string at = "\"allocation\":", largest = "4294967295";
    std::string other = spool;
    other.replace(other.find(at) + at.size(), 1, largest);
    for (const std::string& first : {spool, other})
        for (const std::string& second : {spool, other}) {
            const Profile p =
                parseSpools(std::array{SpoolText{first, "7.spool"}, SpoolText{second, "8.spool"}});
            REQUIRE(p.launches.size() == 2);
            CHECK(p.argumentLists[p.launches[0].arguments.value()][0].buffer == 0);
            CHECK(p.argumentLists[p.launches[1].arguments.value()][0].buffer == 1);
            CHECK(p.buffers[0].allocation != p.buffers[1].allocation);
        }
}

TEST_CASE("an arguments line that points nowhere is counted as damage") {
    const std::string head = R"({"t":"process","pid":7}
{"t":"device","id":0,"name":"GPU"}
{"t":"kernel","id":0,"name":"k","symbol":"k"}
{"t":"launch","n":0,"k":0,"d":0,"s":0,"g":[1,1,1],"b":[1,1,1]}
)";
    for (const char* line :
         {R"({"t":"arguments","n":0,"l":[[9,0]]})", R"({"t":"arguments","n":0,"l":[5]})",
          R"({"t":"buffer","id":0,"allocation":0,"offset":0,"bytes":0})"}) {
        const Profile p = parseSpool(head + line + "\n{\"t\":\"end\"}\n", "7.spool");
        CHECK_FALSE(p.launches.at(0).arguments);
        CHECK(damaged(p));
    }
}

TEST_CASE("every followed call that writes to GPU memory is known to write") {
    const auto isIn = [](std::span<const CUpti_CallbackId> calls, CUpti_CallbackId id) {
        return std::ranges::find(calls, id) != calls.end();
    };
    std::size_t writes = 0;
    for (const FollowedCall& call : followedCalls()) {
        const std::string name = call.name;
        const bool elsewhere =
            std::ranges::any_of(std::array{"toH", "toA", "Prefetch"},
                                [&](const char* part) { return name.find(part) != name.npos; });
        if (call.kind != CallKind::Transfer || elsewhere) continue;
        INFO(name << ", " << call.id);
        CHECK((isIn(writesToFirstArgument(), call.id) || isIn(writesElsewhere(), call.id)));
        ++writes;
    }
    CHECK(writes > 60);
}
