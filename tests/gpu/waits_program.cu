// SPDX-License-Identifier: Apache-2.0
// Kernels whose warps wait for one known instruction, each with a twin without that wait: a
// recording must name the producer's line, and the twin must not gain more than the bound says.
//
//     waits_program
//
// Prints for each kernel "wait NAME STATE FIRST LAST" with the lines of the producer, and at the
// end the sum of the results, so that a recording can be checked. The twin of NAME is
// NAMEHidden.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kThreads = 128;
constexpr int kLaunches = 5;
/// Larger than any L2, and a power of two.
constexpr std::uint32_t kWords = 1u << 26;

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "waits_program: %s\n", cudaGetErrorString(error));
    std::exit(9);
}

struct Data {
    std::uint32_t* table;  ///< a random cycle through kWords places: each holds the next place
    std::uint32_t* out;
    std::uint32_t seed;  ///< 0, which the compiler does not know
};

__device__ std::uint32_t place() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ std::uint32_t mix(std::uint32_t x) {
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 12;
}

/// As many loads from DRAM as in the kernels with chains, but with many in flight.
__device__ std::uint32_t scattered(Data d) {
    std::uint32_t sum = 0;
#pragma unroll 16
    for (std::uint32_t i = 0; i < 256; ++i) sum += d.table[mix(place() + i * 7919) & (kWords - 1)];
    return sum;
}

struct Lines {
    int first, last;
};

// Each load's address is the result of the one before. ------------------------------------------
constexpr Lines kChase{__LINE__ + 4, __LINE__ + 4};
__global__ void chase(Data d) {
    std::uint32_t at = mix(place()) & (kWords - 1);
#pragma unroll 1
    for (int i = 0; i < 256; ++i) at = d.table[at];
    d.out[place()] = at;
}
__global__ void chaseHidden(Data d) { d.out[place()] = scattered(d); }

// One load is used before the next is issued. ----------------------------------------------------
constexpr Lines kOneLoad{__LINE__ + 5, __LINE__ + 5};
__global__ void oneLoad(Data d) {
    std::uint32_t sum = 0, at = place();
#pragma unroll 1
    for (int i = 0; i < 256; ++i) {
        const std::uint32_t x = d.table[at & (kWords - 1)];
        sum = mix(sum + x);
        at += gridDim.x * blockDim.x + (sum & d.seed);
    }
    d.out[place()] = sum;
}
__global__ void oneLoadHidden(Data d) {
    std::uint32_t sum = 0, at = place();
#pragma unroll 1
    for (int i = 0; i < 256; ++i) {
        const std::uint32_t x = at ^ d.seed;
        sum = mix(sum + x);
        at += gridDim.x * blockDim.x + (sum & d.seed);
    }
    d.out[place()] = sum;
}

// A chain through shared memory. -----------------------------------------------------------------
constexpr Lines kSharedChain{__LINE__ + 7, __LINE__ + 7};
__global__ void sharedChain(Data d) {
    __shared__ std::uint32_t next[1024];
    for (int i = threadIdx.x; i < 1024; i += kThreads) next[i] = (i * 33 + 7 + d.seed) & 1023;
    __syncthreads();
    std::uint32_t at = threadIdx.x;
#pragma unroll 16
    for (int i = 0; i < 8192; ++i) at = next[at];
    d.out[place()] = at;
}
__global__ void sharedChainHidden(Data d) {
    __shared__ std::uint32_t next[1024];
    for (int i = threadIdx.x; i < 1024; i += kThreads) next[i] = (i * 33 + 7 + d.seed) & 1023;
    __syncthreads();
    std::uint32_t at = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < 8192; ++i) at = (at * 33 + 7 + d.seed) & 1023;
    d.out[place()] = at + next[at];
}

// A chain of special functions. ------------------------------------------------------------------
constexpr Lines kSpecial{__LINE__ + 4, __LINE__ + 4};
__global__ void special(Data d) {
    float x = static_cast<float>(threadIdx.x + d.seed) * 0.001f;
#pragma unroll 16
    for (int i = 0; i < 8192; ++i) x = __sinf(x) + 0.5f;
    d.out[place()] = __float_as_uint(x);
}
__global__ void specialHidden(Data d) {
    float x = static_cast<float>(threadIdx.x + d.seed) * 0.001f;
#pragma unroll 1
    for (int i = 0; i < 8192; ++i) x = x * 0.25f + 0.5f;
    d.out[place()] = __float_as_uint(x);
}

