// SPDX-License-Identifier: Apache-2.0
// Flushing the cache with a driver that only records its calls.
#include "collector/inject/sessions/cache_flush.h"

#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::inject;

namespace {

struct Notes {
    int allocations = 0, writes = 0;
    std::size_t bytes = 0, words = 0;
    CUdeviceptr target = 0;
    CUstream stream = nullptr;
    CUresult allocation = CUDA_SUCCESS, write = CUDA_SUCCESS;
};
Notes g_notes;

DriverApi flushDriver() {
    g_notes = {};
    DriverApi driver;
    driver.cuGetErrorString = [](CUresult, const char** text) {
        *text = "broken";
        return CUDA_SUCCESS;
    };
    driver.cuMemAlloc = [](CUdeviceptr* pointer, std::size_t bytes) {
        ++g_notes.allocations;
        g_notes.bytes = bytes;
        *pointer = 4096;
        return g_notes.allocation;
    };
    driver.cuMemsetD32Async = [](CUdeviceptr target, unsigned, std::size_t words, CUstream stream) {
        ++g_notes.writes;
        g_notes.target = target;
        g_notes.words = words;
        g_notes.stream = stream;
        return g_notes.write;
    };
    return driver;
}

constexpr std::uint64_t kL2 = 50 << 20;

}  // namespace

TEST_CASE("a flush writes twice the L2 on the stream of the launch, into one buffer") {
    const DriverApi driver = flushDriver();
    CacheFlush flush(driver, kL2);
    CHECK(g_notes.allocations == 0);  // a context without counted launches costs nothing
    const auto stream = reinterpret_cast<CUstream>(0x10);
    REQUIRE(flush.before(stream).ok());
    REQUIRE(flush.before(stream).ok());
    CHECK(g_notes.allocations == 1);
    CHECK(g_notes.bytes == 2 * kL2);
    CHECK(g_notes.writes == 2);
    CHECK(g_notes.target == 4096);
    CHECK(g_notes.words * 4 == 2 * kL2);
    CHECK(g_notes.stream == stream);
}

TEST_CASE("without memory for it nothing is written, and it is not tried again") {
    const DriverApi driver = flushDriver();
    g_notes.allocation = CUDA_ERROR_OUT_OF_MEMORY;
    CacheFlush flush(driver, kL2);
    for (int i = 0; i < 2; ++i) {
        const auto flushed = flush.before(nullptr);
        REQUIRE_FALSE(flushed.ok());
        CHECK(flushed.error().what.find("104 MB of device memory") == 0);
        CHECK_FALSE(flushed.error().advice.empty());
    }
    CHECK(g_notes.allocations == 1);
    CHECK(g_notes.writes == 0);
}

TEST_CASE("a write that fails, a size that is unknown and an old driver are errors") {
    DriverApi driver = flushDriver();
    g_notes.write = CUDA_ERROR_ILLEGAL_ADDRESS;
    CacheFlush failing(driver, kL2);
    CHECK_FALSE(failing.before(nullptr).ok());
    CHECK_FALSE(failing.before(nullptr).ok());
    CHECK(g_notes.writes == 1);
    CHECK_FALSE(CacheFlush(driver, std::nullopt).before(nullptr).ok());
    CHECK_FALSE(CacheFlush(driver, 0).before(nullptr).ok());
    driver.cuMemsetD32Async = nullptr;
    CHECK_FALSE(CacheFlush(driver, kL2).before(nullptr).ok());
}
