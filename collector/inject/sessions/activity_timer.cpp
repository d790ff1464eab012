// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/activity_timer.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "collector/inject/threads/no_cancellation.h"

namespace roofscope::inject::activity_timer {
namespace {

/// Room for about 5000 kernels. CUPTI keeps few buffers at a time.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
/// A program that ends by _exit or a signal loses at most this much.
constexpr std::uint32_t kFlushPeriodMs = 100;

const CuptiApi* g_cupti = nullptr;
std::mutex g_spoolMutex;  ///< guards the next two
SpoolWriter* g_spool = nullptr;
Written g_written;                        ///< since start()
std::vector<CUpti_ActivityKind> g_kinds;  ///< kinds of records that are enabled
std::atomic<std::size_t> g_dropped{0};

/// Buffers that CUPTI has filled before, zeroed again for reuse. CUPTI asks for buffers in the
/// threads that launch, where fresh memory would cause a page fault for every twenty kernels.
std::mutex g_spareMutex;  ///< held only briefly
std::vector<std::uint8_t*> g_spare;
constexpr std::size_t kMostSpare = 8;

std::uint8_t* spareBuffer() {
    {
        const std::lock_guard lock(g_spareMutex);
        if (!g_spare.empty()) {
            std::uint8_t* const buffer = g_spare.back();
            g_spare.pop_back();
            return buffer;
        }
    }
    // malloc aligns to 16 bytes; CUPTI needs 8. Without memory, CUPTI drops records and reports it.
    return static_cast<std::uint8_t*>(std::calloc(kBufferBytes, 1));
}

void giveBack(std::uint8_t* buffer, std::size_t size) {
    // Other buffers may belong to a profiler that the program itself uses.
    if (buffer && size == kBufferBytes) {
        std::memset(buffer, 0, size);
        const std::lock_guard lock(g_spareMutex);
        if (g_spare.size() < kMostSpare && g_spare.capacity() >= kMostSpare)
            return g_spare.push_back(buffer);
    }
    std::free(buffer);
}

void CUPTIAPI bufferRequested(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords) {
    const NoCancellation uncancelled;
    *buffer = spareBuffer();
    *size = *buffer ? kBufferBytes : 0;
    *maxRecords = 0;
}

MemoryKind memoryKind(std::uint8_t kind) {
    switch (kind) {
        case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
            return MemoryKind::Pageable;
        case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
            return MemoryKind::Pinned;
        case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
        case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
        case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
            return MemoryKind::Device;
        case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
        case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
            return MemoryKind::Managed;
        default:
            return MemoryKind::Unknown;
    }
}

TransferKind transferKind(std::uint8_t kind) {
    switch (kind) {
        case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
        case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
            return TransferKind::HostToDevice;
        case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
        case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
            return TransferKind::DeviceToHost;
        case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
        case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
        case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
        case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
            return TransferKind::OnDevice;
        case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
            return TransferKind::HostToHost;
        case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
            return TransferKind::BetweenDevices;
        default:
            return TransferKind::Other;
    }
}

/// What all records of copies and memsets have. Later versions of a record only add fields at the
/// end.
template <class Record>
TransferTime transferOf(const Record& r) {
    return {.device = r.deviceId,
            .context = r.contextId,
            .stream = r.streamId,
            .bytes = r.bytes,
            .startNs = r.start,
            .endNs = r.end,
            .correlation = r.correlationId,
            .fromGraph = r.graphNodeId != 0};
}

template <class Record>
TransferTime copyOf(const Record& r) {
    TransferTime copy = transferOf(r);
    copy.kind = transferKind(r.copyKind);
    copy.source = memoryKind(r.srcKind);
    copy.target = memoryKind(r.dstKind);
    return copy;
}

Dim3 extentsOf(std::int32_t x, std::int32_t y, std::int32_t z) {
    return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
            static_cast<std::uint32_t>(z)};
}

/// What one buffer of records holds.
struct Records {
    std::vector<KernelTime> kernels;
    std::vector<TransferTime> transfers;

