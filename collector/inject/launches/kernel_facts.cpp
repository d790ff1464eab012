// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/kernel_facts.h"

#include "profile/names/demangle.h"

namespace roofscope::inject {
namespace {

std::optional<std::uint32_t> attribute(const DriverApi& driver, CUfunction function,
                                       CUfunction_attribute which) {
    int value = 0;
    if (driver.cuFuncGetAttribute(&value, which, function) != CUDA_SUCCESS || value < 0) return {};
    return static_cast<std::uint32_t>(value);
}

}  // namespace

CUfunction realFunction(const DriverApi& driver, CUfunction function) {
    int value = 0;
    if (driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function) == CUDA_SUCCESS)
        return function;
    CUfunction resolved = nullptr;
    if (driver.cuKernelGetFunction(&resolved, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS)
        return resolved;
    return function;
}

Kernel kernelFacts(const DriverApi& driver, const LaunchRequest& request) {
    Kernel kernel;
    const CUfunction function = realFunction(driver, request.function);
    if (request.symbol) kernel.symbol = request.symbol;
    if (const char* name = nullptr;
        kernel.symbol.empty() && driver.cuFuncGetName(&name, function) == CUDA_SUCCESS && name)
        kernel.symbol = name;
    if (kernel.symbol.empty()) kernel.symbol = "(unnamed kernel)";
    kernel.name = demangle(kernel.symbol);
    kernel.registersPerThread = attribute(driver, function, CU_FUNC_ATTRIBUTE_NUM_REGS);
    kernel.staticSharedBytes = attribute(driver, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    kernel.localBytesPerThread = attribute(driver, function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    kernel.maxThreadsPerBlock =
        attribute(driver, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    kernel.ptxVersion = attribute(driver, function, CU_FUNC_ATTRIBUTE_PTX_VERSION);
    kernel.binaryVersion = attribute(driver, function, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    return kernel;
}

std::optional<std::uint32_t> residentBlocks(const DriverApi& driver, const LaunchRequest& request) {
    int blocks = 0;
    const CUfunction function = realFunction(driver, request.function);
    if (driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, static_cast<int>(request.block.total()),
            request.dynamicSharedBytes) != CUDA_SUCCESS ||
        blocks <= 0)
        return {};
    return static_cast<std::uint32_t>(blocks);
}

std::optional<Dim3> compiledCluster(const DriverApi& driver, CUfunction function) {
    const CUfunction real = realFunction(driver, function);
    const auto x = attribute(driver, real, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
    const auto y = attribute(driver, real, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
    const auto z = attribute(driver, real, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
    if (!x || !y || !z || *x == 0 || *y == 0 || *z == 0) return {};
    return Dim3{*x, *y, *z};
}

}  // namespace roofscope::inject