// An array indexed at run time is in local memory. -----------------------------------------------
constexpr Lines kLocalArray{__LINE__ + 7, __LINE__ + 7};
__global__ void localArray(Data d) {
    std::uint32_t values[64];
#pragma unroll 1
    for (int i = 0; i < 64; ++i) values[i] = (i * 5 + 3 + d.seed + threadIdx.x) & 63;
    std::uint32_t at = threadIdx.x & 63;
#pragma unroll 16
    for (int i = 0; i < 4096; ++i) at = values[at];
    d.out[place()] = at;
}
__global__ void localArrayHidden(Data d) {
    std::uint32_t at = threadIdx.x & 63;
#pragma unroll 1
    for (int i = 0; i < 4096; ++i) at = (at * 5 + 3 + d.seed + threadIdx.x) & 63;
    d.out[place()] = at;
}

// One warp of a block works while the others wait for it. ----------------------------------------
constexpr Lines kLateWarp{__LINE__ + 8, __LINE__ + 8};
__global__ void lateWarp(Data d) {
    std::uint32_t x = threadIdx.x + d.seed;
#pragma unroll 1
    for (int round = 0; round < 32; ++round) {
        if (threadIdx.x < 32)
#pragma unroll 1
            for (int i = 0; i < 256; ++i) x = mix(x);
        __syncthreads();
        x += round;
    }
    d.out[place()] = x;
}
__global__ void lateWarpHidden(Data d) {
    std::uint32_t x = threadIdx.x + d.seed;
#pragma unroll 1
    for (int round = 0; round < 32; ++round) {
#pragma unroll 1
        for (int i = 0; i < 64; ++i) x = mix(x);
        __syncthreads();
        x += round;
    }
    d.out[place()] = x;
}

// The old value of an atomic decides the next address. -------------------------------------------
constexpr Lines kReturnedAtomic{__LINE__ + 4, __LINE__ + 4};
__global__ void returnedAtomic(Data d) {
    std::uint32_t at = place();
#pragma unroll 1
    for (int i = 0; i < 256; ++i) at = place() + (atomicAdd(d.out + at, d.seed) & d.seed);
    d.out[place()] = at;
}
__global__ void returnedAtomicHidden(Data d) {
    std::uint32_t at = place();
#pragma unroll 1
    for (int i = 0; i < 256; ++i) at = place() + (mix(at) & d.seed);
    d.out[place()] = at;
}

// A fence after each store. ----------------------------------------------------------------------
constexpr Lines kFence{__LINE__ + 5, __LINE__ + 5};
__global__ void fence(Data d) {
#pragma unroll 1
    for (int i = 0; i < 256; ++i) {
        d.out[place()] = i;
        __threadfence();
        d.out[place() + gridDim.x * blockDim.x] = i;
    }
}
__global__ void fenceHidden(Data d) {
#pragma unroll 1
    for (int i = 0; i < 256; ++i) {
        d.out[place()] = i;
        d.out[place() + gridDim.x * blockDim.x] = i;
    }
}

// A chain of shuffles. ---------------------------------------------------------------------------
constexpr Lines kShuffle{__LINE__ + 4, __LINE__ + 4};
__global__ void shuffle(Data d) {
    std::uint32_t x = threadIdx.x + d.seed;
#pragma unroll 16
    for (int i = 0; i < 8192; ++i) x = __shfl_sync(0xffffffffu, x, x & 31) + 1;
    d.out[place()] = x;
}
__global__ void shuffleHidden(Data d) {
    std::uint32_t x = threadIdx.x + d.seed;
#pragma unroll 1
    for (int i = 0; i < 8192; ++i) x = (x ^ i) + 1;
    d.out[place()] = x;
}

// The old value of an atomic on shared memory. ---------------------------------------------------
constexpr Lines kSharedAtomic{__LINE__ + 7, __LINE__ + 7};
__global__ void sharedAtomic(Data d) {
    __shared__ std::uint32_t count[1024];
    for (int i = threadIdx.x; i < 1024; i += kThreads) count[i] = d.seed;
    __syncthreads();
    std::uint32_t at = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < 2048; ++i) at = threadIdx.x + (atomicAdd(&count[at], 1u) & 512);
    d.out[place()] = at;
}
__global__ void sharedAtomicHidden(Data d) {
    std::uint32_t at = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < 2048; ++i) at = threadIdx.x + (mix(at + d.seed) & 512);
    d.out[place()] = at;
}

// An index is loaded, then the data at it: both are waited for in turn. --------------------------
constexpr Lines kGather{__LINE__ + 5, __LINE__ + 6};
__global__ void gather(Data d) {
    std::uint32_t sum = 0, from = mix(place());
#pragma unroll 1
    for (int i = 0; i < 128; ++i) {
        const std::uint32_t index = d.table[from & (kWords - 1)];
        sum += d.table[index];
        from = mix(from + (sum & d.seed));
    }
    d.out[place()] = sum;
}
__global__ void gatherHidden(Data d) { d.out[place()] = scattered(d); }