    void add(const CUpti_Activity* record);
};

void Records::add(const CUpti_Activity* record) {
    switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_KERNEL:
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
            const auto& k = *reinterpret_cast<const CUpti_ActivityKernel10*>(record);
            kernels.push_back({.correlation = k.correlationId,
                               .startNs = k.start,
                               .endNs = k.end,
                               .context = k.contextId,
                               .stream = k.streamId,
                               .node = k.graphNodeId,
                               .symbol = k.graphNodeId != 0 && k.name ? k.name : "",
                               .grid = extentsOf(k.gridX, k.gridY, k.gridZ)});
            if (k.graphNodeId != 0 && g_keepsNodeShapes) {
                KernelTime& node = kernels.back();
                node.block = extentsOf(k.blockX, k.blockY, k.blockZ);
                node.registers = k.registersPerThread;
                node.staticShared = static_cast<std::uint32_t>(k.staticSharedMemory);
                node.dynamicShared = static_cast<std::uint32_t>(k.dynamicSharedMemory);
            }
            // 0: CUPTI could not time the kernel.
            if (k.start == 0 || k.end < k.start) kernels.pop_back();
            break;
        }
        case CUPTI_ACTIVITY_KIND_MEMCPY:
            transfers.push_back(copyOf(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(record)));
            break;
        case CUPTI_ACTIVITY_KIND_MEMCPY2: {
            const auto& c = *reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record);
            TransferTime copy = copyOf(c);
            copy.kind = TransferKind::BetweenDevices;
            copy.peer = c.srcDeviceId == c.deviceId ? c.dstDeviceId : c.srcDeviceId;
            transfers.push_back(copy);
            break;
        }
        case CUPTI_ACTIVITY_KIND_MEMSET: {
            const auto& m = *reinterpret_cast<const CUpti_ActivityMemset4*>(record);
            TransferTime memset = transferOf(m);
            memset.kind = TransferKind::Memset;
            memset.target = memoryKind(static_cast<std::uint8_t>(m.memoryKind));
            transfers.push_back(memset);
            break;
        }
        default:
            break;
    }
    if (!transfers.empty())
        if (const TransferTime& last = transfers.back();
            last.startNs == 0 || last.endNs < last.startNs)
            transfers.pop_back();
}

void CUPTIAPI bufferCompleted(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t size, std::size_t validBytes) {
    const NoCancellation uncancelled;
    try {
        Records records;
        CUpti_Activity* record = nullptr;
        while (validBytes > 0 &&
               g_cupti->ActivityGetNextRecord(buffer, validBytes, &record) == CUPTI_SUCCESS)
            records.add(record);
        std::chrono::nanoseconds time{};
        for (const KernelTime& kernel : records.kernels)
            time += std::chrono::nanoseconds(kernel.endNs - kernel.startNs);
        {
            const std::lock_guard lock(g_spoolMutex);
            if (g_spool && !records.kernels.empty()) g_spool->times(records.kernels);
            g_written.time += time;
            g_written.kernels += records.kernels.size();
            if (g_spool && !records.transfers.empty()) g_spool->transfers(records.transfers);
        }
        std::size_t lost = 0;
        if (g_cupti->ActivityGetNumDroppedRecords(context, stream, &lost) == CUPTI_SUCCESS)
            g_dropped += lost;
    } catch (...) {
        // Out of memory: these kernels get no duration.
    }
    giveBack(buffer, size);
}

}  // namespace

Result<void> start(const CuptiApi& cupti, SpoolWriter& spool, const What& what) {
    g_cupti = &cupti;
    g_dropped = 0;
    {
        const std::lock_guard lock(g_spoolMutex);
        g_spool = &spool;
        g_written = {};
    }
    const auto refused = [&](CUptiResult result, const char* call) {
        return Error{.code = ErrorCode::Unavailable,
                     .what = std::string(call) + " failed: " + cupti.describe(result),
                     .advice = cuptiAdvice(result)};
    };
    {
        const std::lock_guard lock(g_spareMutex);
        g_spare.reserve(kMostSpare);
    }
    // Tells CUPTI that buffers are zeroed, so that it does not clear them in the threads
    // that launch. If it refuses, it clears them. (Letting the GPU write times to
    // page-locked memory would save CUPTI a copy, but makes each kernel 0.12 µs longer: 4.12
    // instead of 4.01 µs on an H100.)
    std::uint8_t yes = 1;
    std::size_t bytes = sizeof yes;
    cupti.ActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &yes);
    if (const auto r = cupti.ActivityRegisterCallbacks(bufferRequested, bufferCompleted);
        r != CUPTI_SUCCESS)
        return refused(r, "cuptiActivityRegisterCallbacks");
    std::vector<CUpti_ActivityKind> kinds{what.serial ? CUPTI_ACTIVITY_KIND_KERNEL
                                                      : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
    if (what.transfers)
        kinds.insert(kinds.end(), {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                   CUPTI_ACTIVITY_KIND_MEMSET});
    for (const auto kind : kinds) {
        if (const auto r = cupti.ActivityEnable(kind); r != CUPTI_SUCCESS)
            return refused(r, "cuptiActivityEnable");
        g_kinds.push_back(kind);
    }
    cupti.ActivityFlushPeriod(kFlushPeriodMs);
    return {};
}

void flush(bool force) {
    if (g_cupti) g_cupti->ActivityFlushAll(force ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

void stop() {
    if (!g_cupti) return;
    flush(true);
    for (const auto kind : std::exchange(g_kinds, {})) g_cupti->ActivityDisable(kind);
    g_cupti->ActivityFlushPeriod(0);
    const std::lock_guard lock(g_spoolMutex);
    g_spool = nullptr;
}

std::size_t dropped() { return g_dropped; }

Written written() {
    const std::lock_guard lock(g_spoolMutex);
    return g_written;
}

}  // namespace roofscope::inject::activity_timer
