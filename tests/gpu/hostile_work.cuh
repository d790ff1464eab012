// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

/// The GPU work of hostile_program.cu, which is compiled as one file: its kernels are one module.
namespace {

constexpr int kN = 1 << 20;

__global__ void work(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1.0f;
}

__global__ void slow(float* out, long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
    out[threadIdx.x] = 1.0f;
}

__global__ void trap() { asm("trap;"); }

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::fflush(stdout);
    _exit(9);
}

float *g_in = nullptr, *g_out = nullptr;

void allocate() {
    check(cudaMalloc(&g_in, kN * sizeof(float)), "cudaMalloc");
    check(cudaMalloc(&g_out, kN * sizeof(float)), "cudaMalloc");
    check(cudaMemset(g_in, 0, kN * sizeof(float)), "cudaMemset");
}

void launch(int times = 1, cudaStream_t stream = nullptr) {
    for (int i = 0; i < times; ++i) work<<<kN / 256, 256, 0, stream>>>(g_in, g_out, kN);
    check(cudaGetLastError(), "work");
}

void finish() { check(cudaDeviceSynchronize(), "sync"); }

std::atomic<bool> g_stop{false};  ///< what other threads do beside

}  // namespace
