// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/followed_calls.h"

#include <array>
#include <vector>

namespace roofscope::inject {
namespace {

/// A call by its name and version ("_v2", or nothing).
#define CALL(name, version, kind) \
    FollowedCall { CUPTI_DRIVER_TRACE_CBID_##name##version, #name, CallKind::kind }
/// The same call and its variant for per-thread streams. It cannot use CALL, because cuda.h defines
/// the functions' names as macros.
#define BOTH(name, version, suffix, kind)                                                        \
    FollowedCall{CUPTI_DRIVER_TRACE_CBID_##name##version, #name, CallKind::kind}, FollowedCall { \
        CUPTI_DRIVER_TRACE_CBID_##name##version##suffix, #name, CallKind::kind                   \
    }
constexpr FollowedCall kCalls[] = {
    CALL(cuCtxSynchronize, , Wait),
    CALL(cuCtxSynchronize, _v2, Wait),
    BOTH(cuStreamSynchronize, , _ptsz, Wait),
    CALL(cuEventSynchronize, , Wait),
    BOTH(cuMemcpy, , _ptds, Transfer),
    BOTH(cuMemcpyAsync, , _ptsz, Transfer),
    BOTH(cuMemcpyHtoD, _v2, _ptds, Transfer),
    BOTH(cuMemcpyHtoDAsync, _v2, _ptsz, Transfer),
    BOTH(cuMemcpyDtoH, _v2, _ptds, Transfer),
    BOTH(cuMemcpyDtoHAsync, _v2, _ptsz, Transfer),
    BOTH(cuMemcpyDtoD, _v2, _ptds, Transfer),
    BOTH(cuMemcpyDtoDAsync, _v2, _ptsz, Transfer),
    BOTH(cuMemcpyDtoA, _v2, _ptds, Transfer),
    BOTH(cuMemcpyAtoD, _v2, _ptds, Transfer),
    BOTH(cuMemcpyHtoA, _v2, _ptds, Transfer),
    BOTH(cuMemcpyHtoAAsync, _v2, _ptsz, Transfer),
    BOTH(cuMemcpyAtoH, _v2, _ptds, Transfer),
    BOTH(cuMemcpyAtoHAsync, _v2, _ptsz, Transfer),
    BOTH(cuMemcpyAtoA, _v2, _ptds, Transfer),
    BOTH(cuMemcpy2D, _v2, _ptds, Transfer),
    BOTH(cuMemcpy2DUnaligned, _v2, _ptds, Transfer),
    BOTH(cuMemcpy2DAsync, _v2, _ptsz, Transfer),
    BOTH(cuMemcpy3D, _v2, _ptds, Transfer),
    BOTH(cuMemcpy3DAsync, _v2, _ptsz, Transfer),
    BOTH(cuMemcpyPeer, , _ptds, Transfer),
    BOTH(cuMemcpyPeerAsync, , _ptsz, Transfer),
    BOTH(cuMemcpy3DPeer, , _ptds, Transfer),
    BOTH(cuMemcpy3DPeerAsync, , _ptsz, Transfer),
    BOTH(cuMemcpyBatchAsync, , _ptsz, Transfer),
    BOTH(cuMemcpyBatchAsync, _v2, _ptsz, Transfer),
    BOTH(cuMemcpy3DBatchAsync, , _ptsz, Transfer),
    BOTH(cuMemcpy3DBatchAsync, _v2, _ptsz, Transfer),
    BOTH(cuMemsetD8, _v2, _ptds, Transfer),
    BOTH(cuMemsetD16, _v2, _ptds, Transfer),
    BOTH(cuMemsetD32, _v2, _ptds, Transfer),
    BOTH(cuMemsetD2D8, _v2, _ptds, Transfer),
    BOTH(cuMemsetD2D16, _v2, _ptds, Transfer),
    BOTH(cuMemsetD2D32, _v2, _ptds, Transfer),
    BOTH(cuMemsetD8Async, , _ptsz, Transfer),
    BOTH(cuMemsetD16Async, , _ptsz, Transfer),
    BOTH(cuMemsetD32Async, , _ptsz, Transfer),
    BOTH(cuMemsetD2D8Async, , _ptsz, Transfer),
    BOTH(cuMemsetD2D16Async, , _ptsz, Transfer),
    BOTH(cuMemsetD2D32Async, , _ptsz, Transfer),
    BOTH(cuMemPrefetchAsync, , _ptsz, Transfer),
    BOTH(cuMemPrefetchAsync, _v2, _ptsz, Transfer),
    BOTH(cuLaunchKernel, , _ptsz, Launch),
    BOTH(cuLaunchKernelEx, , _ptsz, Launch),
    BOTH(cuLaunchCooperativeKernel, , _ptsz, Launch),
    BOTH(cuGraphLaunch, , _ptsz, GraphLaunch),
    CALL(cuMemAlloc, _v2, Allocate),
    CALL(cuMemAllocPitch, _v2, Allocate),
    CALL(cuMemAllocManaged, , Allocate),
    CALL(cuMemAllocHost, _v2, Allocate),
    CALL(cuMemHostAlloc, , Allocate),
    CALL(cuMemHostAlloc, _v2, Allocate),
    CALL(cuMemHostRegister, , Allocate),
    CALL(cuMemHostRegister, _v2, Allocate),
    BOTH(cuMemAllocAsync, , _ptsz, Allocate),
    BOTH(cuMemAllocFromPoolAsync, , _ptsz, Allocate),
    CALL(cuMemCreate, , Allocate),
    CALL(cuMemMap, , Allocate),
    CALL(cuMemSetAccess, , Allocate),
    CALL(cuMemAddressReserve, , Allocate),
    CALL(cuMemPoolCreate, , Allocate),
    CALL(cuArrayCreate, _v2, Allocate),
    CALL(cuArray3DCreate, _v2, Allocate),
    CALL(cuMipmappedArrayCreate, , Allocate),
    CALL(cuMemFree, _v2, Free),
    CALL(cuMemFreeHost, , Free),
    CALL(cuMemHostUnregister, , Free),
    BOTH(cuMemFreeAsync, , _ptsz, Free),
    CALL(cuMemUnmap, , Free),
    CALL(cuMemRelease, , Free),
    CALL(cuMemAddressFree, , Free),
    CALL(cuMemPoolDestroy, , Free),
    CALL(cuMemPoolTrimTo, , Free),
    CALL(cuArrayDestroy, , Free),
    CALL(cuMipmappedArrayDestroy, , Free),
    CALL(cuModuleLoad, , Load),
    CALL(cuModuleLoadData, , Load),
    CALL(cuModuleLoadDataEx, , Load),
    CALL(cuModuleLoadFatBinary, , Load),
    CALL(cuModuleUnload, , Load),
    CALL(cuModuleGetFunction, , Load),
    CALL(cuLibraryLoadData, , Load),
    CALL(cuLibraryLoadFromFile, , Load),
    CALL(cuLibraryUnload, , Load),
    CALL(cuLibraryGetKernel, , Load),
    CALL(cuKernelGetFunction, , Load),
    CALL(cuFuncLoad, , Load),
    CALL(cuLinkAddData, , Load),
    CALL(cuLinkAddData, _v2, Load),
    CALL(cuLinkAddFile, , Load),
    CALL(cuLinkAddFile, _v2, Load),
    CALL(cuLinkComplete, , Load),
    CALL(cuGraphInstantiate, , Graph),
    CALL(cuGraphInstantiate, _v2, Graph),
    CALL(cuGraphInstantiateWithFlags, , Graph),
    BOTH(cuGraphInstantiateWithParams, , _ptsz, Graph),
    BOTH(cuGraphUpload, , _ptsz, Graph),
    CALL(cuGraphExecUpdate, , Graph),
    CALL(cuGraphExecUpdate, _v2, Graph),
    BOTH(cuStreamEndCapture, , _ptsz, Graph),
};
#undef BOTH
#undef CALL

/// The followed call for each id. A table, because every callback looks one up.
using ById = std::array<const FollowedCall*, CUPTI_DRIVER_TRACE_CBID_SIZE>;

ById byId() {
    ById table{};
    for (const FollowedCall& call : kCalls) table[call.id] = &call;
    return table;
}

}  // namespace

std::span<const FollowedCall> followedCalls() { return kCalls; }

const FollowedCall* followedCall(CUpti_CallbackId id) {
    static const ById table = byId();
    return id < table.size() ? table[id] : nullptr;
}

}  // namespace roofscope::inject
