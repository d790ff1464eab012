// SPDX-License-Identifier: Apache-2.0
#include "collector/run/tools/native_lines.h"

#include <dlfcn.h>

#include <cstdint>

#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("what addr2line prints is read frame by frame", "[call-sites]") {
    const auto found = parseAddr2line(
        "0x0000000000001234\n"
        "void thrust::sort<int>(int*)\n"
        "/usr/local/cuda/include/thrust/sort.h:42\n"
        "main\n"
        "/home/a/b c:d/app.cu:7 (discriminator 3)\n"
        "0x0000000000000001\n"
        "??\n"
        "??:0\n");
    REQUIRE(found.size() == 2);
    REQUIRE(found[0].size() == 2);
    CHECK(found[0][0] == NativeFrame{.function = "void thrust::sort<int>(int*)",
                                     .file = "/usr/local/cuda/include/thrust/sort.h",
                                     .line = 42});
    CHECK(found[0][1] ==
          NativeFrame{.function = "main", .file = "/home/a/b c:d/app.cu", .line = 7});
    CHECK(found[1] == std::vector<NativeFrame>{NativeFrame{}});
    CHECK(parseAddr2line("addr2line: no such file\n").empty());
}

TEST_CASE("a module that is no file costs nothing and stays as it is", "[call-sites]") {
    std::vector<CallSite> sites{
        {.kernel = 0U, .module = "/dev/zero", .offset = 1, .count = 1},
        {.kernel = 0U, .module = "/no/such/file", .offset = 1, .count = 1},
        {.kernel = 0U, .file = "train.py", .line = 3, .function = "step", .count = 1}};
    const auto before = sites;
    addNativeLines(sites, {Kernel{.name = "k"}});
    CHECK(sites == before);
}

TEST_CASE("a launch is the program's, not that of the runtime that nvcc links into it",
          "[call-sites]") {
    const NativeFrame runtime{.function = "libcudart_static_4d8b33", .file = "cudart_global.cpp"};
    const NativeFrame launch{.function = "cudaLaunchKernel"};
    const NativeFrame stub{.function = "__device_stub__Z4workPf(float*)",
                           .file = "/tmp/app.cudafe1.stub.c",
                           .line = 9};
    // The kernel's host stub has the line of the kernel's definition.
    const NativeFrame namesake{.function = "work(float*)", .file = "/home/a/app.cu", .line = 3};
    const NativeFrame thrust{
        .function = "thrust::for_each", .file = "/usr/local/cuda/include/thrust/a.h", .line = 7};
    const NativeFrame step{.function = "step(int)", .file = "/home/a/app.cu", .line = 42};
    const NativeFrame main{.function = "main", .file = "/home/a/app.cu", .line = 77};
    const NativeFrame bare{.function = "step(int)"};

    CHECK(ownFrame({runtime, launch, stub, namesake, thrust, step, main}, {"work(float*)"}) == 5);
    // Without debug information only the function's name is known.
    CHECK(ownFrame({runtime, runtime, launch, bare}, {"work(float*)"}) == 3);
    // A line further out says more than a name: here a library without debug information calls the
    // runtime.
    CHECK(ownFrame({runtime, NativeFrame{.function = "helper"}, main}, {}) == 2);
    CHECK(ownFrame({thrust}, {}) == 0);
    CHECK(ownFrame({runtime, launch, stub, namesake, NativeFrame{}}, {"work(float*)"}) == 5);
    CHECK(ownFrame({}, {}) == 0);
}

TEST_CASE("a name is that of a function only if the function reaches so far") {
    const auto spans = parseSymbolSizes(
        "0000000000000000 A GLIBC_2.10\n"
        "0000000000000200 0000000000000010 T last\n"
        "0000000000000100 0000000000000080 T first@@GLIBC_2.2.5\n"
        "0000000000000110 0000000000000008 W alias\n"
        "0000000000000300 T no_size\n"
        "ffffffffffffffff ffffffffffffffff T liar\n"
        "nonsense\n");
    REQUIRE(spans.size() == 3);
    for (const std::uint64_t address : {0x100, 0x117, 0x130, 0x17f, 0x200, 0x20f}) {
        CAPTURE(address);
        CHECK(covers(spans, address));
    }
    for (const std::uint64_t address : {0x0, 0xff, 0x180, 0x1ff, 0x210, 0x300}) {
        CAPTURE(address);
        CHECK_FALSE(covers(spans, address));
    }
    CHECK(parseSymbolSizes("").empty());
    CHECK_FALSE(covers({}, 0));
}

TEST_CASE("in a stripped module, a function without a symbol gets no other's name",
          "[call-sites]") {
    void* const library = dlopen(ROOFSCOPE_STRIPPED_LIBRARY, RTLD_NOW);
    REQUIRE(library);
    void* const shown = dlsym(library, "shown");
    const void* const hidden = *static_cast<void* const*>(dlsym(library, "hiddenFunction"));
    Dl_info info{};
    REQUIRE(dladdr(shown, &info) != 0);
    const auto offsetOf = [&](const void* address) {
        return reinterpret_cast<std::uint64_t>(address) -
               reinterpret_cast<std::uint64_t>(info.dli_fbase);
    };
    std::vector<CallSite> sites;
    for (const void* address : {static_cast<const void*>(shown), hidden})
        sites.push_back({.kernel = 0U,
                         .module = ROOFSCOPE_STRIPPED_LIBRARY,
                         .offset = offsetOf(address) + 1,
                         .count = 1});
    addNativeLines(sites, {Kernel{.name = "k"}});
    REQUIRE(sites.size() == 2);
    CHECK(sites[0].function == "shown");
    CHECK(sites[1].function.empty());
    CHECK(sites[1].offset == offsetOf(hidden) + 1);
    dlclose(library);
}
