// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/launch_calls.h"

#include "collector/inject/calls/driver_calls.h"

namespace roofscope::inject {
namespace {

/// Launch calls of the per-thread default stream: their stream 0 is a different one in each thread.
constexpr CUpti_CallbackId kPerThreadLaunches[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
};

template <class Params>
LaunchRequest fromParams(const Params& p) {
    LaunchRequest request;
    request.function = p.f;
    request.stream = p.hStream;
    request.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
    request.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
    request.dynamicSharedBytes = p.sharedMemBytes;
    request.parameters.kernelParams = p.kernelParams;
    if constexpr (requires { p.extra; }) request.parameters.extra = p.extra;
    return request;
}

LaunchRequest fromConfig(const cuLaunchKernelEx_params& p) {
    LaunchRequest request;
    request.function = p.f;
    request.parameters = {.kernelParams = p.kernelParams, .extra = p.extra};
    if (!p.config) return request;
    const CUlaunchConfig& config = *p.config;
    request.stream = config.hStream;
    request.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
    request.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
    request.dynamicSharedBytes = config.sharedMemBytes;
    for (unsigned i = 0; i < config.numAttrs; ++i) {
        if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            const auto& cluster = config.attrs[i].value.clusterDim;
            request.cluster = Dim3{cluster.x, cluster.y, cluster.z};
        } else if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
            request.cooperative = config.attrs[i].value.cooperative != 0;
        }
    }
    return request;
}

CUstream realStream(CUpti_CallbackId id, CUstream stream) {
    return !stream && isOneOf(id, kPerThreadLaunches) ? CU_STREAM_PER_THREAD : stream;
}

}  // namespace

bool isGraphLaunch(CUpti_CallbackId id) {
    return id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
           id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
}

GraphLaunchRequest graphLaunchRequest(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const auto& p = *static_cast<const cuGraphLaunch_params*>(data.functionParams);
    return {.graph = p.hGraph, .stream = realStream(id, p.hStream)};
}

LaunchRequest launchRequest(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    LaunchRequest request;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
        id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz)
        request = fromConfig(*static_cast<const cuLaunchKernelEx_params*>(data.functionParams));
    else if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
             id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz) {
        request =
            fromParams(*static_cast<const cuLaunchCooperativeKernel_params*>(data.functionParams));
        request.cooperative = true;
    } else {
        request = fromParams(*static_cast<const cuLaunchKernel_params*>(data.functionParams));
    }
    request.symbol = data.symbolName;
    request.stream = realStream(id, request.stream);
    return request;
}

}  // namespace roofscope::inject
