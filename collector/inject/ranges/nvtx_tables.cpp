// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/ranges/nvtx_tables.h"

#include <atomic>
#include <cstddef>

// The arguments of NVTX calls, as CUPTI passes them.
#include <generated_nvtx_meta.h>

namespace roofscope::inject::nvtx {
namespace {

constexpr std::uint32_t kCallbacks = 1;  // NVTX_ETID_CALLBACKS
struct Callbacks {
    std::size_t size;
    int (*getModuleFunctionTable)(int module, Function*** table, unsigned* size);
};

std::atomic<RangeHandler> g_handler{nullptr};

/// What push and pop return if nobody counts the nesting depth.
constexpr int kNotTracked = -2;  // NVTX_NO_PUSH_POP_TRACKING

int handle(CUpti_CallbackId id, const void* parameters) {
    if (const RangeHandler handler = g_handler) handler(id, parameters);
    return kNotTracked;
}

int pushEx(const nvtxEventAttributes_t* attributes) {
    const nvtxRangePushEx_params parameters{attributes};
    return handle(CUPTI_CBID_NVTX_nvtxRangePushEx, &parameters);
}

int pushA(const char* message) {
    const nvtxRangePushA_params parameters{message};
    return handle(CUPTI_CBID_NVTX_nvtxRangePushA, &parameters);
}

/// The name is lost, but the range must begin: otherwise its pop would end another range.
int pushW(const wchar_t*) { return pushA(nullptr); }

int pop() { return handle(CUPTI_CBID_NVTX_nvtxRangePop, nullptr); }

int domainPushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
    const nvtxDomainRangePushEx_params parameters{domain, {attributes}};
    return handle(CUPTI_CBID_NVTX_nvtxDomainRangePushEx, &parameters);
}

int domainPop(nvtxDomainHandle_t domain) {
    const nvtxDomainRangePop_params parameters{domain};
    return handle(CUPTI_CBID_NVTX_nvtxDomainRangePop, &parameters);
}

}  // namespace

std::span<Function*> functionsOf(ExportTables tables, int module) {
    const auto* callbacks = static_cast<const Callbacks*>(tables ? tables(kCallbacks) : nullptr);
    Function** table = nullptr;
    unsigned size = 0;
    if (!callbacks || !callbacks->getModuleFunctionTable ||
        !callbacks->getModuleFunctionTable(module, &table, &size) || !table)
        return {};
    return {table, size};
}

bool takeRanges(ExportTables tables, RangeHandler handler) {
    const auto core = functionsOf(tables, kCore), core2 = functionsOf(tables, kCore2);
    if (core.size() <= kRangePop || core2.size() <= kDomainRangePop) return false;
    for (const unsigned index : {kRangePushEx, kRangePushA, kRangePushW, kRangePop})
        if (!core[index]) return false;
    for (const unsigned index : {kDomainRangePushEx, kDomainRangePop})
        if (!core2[index]) return false;
    g_handler = handler;
    *core[kRangePushEx] = reinterpret_cast<Function>(&pushEx);
    *core[kRangePushA] = reinterpret_cast<Function>(&pushA);
    *core[kRangePushW] = reinterpret_cast<Function>(&pushW);
    *core[kRangePop] = reinterpret_cast<Function>(&pop);
    *core2[kDomainRangePushEx] = reinterpret_cast<Function>(&domainPushEx);
    *core2[kDomainRangePop] = reinterpret_cast<Function>(&domainPop);
    return true;
}

}  // namespace roofscope::inject::nvtx
