// SPDX-License-Identifier: Apache-2.0
// Kernels of which one wait is known: the line marked "waits STATE" needs what the line marked
// "producer" does. record.py compiles them for several chips.
#include <cuda_runtime.h>

extern "C" __global__ void global_load(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[i];  // producer
    out[i] = x * x + 1.0f;  // waits long_scoreboard
}

extern "C" __global__ void pointer_chase(const int* next, int* out, int steps) {
    int at = threadIdx.x;
    for (int i = 0; i < steps; ++i) at = next[at];  // producer, waits long_scoreboard
    out[threadIdx.x] = at;
}

extern "C" __global__ void gather(const int* index, const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int at = index[i];  // producer
    const float x = in[at];   // waits long_scoreboard
    out[i] = x;
}

extern "C" __global__ void shared_load(const float* in, float* out) {
    __shared__ float tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    const float x = tile[255 - threadIdx.x];  // producer
    out[threadIdx.x] = x * x + 2.0f;          // waits short_scoreboard
}

extern "C" __global__ void special_function(float* out, float start, int steps) {
    float x = start + threadIdx.x;
    for (int i = 0; i < steps; ++i) {
        const float y = __expf(x);  // producer
        x = y * 0.5f - 1.0f;        // waits short_scoreboard
    }
    out[threadIdx.x] = x;
}

extern "C" __global__ void local_array(const int* in, float* out, int n) {
    float values[64];
    for (int i = 0; i < 64; ++i) values[i] = out[i];
    const int at = in[threadIdx.x] & 63;
    const float x = values[at];   // producer
    out[threadIdx.x] = x * 3.0f;  // waits long_scoreboard
}

extern "C" __global__ void barrier(float* out, int rounds) {
    float x = threadIdx.x;
    if (threadIdx.x < 32)
        for (int i = 0; i < rounds; ++i) x = x * 1.5f + 1.0f;
    out[threadIdx.x] = x;
    __syncthreads();                 // producer
    out[255 - threadIdx.x] += 1.0f;  // waits barrier
}

extern "C" __global__ void returned_atomic(int* counter, int* out) {
    const int old = atomicAdd(counter + (threadIdx.x & 3), 1);  // producer
    out[old & 1023] = old;                                      // waits long_scoreboard
}

extern "C" __global__ void fence(int* data, int* flag) {
    data[threadIdx.x] = threadIdx.x;
    __threadfence();        // producer
    flag[threadIdx.x] = 1;  // waits membar
}

extern "C" __global__ void shuffle(const float* in, float* out) {
    const float x = in[threadIdx.x];
    const float y = __shfl_xor_sync(0xffffffffu, x, 16);  // producer
    out[threadIdx.x] = y * 1.5f + 1.0f;                   // waits short_scoreboard
}

extern "C" __global__ void shared_atomic(const int* in, int* out) {
    __shared__ int count[64];
    if (threadIdx.x < 64) count[threadIdx.x] = 0;
    __syncthreads();
    const int old = atomicAdd(&count[in[threadIdx.x] & 63], 1);  // producer
    out[threadIdx.x] = old * 3;                                  // waits short_scoreboard
}

extern "C" __global__ void second_of_two(const float* a, const float* b, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i];
    const float y = b[i];   // producer
    out[i] = y * 2.0f + x;  // waits long_scoreboard
}
