// SPDX-License-Identifier: Apache-2.0
// What a stand-in for libcuda.so.1 answers, for machines without a GPU. Every other function of the
// driver succeeds without doing anything (silent_driver.cpp). A "function" is the C string of its
// name.
#include <cstring>

#include "collector/cupti/driver_api.h"
#include "tests/fake_gpu/symbols.h"

/// Defines the driver's own function under a name of ours: cuda.h declares it already.
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
ANSWERS(cuCtxGetDevice, CUdevice* device) {
    *device = 0;
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
ANSWERS(cuOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks, CUfunction, int, std::size_t) {
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
