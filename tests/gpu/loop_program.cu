// SPDX-License-Identifier: Apache-2.0
// Timing loops with a known fault, for `roofscope check-loop`: loop_program CASE
//   warm     copies 8 MB to 8 MB repeatedly: both stay in the L2
//   rotated  the same over 64 pairs of buffers, 1 GB in all: no launch finds its data in the L2
//   cold     the same as warm after 20 launches that find nothing in the L2
//   nothing  arithmetic whose result is not stored
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

namespace {

constexpr std::size_t kFloats = 2 << 20;
constexpr int kPairs = 64, kLaunches = 200;

__global__ void copyOne(const float* in, float* out) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    out[i] = in[i] + 1;
}

__global__ void polynomial(const float* in, float* out, float never) {
    float x = in[threadIdx.x];
    for (int k = 0; k < 2000; ++k) x = x * 0.999f + 0.5f;
    if (x == never) out[threadIdx.x] = x;  // never true, but keeps the arithmetic
}

bool failed(cudaError_t error) {
    if (error != cudaSuccess) std::fprintf(stderr, "loop: %s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}

}  // namespace

int main(int argc, char** argv) {
    const char* which = argc > 1 ? argv[1] : "";
    const bool cold = std::strcmp(which, "cold") == 0;
    const int rotated = std::strcmp(which, "rotated") == 0 ? kLaunches : cold ? kLaunches / 10 : 0;
    float* memory = nullptr;
    if (failed(cudaMalloc(&memory, 2 * kPairs * kFloats * sizeof(float)))) return 1;
    if (failed(cudaMemset(memory, 0, 2 * kPairs * kFloats * sizeof(float)))) return 1;
    for (int i = 0; i < kLaunches; ++i) {
        float* in = memory + (i < rotated ? i % kPairs : 0) * 2 * kFloats;
        if (std::strcmp(which, "nothing") == 0)
            polynomial<<<1320, 256>>>(in, in + kFloats, -1.f);
        else
            copyOne<<<kFloats / 256, 256>>>(in, in + kFloats);
    }
    return failed(cudaDeviceSynchronize());
}
