// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/pinned_memory.h"

#include <algorithm>
#include <ranges>

#include "tests/support/catch.h"

using namespace roofscope::inject;

namespace {

constexpr auto kAlloc = CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc;
constexpr auto kRegister = CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2;
constexpr auto kFree = CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost;
constexpr auto kUnregister = CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister;

void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

void allocate(PinnedMemory& memory, std::uintptr_t address, std::size_t bytes,
              CUpti_CallbackId id = kAlloc) {
    void* begin = at(address);
    const cuMemHostAlloc_params parameters{.pp = &begin, .bytesize = bytes, .Flags = 0};
    memory.succeeded(id, &parameters);
}
void registerAt(PinnedMemory& memory, std::uintptr_t address, std::size_t bytes) {
    const cuMemHostRegister_v2_params parameters{.p = at(address), .bytesize = bytes, .Flags = 0};
    memory.succeeded(kRegister, &parameters);
}
void release(PinnedMemory& memory, std::uintptr_t address, CUpti_CallbackId id = kFree) {
    const cuMemFreeHost_params parameters{.p = at(address)};
    memory.succeeded(id, &parameters);
}

}  // namespace

TEST_CASE("pinned memory counts by the most that is held at one time") {
    PinnedMemory memory;
    CHECK(memory.most() == 0);
    allocate(memory, 0x1000, 100);
    allocate(memory, 0x2000, 50, CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2);
    CHECK(memory.most() == 150);
    release(memory, 0x1000);
    registerAt(memory, 0x3000, 70);
    CHECK(memory.most() == 150);
    registerAt(memory, 0x1000, 200);  // an address that was freed
    CHECK(memory.most() == 320);
    release(memory, 0x1000, kUnregister);
    release(memory, 0x1000, kUnregister);  // no longer known
    release(memory, 0x9000);               // never was known
    allocate(memory, 0x4000, 100);
    CHECK(memory.most() == 320);
}

TEST_CASE("every call that allocates or frees pinned memory is followed") {
    for (const CUpti_CallbackId id : {CUpti_CallbackId{kAlloc}, CUpti_CallbackId{kRegister},
                                      CUpti_CallbackId{kFree}, CUpti_CallbackId{kUnregister}})
        CHECK(std::ranges::count(PinnedMemory::calls(), id) == 1);
}
