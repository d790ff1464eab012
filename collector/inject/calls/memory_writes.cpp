// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/memory_writes.h"

namespace roofscope::inject {
namespace {

/// A call and its variant for per-thread streams.
#define BOTH(id, suffix) CUPTI_DRIVER_TRACE_CBID_##id, CUPTI_DRIVER_TRACE_CBID_##id##suffix
constexpr CUpti_CallbackId kFirstArgument[] = {
    BOTH(cuMemcpy, _ptds),           BOTH(cuMemcpyAsync, _ptsz),
    BOTH(cuMemcpyHtoD_v2, _ptds),    BOTH(cuMemcpyHtoDAsync_v2, _ptsz),
    BOTH(cuMemcpyDtoD_v2, _ptds),    BOTH(cuMemcpyDtoDAsync_v2, _ptsz),
    BOTH(cuMemcpyAtoD_v2, _ptds),    BOTH(cuMemcpyPeer, _ptds),
    BOTH(cuMemcpyPeerAsync, _ptsz),  BOTH(cuMemsetD8_v2, _ptds),
    BOTH(cuMemsetD8Async, _ptsz),    BOTH(cuMemsetD16_v2, _ptds),
    BOTH(cuMemsetD16Async, _ptsz),   BOTH(cuMemsetD32_v2, _ptds),
    BOTH(cuMemsetD32Async, _ptsz),   BOTH(cuMemsetD2D8_v2, _ptds),
    BOTH(cuMemsetD2D8Async, _ptsz),  BOTH(cuMemsetD2D16_v2, _ptds),
    BOTH(cuMemsetD2D16Async, _ptsz), BOTH(cuMemsetD2D32_v2, _ptds),
    BOTH(cuMemsetD2D32Async, _ptsz),
};
constexpr CUpti_CallbackId kElsewhere[] = {
    BOTH(cuMemcpy2D_v2, _ptds),           BOTH(cuMemcpy2DUnaligned_v2, _ptds),
    BOTH(cuMemcpy2DAsync_v2, _ptsz),      BOTH(cuMemcpy3D_v2, _ptds),
    BOTH(cuMemcpy3DAsync_v2, _ptsz),      BOTH(cuMemcpy3DPeer, _ptds),
    BOTH(cuMemcpy3DPeerAsync, _ptsz),     BOTH(cuMemcpyBatchAsync, _ptsz),
    BOTH(cuMemcpyBatchAsync_v2, _ptsz),   BOTH(cuMemcpy3DBatchAsync, _ptsz),
    BOTH(cuMemcpy3DBatchAsync_v2, _ptsz),
};
#undef BOTH

}  // namespace

std::span<const CUpti_CallbackId> writesToFirstArgument() { return kFirstArgument; }
std::span<const CUpti_CallbackId> writesElsewhere() { return kElsewhere; }

}  // namespace roofscope::inject
