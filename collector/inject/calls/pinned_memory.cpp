// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/calls/pinned_memory.h"

#include <algorithm>

namespace roofscope::inject {
namespace {

constexpr CUpti_CallbackId kPinningCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2,    CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc,
    CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc_v2,    CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister,
    CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2, CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost,
    CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister,
};

}  // namespace

std::span<const CUpti_CallbackId> PinnedMemory::calls() { return kPinningCalls; }

void PinnedMemory::succeeded(CUpti_CallbackId id, const void* parameters) {
    // The parameters begin with the pointer (or where to store it), followed by the size.
    const auto& allocated = *static_cast<const cuMemHostAlloc_params*>(parameters);
    const auto& registered = *static_cast<const cuMemHostRegister_v2_params*>(parameters);
    switch (id) {
        case CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2:
        case CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc:
        case CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc_v2:
            return add(allocated.pp ? *allocated.pp : nullptr, allocated.bytesize);
        case CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister:
        case CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2:
            return add(registered.p, registered.bytesize);
        case CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost:
        case CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister:
            return remove(registered.p);
        default:
            return;
    }
}

std::uint64_t PinnedMemory::most() const {
    const std::lock_guard lock(m_mutex);
    return m_most;
}

void PinnedMemory::add(const void* begin, std::uint64_t bytes) {
    const std::lock_guard lock(m_mutex);
    if (!begin || !m_held.try_emplace(begin, bytes).second) return;
    m_now += bytes;
    m_most = std::max(m_most, m_now);
}

void PinnedMemory::remove(const void* begin) {
    const std::lock_guard lock(m_mutex);
    const auto it = m_held.find(begin);
    if (it == m_held.end()) return;
    m_now -= it->second;
    m_held.erase(it);
}

}  // namespace roofscope::inject
