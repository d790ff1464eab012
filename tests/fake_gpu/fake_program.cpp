// SPDX-License-Identifier: Apache-2.0
#include "tests/fake_gpu/fake_program.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include <generated_nvtx_meta.h>

#include "collector/inject/injector.h"
#include "tests/fake_gpu/fake_context.h"
#include "tests/fake_gpu/fake_session.h"

namespace roofscope::test {
namespace {

using inject::Injector;

/// A variable of the fake libcupti.
template <class T>
T& ofCupti(const char* name) {
    auto* found =
        static_cast<T*>(dlsym(dlopen(ROOFSCOPE_FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD), name));
    if (!found) std::abort();
    return *found;
}

/// Calls the subscriber, if any, as CUPTI does.
void callBack(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    static const auto* subscriber = &ofCupti<CUpti_CallbackFunc>("roofscope_fake_subscriber");
    if (const CUpti_CallbackFunc function = *subscriber) function(nullptr, domain, id, data);
}

/// Calls back as CUPTI does: before and after the call.
void driverCall(CUpti_CallbackId id, CUpti_CallbackData& data,
                const std::function<void()>& meanwhile = {}) {
    if (!data.context) data.context = kContext;
    for (const auto site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
        data.callbackSite = site;
        callBack(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
        if (site == CUPTI_API_ENTER && meanwhile) meanwhile();
    }
}

void simpleCall(CUpti_CallbackId id) {
    CUresult result = CUDA_SUCCESS;
    CUpti_CallbackData data{};
    data.functionReturnValue = &result;
    driverCall(id, data);
}

void nvtxCall(CUpti_CallbackId id, void* parameters) {
    CUpti_NvtxData data{};
    data.functionParams = parameters;
    callBack(CUPTI_CB_DOMAIN_NVTX, id, &data);
}

}  // namespace

FakeProgram::FakeProgram() {
    // Once loaded, the loader finds it by its name, although it is not in the search path.
    if (!dlopen(ROOFSCOPE_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL)) std::abort();
    if (!dlopen(ROOFSCOPE_FAKE_CUPTI, RTLD_NOW | RTLD_LOCAL)) std::abort();
    setenv("ROOFSCOPE_CUPTI", ROOFSCOPE_FAKE_CUPTI, 1);
}

Injector::OpenCounters FakeProgram::opener(Counters counters) {
    return
        [counters](const CuptiApi&, CUcontext, CUdevice, const CountersMode&, const Device&,
                   const inject::ReportIssue&) -> Result<std::unique_ptr<inject::CounterSession>> {
            return std::unique_ptr<inject::CounterSession>(std::make_unique<FakeSession>(
                counters.passes, counters.cheapPauses, counters.groups));
        };
}

FakeProgram::FakeProgram(const std::filesystem::path& folder, Counters counters) : FakeProgram() {
    setenv("ROOFSCOPE_SPOOL_DIR", folder.c_str(), 1);
    if (counters.readable)
        Injector::attach(opener(counters));
    else
        Injector::attach();
    if (!Injector::instance()) std::abort();
}

void FakeProgram::launch(const Launch& launch) {
    cuLaunchKernel_params parameters{};
    parameters.f = reinterpret_cast<CUfunction>(const_cast<char*>(launch.kernel));
    parameters.gridDimX = launch.grid;
    parameters.blockDimX = launch.block;
    parameters.gridDimY = parameters.gridDimZ = parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.hStream = launch.stream;
    CUresult result = launch.result;
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.functionReturnValue = &result;
    data.symbolName = launch.kernel;
    data.context = launch.context;
    data.correlationId = ++m_correlation;
    driverCall(launch.perThreadStream ? CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz
                                      : CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
               data, [&] {
                   if (launch.meanwhile) launch.meanwhile();
                   if (launch.result == CUDA_SUCCESS) FakeSession::kernelRan(launch.grid);
               });
}

void FakeProgram::at(std::uint64_t ns) { ofCupti<std::uint64_t>("roofscope_fake_now") = ns; }

std::uint32_t FakeProgram::call(CUpti_CallbackId id, const std::function<void()>& meanwhile) {
    CUresult result = CUDA_SUCCESS;
    std::uint64_t parameters[16] = {};
    CUpti_CallbackData data{};
    data.functionParams = parameters;
    data.functionReturnValue = &result;
    data.correlationId = ++m_correlation;
    const std::uint32_t correlation = data.correlationId;
    driverCall(id, data, meanwhile);
    return correlation;
}

void FakeProgram::copyToGpu(const void* source, std::size_t bytes, CUresult result) {
    const cuMemcpyHtoDAsync_v2_params parameters{
        .dstDevice = 0x1000, .srcHost = source, .ByteCount = bytes, .hStream = nullptr};
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.functionReturnValue = &result;
    data.correlationId = ++m_correlation;
    driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, data);
}

void FakeProgram::pin(std::size_t bytes) {
    CUresult result = CUDA_SUCCESS;
    void* memory = &result;
    const cuMemHostAlloc_params parameters{.pp = &memory, .bytesize = bytes};
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.functionReturnValue = &result;
    data.correlationId = ++m_correlation;
    driverCall(CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc_v2, data);
}

void FakeProgram::loadCode() {
    CUpti_ModuleResourceData module{};
    const CUpti_ResourceData resource{.context = kContext, .resourceDescriptor = &module};
    callBack(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &resource);
}

void kernelRan(FakeProgram& program, std::uint64_t start, std::uint64_t end, std::uint32_t stream) {
    CUpti_ActivityKernel10 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.correlationId = program.correlation();
    kernel.start = start;
    kernel.end = end;
    kernel.contextId = 1;
    kernel.streamId = stream;
    kernel.gridX = kernel.gridY = kernel.gridZ = 1;
    program.did(kernel);
}

CUpti_CallbackFunc& FakeProgram::subscriber() {
    return ofCupti<CUpti_CallbackFunc>("roofscope_fake_subscriber");
}

void FakeProgram::keepBusy(unsigned milliseconds) {
    ofCupti<unsigned>("roofscope_fake_busy_ms") = milliseconds;
}

bool FakeProgram::timesKernels() { return ofCupti<bool>("roofscope_fake_timed"); }

void FakeProgram::handOver(const void* record, std::size_t bytes) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0;
    ofCupti<CUpti_BuffersCallbackRequestFunc>("roofscope_fake_request")(&buffer, &size, &most);
    if (!buffer || size < bytes) std::abort();
    std::memcpy(buffer, record, bytes);
    ofCupti<CUpti_BuffersCallbackCompleteFunc>("roofscope_fake_complete")(kContext, 0, buffer, size,
                                                                          bytes);
}

