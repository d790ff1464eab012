// SPDX-License-Identifier: Apache-2.0
#include "profile/names/peer_kernels.h"

#include <cctype>

namespace roofscope {
namespace {

/// "_Z20ncclKernel_AllReduce…" → "ncclKernel_AllReduce…": the first name of a mangled symbol, with
/// the scopes and template marks before it skipped; other symbols as they are.
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
    // NCCL since 2.18: ncclDevKernel_AllReduce_Sum_f32_RING_LL; before: ncclKernel_…, and
    // ncclAllReduceRingLLKernel_sum_f32 before 2.6; symmetric kernels: ncclSymkDevKernel_…,
    // ncclSymDevKernel_….
    // NVSHMEM's own kernels: nvshmemi_…, barrier_on_stream_kernel_threadgroup and the like are too
    // general to be told by name, except with its prefix.
    const std::string_view name = firstName(kernelSymbol);
    if (name.starts_with("nccl")) {
        // "ncclient_sort" is none of it: NCCL continues in CamelCase.
        return name.size() > 4 && std::isupper(static_cast<unsigned char>(name[4]));
    }
    for (const std::string_view prefix : {"nvshmem_", "nvshmemi_", "nvshmemx_", "nvshmemid_"})
        if (name.starts_with(prefix)) return true;
    return false;
}

}  // namespace roofscope
