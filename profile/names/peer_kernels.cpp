// SPDX-License-Identifier: Apache-2.0
#include "profile/names/peer_kernels.h"

#include <cctype>

namespace roofscope {
namespace {

/// "_Z20ncclKernel_AllReduce…" → "ncclKernel_AllReduce…": the first identifier of a mangled symbol,
/// after any nesting and qualifier letters. Other symbols are returned unchanged.
std::string_view firstName(std::string_view symbol) {
    if (!symbol.starts_with("_Z")) return symbol;
    std::string_view rest = symbol.substr(2);
    // N: nested in a scope; L: internal linkage; K, V, r: qualifiers of a member.
    while (!rest.empty() && std::string_view("NLKVr").find(rest.front()) != rest.npos)
        rest.remove_prefix(1);
    std::size_t digits = 0, length = 0;
    while (digits < rest.size() && digits < 4 &&
           std::isdigit(static_cast<unsigned char>(rest[digits])))
        length = length * 10 + static_cast<std::size_t>(rest[digits++] - '0');
    if (digits == 0) return {};
    return rest.substr(digits, length);
}

}  // namespace

bool waitsForPeers(std::string_view kernelSymbol) {
    // NCCL since 2.18: ncclDevKernel_AllReduce_Sum_f32_RING_LL; before: ncclKernel_…, and before
    // 2.6 ncclAllReduceRingLLKernel_sum_f32. Symmetric kernels: ncclSymkDevKernel_…,
    // ncclSymDevKernel_….
    // NVSHMEM's own kernels: nvshmemi_…. Other names such as barrier_on_stream_kernel_threadgroup
    // are too general to count without its prefix.
    const std::string_view name = firstName(kernelSymbol);
    if (name.starts_with("nccl")) {
        // Not "ncclient_sort": NCCL continues in CamelCase.
        return name.size() > 4 && std::isupper(static_cast<unsigned char>(name[4]));
    }
    for (const std::string_view prefix : {"nvshmem_", "nvshmemi_", "nvshmemx_", "nvshmemid_"})
        if (name.starts_with(prefix)) return true;
    return false;
}

}  // namespace roofscope