void FakeProgram::make(const FakeGraph& graph) {
    auto* handle = const_cast<FakeGraph*>(&graph);
    CUpti_GraphData created{};
    created.graph = reinterpret_cast<CUgraph>(handle);
    created.graphExec = reinterpret_cast<CUgraphExec>(handle);
    CUpti_ResourceData resource{.context = kContext, .resourceDescriptor = &created};
    callBack(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, &resource);
    m_graphs[&graph] = FakeSession::runs();
    callBack(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, &resource);
}

void FakeProgram::launch(const FakeGraph& graph) {
    if (!m_graphs.contains(&graph)) make(graph);
    auto* handle = const_cast<FakeGraph*>(&graph);
    cuGraphLaunch_params parameters{.hGraph = reinterpret_cast<CUgraphExec>(handle)};
    CUresult result = CUDA_SUCCESS;
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.functionReturnValue = &result;
    data.correlationId = ++m_correlation;
    driverCall(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, data, [&] {
        if (m_graphs[&graph]) graph.run(FakeSession::kernelRan);
    });
}

void FakeProgram::enable(FakeGraph& graph, std::size_t node, bool enabled) {
    cuGraphNodeSetEnabled_params parameters{
        .hGraphExec = reinterpret_cast<CUgraphExec>(&graph),
        .hNode = reinterpret_cast<CUgraphNode>(&graph.nodes[node]),
        .isEnabled = enabled};
    CUresult result = CUDA_SUCCESS;
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.functionReturnValue = &result;
    driverCall(CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled, data);
    graph.nodes[node].enabled = enabled;
}

void FakeProgram::pushRange(const std::string& name) {
    nvtxRangePushA_params parameters{name.c_str()};
    nvtxCall(CUPTI_CBID_NVTX_nvtxRangePushA, &parameters);
}

void FakeProgram::popRange() { nvtxCall(CUPTI_CBID_NVTX_nvtxRangePop, nullptr); }
void FakeProgram::beginCapture() { simpleCall(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2); }
void FakeProgram::endCapture() { simpleCall(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture); }
void FakeProgram::profilerStart() { simpleCall(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart); }
void FakeProgram::profilerStop() { simpleCall(CUPTI_DRIVER_TRACE_CBID_cuProfilerStop); }

void FakeProgram::destroyContext() {
    const CUpti_ResourceData resource{.context = kContext};
    callBack(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &resource);
}

void FakeProgram::end() {
    if (Injector* injector = Injector::instance()) injector->finish();
}

bool runFakeProgram(const RunConfiguration& configuration, const std::filesystem::path& folder,
                    const std::function<void(FakeProgram&)>& program,
                    FakeProgram::Counters counters, std::uint64_t startsAt) {
    if (!writeRunConfiguration(configuration, folder)) std::abort();
    const pid_t child = fork();
    if (child == 0) {
        if (startsAt > 0) FakeProgram().at(startsAt);
        FakeProgram fake(folder, counters);
        program(fake);
        fake.end();
        _exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace roofscope::test
