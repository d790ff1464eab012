// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/activity_timer.h"

#include <atomic>
#include <cstdlib>
#include <vector>

#include "collector/inject/uncancelled.h"

namespace roofscope::inject::activity_timer {
namespace {

/// About 5000 kernels. CUPTI keeps few of them at a time.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
/// A program that ends by _exit or a signal loses at most what ran within this.
constexpr std::uint32_t kFlushPeriodMs = 100;

const CuptiApi* g_cupti = nullptr;
SpoolWriter* g_spool = nullptr;
std::atomic<std::size_t> g_dropped{0};

void CUPTIAPI bufferRequested(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords) {
    const Uncancelled uncancelled;
    // malloc aligns to 16 bytes; CUPTI asks for 8. Without memory CUPTI drops records and says so.
    *buffer = static_cast<std::uint8_t*>(std::malloc(kBufferBytes));
    *size = *buffer ? kBufferBytes : 0;
    *maxRecords = 0;
}

void CUPTIAPI bufferCompleted(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t, std::size_t validBytes) {
    const Uncancelled uncancelled;
    try {
        std::vector<KernelTime> times;
        CUpti_Activity* record = nullptr;
        while (validBytes > 0 &&
               g_cupti->ActivityGetNextRecord(buffer, validBytes, &record) == CUPTI_SUCCESS) {
            if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
                record->kind != CUPTI_ACTIVITY_KIND_KERNEL)
                continue;
            // Later versions of the record only add fields at the end.
            const auto& k = *reinterpret_cast<const CUpti_ActivityKernel10*>(record);
            // 0: CUPTI could not time it.
            if (k.start == 0 || k.end < k.start) continue;
            times.push_back(
                {.correlation = k.correlationId,
                 .startNs = k.start,
                 .endNs = k.end,
                 .node = k.graphNodeId,
                 .symbol = k.graphNodeId != 0 && k.name ? k.name : "",
                 .grid = {static_cast<std::uint32_t>(k.gridX), static_cast<std::uint32_t>(k.gridY),
                          static_cast<std::uint32_t>(k.gridZ)}});
        }
        if (!times.empty()) g_spool->times(times);
        std::size_t lost = 0;
        if (g_cupti->ActivityGetNumDroppedRecords(context, stream, &lost) == CUPTI_SUCCESS)
            g_dropped += lost;
    } catch (...) {
        // Out of memory: these kernels stay without a duration.
    }
    std::free(buffer);
}

}  // namespace

Result<void> start(const CuptiApi& cupti, SpoolWriter& spool, bool serial) {
    g_cupti = &cupti;
    g_spool = &spool;
    const auto refused = [&](CUptiResult result, const char* call) {
        return Error{.code = ErrorCode::Unavailable,
                     .what = std::string(call) + " failed: " + cupti.describe(result),
                     .where = {},
                     .advice = cuptiAdvice(result)};
    };
    if (const auto r = cupti.ActivityRegisterCallbacks(bufferRequested, bufferCompleted);
        r != CUPTI_SUCCESS)
        return refused(r, "cuptiActivityRegisterCallbacks");
    const auto kind = serial ? CUPTI_ACTIVITY_KIND_KERNEL : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    if (const auto r = cupti.ActivityEnable(kind); r != CUPTI_SUCCESS)
        return refused(r, "cuptiActivityEnable");
    cupti.ActivityFlushPeriod(kFlushPeriodMs);
    return {};
}

void flush(bool force) {
    if (g_cupti) g_cupti->ActivityFlushAll(force ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

std::size_t dropped() { return g_dropped; }

}  // namespace roofscope::inject::activity_timer
