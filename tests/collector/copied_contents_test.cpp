// SPDX-License-Identifier: Apache-2.0
// Which copies to a GPU repeat earlier contents; and that no pointer of the program can cause a
// crash.
#include "collector/inject/calls/copied_contents.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "collector/inject/calls/content_hash.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::inject;

namespace {

constexpr std::uint64_t kBytes = 96 * 1024 + 5;
const auto kGpu = reinterpret_cast<CUcontext>(1);
const auto kOtherGpu = reinterpret_cast<CUcontext>(2);
const auto kStream = reinterpret_cast<CUstream>(7);

/// What the fake driver knows about an address.
struct Known {
    CUmemorytype type = CU_MEMORYTYPE_HOST;
    bool managed = false;
    std::uint64_t bytes = 0;
};
std::map<std::uint64_t, Known> g_known;
int g_busyQueries = 0;  ///< stream queries before its copy is done; -1: never done
int g_queries = 0;

CUresult CUDAAPI attributesOfCopied(unsigned int count, CUpointer_attribute* attributes,
                                    void** values, CUdeviceptr pointer) {
    const auto at = g_known.find(pointer);
    for (unsigned int i = 0; i < count; ++i) switch (attributes[i]) {
            case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
                *static_cast<unsigned int*>(values[i]) =
                    at == g_known.end() ? 0 : static_cast<unsigned int>(at->second.type);
                break;
            case CU_POINTER_ATTRIBUTE_IS_MANAGED:
                *static_cast<unsigned int*>(values[i]) = at != g_known.end() && at->second.managed;
                break;
            case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
                *static_cast<CUdeviceptr*>(values[i]) = at == g_known.end() ? 0 : pointer;
                break;
            case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
                *static_cast<std::size_t*>(values[i]) = at == g_known.end() ? 0 : at->second.bytes;
                break;
            default:
                return CUDA_ERROR_INVALID_VALUE;
        }
    return CUDA_SUCCESS;
}
CUresult CUDAAPI streamQuery(CUstream) {
    ++g_queries;
    if (g_busyQueries == 0) return CUDA_SUCCESS;
    if (g_busyQueries > 0) --g_busyQueries;
    return CUDA_ERROR_NOT_READY;
}

DriverApi driver() {
    g_known.clear();
    g_busyQueries = g_queries = 0;
    DriverApi api;
    api.cuPointerGetAttributes = attributesOfCopied;
    api.cuStreamQuery = streamQuery;
    return api;
}

std::vector<char> contents(char first, std::uint64_t bytes = kBytes) {
    std::vector<char> data(bytes, 'x');
    data[0] = first;
    return data;
}

std::optional<CopiedContents::Copy> htod(CopiedContents& copies, const void* source,
                                         std::uint64_t bytes, CUcontext context = kGpu) {
    const cuMemcpyHtoD_v2_params parameters{
        .dstDevice = 0x1000, .srcHost = source, .ByteCount = bytes};
    return copies.copied(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, &parameters, context);
}
std::optional<CopiedContents::Copy> async(CopiedContents& copies, const void* source,
                                          std::uint64_t bytes) {
    const cuMemcpyHtoDAsync_v2_params parameters{
        .dstDevice = 0x1000, .srcHost = source, .ByteCount = bytes, .hStream = kStream};
    return copies.copied(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, &parameters, kGpu);
}

/// Two pages, the last of which cannot be read.
class HalfReadable {
public:
    HalfReadable() {
        m_start =
            mmap(nullptr, 3 * kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(m_start != MAP_FAILED);
        REQUIRE(mprotect(static_cast<char*>(m_start) + 2 * kPiece, kPiece, PROT_NONE) == 0);
    }
    ~HalfReadable() { munmap(m_start, 3 * kPiece); }
    static constexpr std::size_t kPiece = 64 * 1024;
    [[nodiscard]] const void* start() const { return m_start; }

private:
    void* m_start = nullptr;
};

}  // namespace

TEST_CASE("contents are hashed as XXH64 does") {
    const auto hash = [](const std::string& text) {
        ContentHash h;
        h.add(text.data(), text.size());
        return h.value();
    };
    CHECK(hash("") == 0xEF46DB3751D8E999);
    CHECK(hash("a") == 0xD24EC4F1A98C6E5B);
    CHECK(hash("abc") == 0x44BC2CF5AD770999);
    CHECK(hash("Nobody inspects the spammish repetition") == 0xFBCEA83C8A378BF1);
    // In pieces the hash is the same.
    const std::string text(1000, 'q');
    ContentHash pieces;
    pieces.add(text.data(), 320);
    pieces.add(text.data() + 320, 640);
    pieces.add(text.data() + 960, 40);
    CHECK(pieces.value() == hash(text));
    CHECK(hashOfMemory(reinterpret_cast<std::uint64_t>(text.data()), text.size()) == hash(text));
}

TEST_CASE("a copy repeats earlier contents only on the same GPU") {
    const DriverApi api = driver();
    CopiedContents copies(api);
    const auto a = contents('a'), again = contents('a'), b = contents('b');
    const auto first = htod(copies, a.data(), a.size());
    REQUIRE(first);
    CHECK(first->bytes == kBytes);
    CHECK(first->read);
    CHECK_FALSE(first->known);
    CHECK(htod(copies, a.data(), a.size())->known);
    // Known from other memory too, but not in part, and not on another GPU.
    CHECK(htod(copies, again.data(), again.size())->known);
    CHECK_FALSE(htod(copies, a.data(), a.size() - 1)->known);
    CHECK_FALSE(htod(copies, b.data(), b.size())->known);
    CHECK_FALSE(htod(copies, a.data(), a.size(), kOtherGpu)->known);
    // Small copies are not examined.
    CHECK_FALSE(htod(copies, a.data(), 64 * 1024 - 1));
    CHECK(htod(copies, a.data(), 64 * 1024));
}

TEST_CASE("only copies from host memory to a GPU count") {
    const DriverApi api = driver();
    CopiedContents copies(api);
    const auto a = contents('a');
    const auto host = reinterpret_cast<CUdeviceptr>(a.data());
    constexpr CUdeviceptr kOnGpu = 0x7f0000000000;
    g_known[kOnGpu] = {.type = CU_MEMORYTYPE_DEVICE, .bytes = 1 << 20};
    const auto copied = [&](CUdeviceptr target, CUdeviceptr source) {
        const cuMemcpyAsync_params parameters{
            .dst = target, .src = source, .ByteCount = kBytes, .hStream = kStream};
        return copies.copied(CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync, &parameters, kGpu);
    };
    REQUIRE(copied(kOnGpu, host));
    CHECK(copied(kOnGpu, host)->known);
    CHECK_FALSE(copied(host, kOnGpu));
    CHECK_FALSE(copied(kOnGpu, kOnGpu));
    CHECK_FALSE(copied(host, host));
    // Other driver functions.
    const std::uint64_t numbers[16] = {};
    CHECK_FALSE(copies.copied(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, numbers, kGpu));
    CHECK_FALSE(copies.copied(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, nullptr, kGpu));
}

TEST_CASE("a copy that may not be done yet is waited for, but not for long") {
    const DriverApi api = driver();
    CopiedContents copies(api, {.mostWaitOfOne = std::chrono::milliseconds(20)});
    const auto a = contents('a');
    g_busyQueries = 3;
    CHECK(async(copies, a.data(), a.size())->read);
    CHECK(g_queries == 4);
    g_busyQueries = -1;
    const auto unfinished = async(copies, a.data(), a.size());
    REQUIRE(unfinished);
    CHECK_FALSE(unfinished->read);
    CHECK_FALSE(unfinished->known);
    // A call that returns after the copy needs no stream.
    CHECK(htod(copies, a.data(), a.size())->known);
    // The limit of waiting is for all copies together.
    CopiedContents hasty(api, {.mostWait = std::chrono::milliseconds(0)});
    g_queries = 0;
    CHECK_FALSE(async(hasty, a.data(), a.size())->read);
    CHECK(g_queries == 1);
}

TEST_CASE("memory that cannot be read or would have to move is left alone") {
    const DriverApi api = driver();
    CopiedContents copies(api);
    errno = 1234;
    const HalfReadable memory;
    for (const void* source :
         {memory.start(), static_cast<const void*>(nullptr), reinterpret_cast<const void*>(0x10),
          reinterpret_cast<const void*>(~std::uint64_t{0xfff})}) {
        const auto copy = htod(copies, source, 3 * HalfReadable::kPiece);
        REQUIRE(copy);
        CHECK_FALSE(copy->read);
        CHECK_FALSE(copy->known);
    }
    CHECK(errno == 1234);
    CHECK(htod(copies, memory.start(), 2 * HalfReadable::kPiece)->read);

    const auto a = contents('a');
    const auto address = reinterpret_cast<std::uint64_t>(a.data());
    g_known[address] = {.type = CU_MEMORYTYPE_HOST, .managed = true, .bytes = kBytes};
    CHECK_FALSE(htod(copies, a.data(), kBytes)->read);
    g_known[address] = {.type = CU_MEMORYTYPE_DEVICE, .bytes = kBytes};
    CHECK_FALSE(htod(copies, a.data(), kBytes)->read);
    // Page-locked, but shorter than the copy.
    g_known[address] = {.type = CU_MEMORYTYPE_HOST, .bytes = kBytes - 1};
    CHECK_FALSE(htod(copies, a.data(), kBytes)->read);
    g_known[address].bytes = kBytes;
    CHECK(htod(copies, a.data(), kBytes)->read);
    // A size that exceeds all memory.
    CHECK_FALSE(htod(copies, a.data(), ~std::uint64_t{0})->read);
}

TEST_CASE("contents are read up to a limit, and not without the driver's answer") {
    DriverApi api = driver();
    const auto a = contents('a');
    CopiedContents copies(api, {.mostRead = 2 * kBytes});
    CHECK(htod(copies, a.data(), kBytes)->read);
    CHECK(htod(copies, a.data(), kBytes)->known);
    CHECK_FALSE(htod(copies, a.data(), kBytes)->read);
    CopiedContents few(api, {.mostKnown = 1});
    CHECK(htod(few, a.data(), kBytes)->read);
    CHECK_FALSE(htod(few, a.data(), kBytes)->read);
    api.cuStreamQuery = nullptr;
    CopiedContents blind(api);
    CHECK_FALSE(async(blind, a.data(), kBytes)->read);
    api.cuPointerGetAttributes = nullptr;
    CHECK_FALSE(htod(blind, a.data(), kBytes)->read);
}
