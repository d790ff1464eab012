// SPDX-License-Identifier: Apache-2.0
// The answers of the fake libcuda.so.1, for machines without a GPU. All other driver functions
// succeed without doing anything (silent_driver.cpp). A "function" is the C string of its name.
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "collector/cupti/driver_api.h"
#include "tests/fake_gpu/fake_context.h"
#include "tests/fake_gpu/fake_graph.h"
#include "tests/fake_gpu/symbols.h"

/// Defines the driver's function under another C++ name, because cuda.h already declares it.
#define ANSWERS(name, ...)                                                   \
    extern "C" CUresult answering_##name(__VA_ARGS__) __asm__(SYMBOL(name)); \
    CUresult answering_##name(__VA_ARGS__)

ANSWERS(cuDriverGetVersion, int* version) {
    *version = 13000;
    return CUDA_SUCCESS;
}
ANSWERS(cuGetErrorString, CUresult, const char** text) {
    *text = "a made-up error";
    return CUDA_SUCCESS;
}
namespace {
/// The thread's context stack; the first one is current from the start.
thread_local std::vector<CUcontext> t_contexts{roofscope::test::kContext};
}  // namespace

ANSWERS(cuCtxGetCurrent, CUcontext* context) {
    *context = t_contexts.back();
    return CUDA_SUCCESS;
}
ANSWERS(cuCtxPushCurrent, CUcontext context) {
    if (context == roofscope::test::kBrokenContext) return CUDA_ERROR_INVALID_CONTEXT;
    t_contexts.push_back(context);
    return CUDA_SUCCESS;
}
ANSWERS(cuCtxPopCurrent, CUcontext* context) {
    *context = t_contexts.back();
    t_contexts.pop_back();
    return CUDA_SUCCESS;
}
ANSWERS(cuCtxGetDevice, CUdevice* device) {
    *device = t_contexts.back() == roofscope::test::kContext ? 0 : 1;
    return CUDA_SUCCESS;
}
ANSWERS(cuDeviceGetCount, int* count) {
    *count = 1;
    return CUDA_SUCCESS;
}
ANSWERS(cuDeviceGetName, char* name, int length, CUdevice) {
    std::strncpy(name, "stand-in for a GPU", static_cast<std::size_t>(length));
    return CUDA_SUCCESS;
}
ANSWERS(cuDeviceGetAttribute, int* value, CUdevice_attribute, CUdevice) {
    *value = 0;
    return CUDA_SUCCESS;
}
ANSWERS(cuFuncGetAttribute, int* value, CUfunction_attribute which, CUfunction) {
    *value = which == CU_FUNC_ATTRIBUTE_NUM_REGS ? 32 : 0;
    return CUDA_SUCCESS;
}
ANSWERS(cuFuncGetName, const char** name, CUfunction function) {
    *name = reinterpret_cast<const char*>(function);
    return CUDA_SUCCESS;
}
ANSWERS(cuOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks, CUfunction function, int,
        std::size_t) {
    // Questions about kernels named "slow…" take long to answer.
    if (std::string_view(reinterpret_cast<const char*>(function)).starts_with("slow"))
        std::this_thread::sleep_for(std::chrono::milliseconds(2600));
    *blocks = 2;
    return CUDA_SUCCESS;
}
ANSWERS(cuStreamIsCapturing, CUstream, CUstreamCaptureStatus* status) {
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
ANSWERS(cuFuncGetParamInfo, CUfunction, std::size_t, std::size_t*, std::size_t*) {
    return CUDA_ERROR_INVALID_VALUE;  // a kernel without parameters
}

namespace {
using roofscope::test::FakeGraph;
const FakeGraph::Node& nodeOf(CUgraphNode handle) {
    return *reinterpret_cast<const FakeGraph::Node*>(handle);
}
}  // namespace

ANSWERS(cuGraphGetNodes, CUgraph handle, CUgraphNode* nodes, std::size_t* count) {
    auto& graph = *reinterpret_cast<FakeGraph*>(handle);
    for (std::size_t i = 0; nodes && i < graph.nodes.size(); ++i)
        nodes[i] = reinterpret_cast<CUgraphNode>(&graph.nodes[i]);
    *count = graph.nodes.size();
    return CUDA_SUCCESS;
}
ANSWERS(cuGraphNodeGetType, CUgraphNode node, CUgraphNodeType* type) {
    switch (nodeOf(node).kind) {
        case FakeGraph::Node::Kind::Kernel:
            *type = CU_GRAPH_NODE_TYPE_KERNEL;
            break;
        case FakeGraph::Node::Kind::Graph:
            *type = CU_GRAPH_NODE_TYPE_GRAPH;
            break;
        case FakeGraph::Node::Kind::Conditional:
            *type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
            break;
    }
    return CUDA_SUCCESS;
}
ANSWERS(cuGraphNodeGetDependencies, CUgraphNode node, CUgraphNode* from, CUgraphEdgeData*,
        std::size_t* count) {
    auto* before = nodeOf(node).before;
    if (from && before) *from = reinterpret_cast<CUgraphNode>(before);
    *count = before ? 1 : 0;
    return CUDA_SUCCESS;
}
ANSWERS(cuGraphChildGraphNodeGetGraph, CUgraphNode node, CUgraph* graph) {
    *graph = reinterpret_cast<CUgraph>(nodeOf(node).inner.get());
    return CUDA_SUCCESS;
}
ANSWERS(cuGraphKernelNodeGetAttribute, CUgraphNode node, CUkernelNodeAttrID which,
        CUkernelNodeAttrValue* value) {
    if (which != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) return CUDA_ERROR_INVALID_VALUE;
    const unsigned cluster = nodeOf(node).cluster;
    value->clusterDim = {cluster, cluster ? 1U : 0U, cluster ? 1U : 0U};
    return CUDA_SUCCESS;
}
ANSWERS(cuGraphKernelNodeGetParams, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* parameters) {
    parameters->func = reinterpret_cast<CUfunction>(const_cast<char*>(nodeOf(node).symbol));
    parameters->gridDimX = nodeOf(node).blocks();
    parameters->gridDimY = parameters->gridDimZ = 1;
    parameters->blockDimX = 32;
    parameters->blockDimY = parameters->blockDimZ = 1;
    return CUDA_SUCCESS;
}
