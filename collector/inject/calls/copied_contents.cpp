// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/copied_contents.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <thread>

#include "collector/inject/calls/content_hash.h"

namespace roofscope::inject {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// How much is read at a time; it fits into the cache of the core.
constexpr std::size_t kPiece = 256 * 1024;
static_assert(kPiece % ContentHash::kStripe == 0);

/// Reads all of `bytes` or nothing.
bool readMemory(std::uint64_t address, void* into, std::size_t bytes) {
    auto* at = static_cast<char*>(into);
    while (bytes > 0) {
        const iovec local{.iov_base = at, .iov_len = bytes};
        const iovec remote{.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes};
        const ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        address += static_cast<std::uint64_t>(got);
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace

std::optional<std::uint64_t> hashOfMemory(std::uint64_t address, std::uint64_t bytes) {
    const int before = errno;  // the program must not see our value
    const std::unique_ptr<char[]> piece(new char[kPiece]);
    ContentHash hash;
    bool whole = true;
    while (whole && bytes > 0) {
        const std::size_t now = std::min<std::uint64_t>(bytes, kPiece);
        whole = readMemory(address, piece.get(), now);
        if (whole) hash.add(piece.get(), now);
        address += now;
        bytes -= now;
    }
    errno = before;
    return whole ? std::optional(hash.value()) : std::nullopt;
}

struct CopiedContents::Request {
    std::uint64_t source = 0, target = 0, bytes = 0;
    /// Known from the function's name; otherwise the driver is asked where `source` is.
    bool fromHost = false;
    std::optional<CUstream> stream = {};  ///< set if the call may return before it has copied
};

std::optional<CopiedContents::Request> CopiedContents::requestOf(CUpti_CallbackId id,
                                                                 const void* parameters) {
    const auto fromHost = [&](auto* p, std::optional<CUstream> stream) {
        return Request{.source = reinterpret_cast<std::uint64_t>(p->srcHost),
                       .target = p->dstDevice,
                       .bytes = p->ByteCount,
                       .fromHost = true,
                       .stream = stream};
    };
    const auto any = [&](auto* p, std::optional<CUstream> stream) {
        return Request{.source = p->src, .target = p->dst, .bytes = p->ByteCount, .stream = stream};
    };
    // In these variants, stream 0 is the per-thread stream.
    const auto perThread = [](CUstream stream) { return stream ? stream : CU_STREAM_PER_THREAD; };
    switch (id) {
        case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2:
        case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds:
            return fromHost(static_cast<const cuMemcpyHtoD_v2_params*>(parameters), std::nullopt);
        case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2: {
            const auto* p = static_cast<const cuMemcpyHtoDAsync_v2_params*>(parameters);
            return fromHost(p, p->hStream);
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz: {
            const auto* p = static_cast<const cuMemcpyHtoDAsync_v2_ptsz_params*>(parameters);
            return fromHost(p, perThread(p->hStream));
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemcpy:
        case CUPTI_DRIVER_TRACE_CBID_cuMemcpy_ptds:
            return any(static_cast<const cuMemcpy_params*>(parameters), std::nullopt);
        case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync: {
            const auto* p = static_cast<const cuMemcpyAsync_params*>(parameters);
            return any(p, p->hStream);
        }
        case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz: {
            const auto* p = static_cast<const cuMemcpyAsync_ptsz_params*>(parameters);
            return any(p, perThread(p->hStream));
        }
        default:
            return std::nullopt;
    }
}

CopiedContents::Memory CopiedContents::memoryAt(std::uint64_t address, std::uint64_t bytes) const {
    if (!m_driver.cuPointerGetAttributes) return Memory::Other;
    // This query succeeds for any address and returns zeros for memory that the driver does not
    // know.
    unsigned int type = 0, managed = 0;
    CUdeviceptr start = 0;
    std::size_t size = 0;
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void* values[] = {&type, &managed, &start, &size};
    if (m_driver.cuPointerGetAttributes(static_cast<unsigned>(std::size(attributes)), attributes,
                                        values, static_cast<CUdeviceptr>(address)) != CUDA_SUCCESS)
        return Memory::Other;
    if (managed) return Memory::Other;
    if (type == 0) return Memory::Pageable;
    // The kind of memory beyond the end of a page-locked block is unknown.
    const bool whole =
        start <= address && address - start <= size && bytes <= size - (address - start);
    return type == CU_MEMORYTYPE_HOST && whole ? Memory::Pinned : Memory::Other;
}

bool CopiedContents::mayRead(std::uint64_t bytes) {
    const std::lock_guard lock(m_mutex);
    if (bytes > m_limits.mostRead - m_read || m_known.size() >= m_limits.mostKnown) return false;
    m_read += bytes;
    return true;
}

bool CopiedContents::finished(CUstream stream) {
    if (!m_driver.cuStreamQuery) return false;
    const auto begin = SteadyClock::now();
    std::chrono::nanoseconds patience = m_limits.mostWaitOfOne;
    {
        const std::lock_guard lock(m_mutex);
        patience = std::min(patience, m_limits.mostWait - m_waited);
    }
    CUresult state = CUDA_ERROR_NOT_READY;
    // Do not block here: a kernel before the copy may wait for what the program does after this
    // call.
    while ((state = m_driver.cuStreamQuery(stream)) == CUDA_ERROR_NOT_READY &&
           SteadyClock::now() - begin < patience)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    const std::lock_guard lock(m_mutex);
    m_waited += SteadyClock::now() - begin;
    return state == CUDA_SUCCESS;
}

std::optional<CopiedContents::Copy> CopiedContents::copied(CUpti_CallbackId id,
                                                           const void* parameters,
                                                           CUcontext context) {
    const auto request = parameters ? requestOf(id, parameters) : std::nullopt;
    if (!request || request->bytes < m_limits.leastBytes) return std::nullopt;
    const Memory source = memoryAt(request->source, request->bytes);
    if (!request->fromHost) {
        // The function's name does not tell the kind of source and target.
        if (source == Memory::Other || memoryAt(request->target, request->bytes) != Memory::Other)
            return std::nullopt;
    }
    Copy copy{.bytes = request->bytes};
    if (source == Memory::Other || !mayRead(request->bytes)) return copy;
    if (request->stream && !finished(*request->stream)) return copy;
    const auto hash = hashOfMemory(request->source, request->bytes);
    if (!hash) return copy;
    copy.read = true;
    copy.hash = *hash;
    const std::lock_guard lock(m_mutex);
    copy.known = !m_known.emplace(context, request->bytes, *hash).second;
    return copy;
}

}  // namespace roofscope::inject
