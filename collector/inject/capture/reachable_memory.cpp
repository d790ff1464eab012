// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/capture/reachable_memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "collector/inject/launches/launch_arguments.h"

namespace roofscope::inject {

void ReachableMemory::arguments(std::span<const unsigned char> bytes) {
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size();
         at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if (mayBeAddress(word)) look(word);
    }
}

void ReachableMemory::contents(std::span<const unsigned char> bytes) {
    if (m_known.empty()) return;
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size();
         at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if (word < m_lowest || word > m_highest) continue;
        if (m_neighbourhoods.contains(word >> kNeighbourhoodBits)) look(word);
    }
}

std::optional<ReachedMemory> ReachableMemory::next() {
    if (m_ahead.empty()) return {};
    const ReachedMemory first = m_ahead.front();
    m_ahead.pop_front();
    return first;
}

bool ReachableMemory::isKnown(std::uint64_t address) const {
    auto after = m_known.upper_bound(address);
    if (after == m_known.begin()) return false;
    const ReachedMemory& before = *std::prev(after);
    return address - before.address < before.bytes;
}

void ReachableMemory::look(std::uint64_t word) {
    if (isKnown(word) || m_nothing.contains(word >> kGranuleBits) || gaveUp()) return;
    ++m_questions;
    const auto found = m_ask(word);
    if (!found) {
        m_nothing.insert(word >> kGranuleBits);
        return;
    }
    m_known.insert(*found);
    m_ahead.push_back(*found);
    const std::uint64_t home = found->address >> kNeighbourhoodBits;
    const std::uint64_t end = (found->address + found->bytes - 1) >> kNeighbourhoodBits;
    for (std::uint64_t n = home - std::min<std::uint64_t>(home, 1); n <= end + 1; ++n)
        m_neighbourhoods.insert(n);
    m_lowest = *m_neighbourhoods.begin() << kNeighbourhoodBits;
    m_highest = ((*m_neighbourhoods.rbegin() + 1) << kNeighbourhoodBits) - 1;
}

std::optional<ReachedMemory> memoryAt(const DriverApi& driver, std::uint64_t address) {
    // This query succeeds for any address and returns zeros for memory that the driver does not
    // know.
    CUdeviceptr start = 0;
    std::size_t bytes = 0;
    unsigned type = 0, managed = 0;
    int device = 0;
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void* values[] = {&start, &bytes, &type, &managed, &device};
    if (!driver.cuPointerGetAttributes ||
        driver.cuPointerGetAttributes(static_cast<unsigned>(std::size(attributes)), attributes,
                                      values, static_cast<CUdeviceptr>(address)) != CUDA_SUCCESS)
        return {};
    if (start == 0 || start > address || address - start >= bytes) return {};
    ReachedMemory found{.address = start, .bytes = bytes, .device = device};
    if (managed)
        found.kind = ReachedMemory::Kind::Managed;
    else if (type == CU_MEMORYTYPE_HOST)
        found.kind = ReachedMemory::Kind::Host;
    return found;
}

}  // namespace roofscope::inject
