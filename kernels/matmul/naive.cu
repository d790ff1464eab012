// SPDX-License-Identifier: Apache-2.0
//
// A matrix product, the obvious first version. (matmul.h says what the operator computes.)
//
// What this rung does: a thread per element of C. threadIdx.x is the row, because rows come first
// in C[row][column]; each thread reads its row of A and its column of B from global memory.
//
// The fault: the 32 threads of a warp have 32 rows of one column. Their loads of A are K elements
// apart and their stores to C N elements, so that each instruction touches 32 sectors for 32
// elements. (With threadIdx.x as the column, B and C would be accessed in whole sectors, and A with
// one sector for all lanes.) Also, every element is read repeatedly: A by N threads, B by M. The L1
// serves most of that and is what the kernel waits for.
//
// Where it shows: bytes requested / (32 × sectors) is 1/8 for the loads of an f32 product
// (smsp__sass_data_bytes_mem_global_op_{ld,st} against
// sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_{ld,st}).
#include "kernels/counters.h"
#include "kernels/matmul/matmul_device.cuh"

namespace roofscope::kernels {
namespace matmul {
namespace {

constexpr int kRows = 32, kColumns = 8;  // of C, per block

template <class T>
__global__ void __launch_bounds__(kRows* kColumns)
    matmulNaive(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, int m, int n,
                int k) {
    const int row = static_cast<int>(blockIdx.x * kRows + threadIdx.x);
    const int column = static_cast<int>(blockIdx.y * kColumns + threadIdx.y);
    if (row >= m || column >= n) return;
    float sum = 0.0F;
    for (int i = 0; i < k; ++i)
        sum = fmaf(toFloat(a[static_cast<std::size_t>(row) * k + i]),
                   toFloat(b[static_cast<std::size_t>(i) * n + column]), sum);
    c[static_cast<std::size_t>(row) * n + column] = fromFloat<T>(sum);
}

void launch(const MatmulArguments& m, Stream stream) {
    const dim3 grid(static_cast<unsigned>(piecesOf(m.m, kRows)),
                    static_cast<unsigned>(piecesOf(m.n, kColumns)));
    withElementType(m, [&](auto* a, auto* b, auto* c) {
        matmulNaive<<<grid, dim3(kRows, kColumns), 0, stream>>>(a, b, c, m.m, m.n, m.k);
    });
    requireLaunched("matmul/naive");
}

std::vector<Expectation> expect(const Case& c) {
    const Extents e(c);
    const auto size = static_cast<double>(e.elementBytes), m = static_cast<double>(e.m);
    const auto warps = static_cast<double>(piecesOf(e.m, kRows) * e.n);
    const auto columnSteps = static_cast<double>(e.n * e.k);  // columns of C × steps of their sums
    std::vector<Expectation> list{
        {counter::kFp32Fma, e.products(), 0, "M·N·K"},
        {counter::kFp32Add, 0, 0, "none"},
        {counter::kGlobalLoadBytes,
         columnSteps * size * (m + static_cast<double>(piecesOf(e.m, kRows))), 0,
         "N·K·s·(M + ⌈M/32⌉)"},
        {counter::kGlobalStoreBytes, m * static_cast<double>(e.n) * size, 0, "M·N·s"},
        {counter::kGlobalLoads, 2 * warps * static_cast<double>(e.k), 0, "2·⌈M/32⌉·N·K"},
        {counter::kGlobalStores, warps, 0, "⌈M/32⌉·N"},
        {counter::kLocalBytes, 0, 0, "no spills, no local arrays"}};
    // Shorter rows may share a sector.
    constexpr std::int64_t kSectorBytes = 32;
    if (e.k * e.elementBytes >= kSectorBytes)
        list.push_back({counter::kGlobalLoadSectors,
                        columnSteps * (m + static_cast<double>(piecesOf(e.m, kRows))), 0,
                        "N·K·(M + ⌈M/32⌉)"});
    if (e.n * e.elementBytes >= kSectorBytes)
        list.push_back(
            {counter::kGlobalStoreSectors, m * static_cast<double>(e.n), 0, "M·N: one each"});
    return list;
}

}  // namespace
}  // namespace matmul

namespace rungs {
extern const Rung matmul_naive;
const Rung matmul_naive{
    .family = "matmul",
    .name = "naive",
    .order = 1,
    .summary = "a thread per element, the lanes of a warp in different rows: strided accesses",
    .fault = "global-uncoalesced",
    .cases = matmul::matmulCases,
    .verifyCases = matmul::matmulVerifyCases,
    .refusal = matmul::matmulRefusal,
    .make = matmul::makeMatmul<matmul::launch>,
    .expect = matmul::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