// Of two loads the second result comes from DRAM, the first from the L1. -------------------------
constexpr Lines kSecondOfTwo{__LINE__ + 6, __LINE__ + 6};
__global__ void secondOfTwo(Data d) {
    std::uint32_t sum = 0, at = mix(place());
#pragma unroll 1
    for (int i = 0; i < 256; ++i) {
        const std::uint32_t near = d.table[threadIdx.x & 31];
        const std::uint32_t far = d.table[at & (kWords - 1)];
        sum += near ^ far;
        at = mix(at + (sum & d.seed));
    }
    d.out[place()] = sum;
}
__global__ void secondOfTwoHidden(Data d) {
    d.out[place()] = d.table[threadIdx.x & 31] + scattered(d);
}

// Loads from the constant bank at a per-thread index. --------------------------------------------
__constant__ std::uint32_t kConstants[1024];
constexpr Lines kConstantChain{__LINE__ + 4, __LINE__ + 4};
__global__ void constantChain(Data d) {
    std::uint32_t at = (blockIdx.x + d.seed) & 1023;
#pragma unroll 16
    for (int i = 0; i < 4096; ++i) at = (kConstants[at] + at + 33) & 1023;
    d.out[place()] = at;
}
__global__ void constantChainHidden(Data d) {
    std::uint32_t at = (blockIdx.x + d.seed) & 1023;
#pragma unroll 1
    for (int i = 0; i < 4096; ++i) at = (at + at + 33 + d.seed) & 1023;
    d.out[place()] = at;
}

struct Pair {
    const char* name;
    const char* state;
    Lines lines;
    void (*kernel)(Data);
    void (*hidden)(Data);
};

constexpr Pair kPairs[] = {
    {"chase", "long_scoreboard", kChase, chase, chaseHidden},
    {"oneLoad", "long_scoreboard", kOneLoad, oneLoad, oneLoadHidden},
    {"sharedChain", "short_scoreboard", kSharedChain, sharedChain, sharedChainHidden},
    {"special", "short_scoreboard", kSpecial, special, specialHidden},
    {"localArray", "long_scoreboard", kLocalArray, localArray, localArrayHidden},
    {"lateWarp", "barrier", kLateWarp, lateWarp, lateWarpHidden},
    {"returnedAtomic", "long_scoreboard", kReturnedAtomic, returnedAtomic, returnedAtomicHidden},
    {"fence", "membar", kFence, fence, fenceHidden},
    {"shuffle", "short_scoreboard", kShuffle, shuffle, shuffleHidden},
    {"sharedAtomic", "short_scoreboard", kSharedAtomic, sharedAtomic, sharedAtomicHidden},
    {"gather", "long_scoreboard", kGather, gather, gatherHidden},
    {"secondOfTwo", "long_scoreboard", kSecondOfTwo, secondOfTwo, secondOfTwoHidden},
    {"constantChain", "short_scoreboard", kConstantChain, constantChain, constantChainHidden},
};

/// One cycle through all places, the same on every machine.
std::vector<std::uint32_t> oneCycle() {
    std::vector<std::uint32_t> next(kWords);
    for (std::uint32_t i = 0; i < kWords; ++i)
        next[i] = (i * 1664525u + 1013904223u) & (kWords - 1);
    return next;
}

}  // namespace

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0));
    const int blocks = device.multiProcessorCount;
    Data d{.table = nullptr, .out = nullptr, .seed = 0};
    check(cudaMalloc(&d.table, kWords * sizeof(std::uint32_t)));
    const std::size_t outs = std::size_t{2} * blocks * kThreads + 1024;
    check(cudaMalloc(&d.out, outs * sizeof(std::uint32_t)));
    const auto next = oneCycle();
    check(cudaMemcpy(d.table, next.data(), kWords * sizeof(std::uint32_t), cudaMemcpyHostToDevice));
    std::uint64_t sum = 0;
    std::vector<std::uint32_t> results(outs);
    for (const Pair& pair : kPairs) {
        std::printf("wait %s %s %d %d\n", pair.name, pair.state, pair.lines.first, pair.lines.last);
        for (const auto kernel : {pair.kernel, pair.hidden}) {
            check(cudaMemset(d.out, 0, outs * sizeof(std::uint32_t)));
            for (int i = 0; i < kLaunches; ++i) kernel<<<blocks, kThreads>>>(d);
            check(cudaMemcpy(results.data(), d.out, outs * sizeof(std::uint32_t),
                             cudaMemcpyDeviceToHost));
            for (const std::uint32_t result : results) sum = sum * 31 + result;
        }
    }
    std::printf("sum %016llx\n", static_cast<unsigned long long>(sum));
}
