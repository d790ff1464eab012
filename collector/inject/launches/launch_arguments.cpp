// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/launch_arguments.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace roofscope::inject {
namespace {

/// 64-bit drivers use no addresses below 4 GiB or beyond 57 bits, so most counts, sizes and pairs
/// of floats are skipped without asking the driver.
constexpr std::uint64_t kLowestAddress = 1ULL << 32;
constexpr std::uint64_t kHighestAddress = 1ULL << 57;

/// The packed parameter buffer of `extra`: a list of keys and values that ends with an END key.
struct Packed {
    const unsigned char* data = nullptr;
    std::size_t bytes = 0;
};

Packed packedParameters(void** extra) {
    constexpr int kMostKeys = 4;  // three keys exist
    Packed packed;
    for (int i = 0; i < kMostKeys && *extra != CU_LAUNCH_PARAM_END; ++i, extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            packed.data = static_cast<const unsigned char*>(extra[1]);
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
            packed.bytes = *static_cast<const std::size_t*>(extra[1]);
    }
    return packed;
}

}  // namespace

bool mayBeAddress(std::uint64_t value) {
    return value >= kLowestAddress && value < kHighestAddress;
}

std::optional<ParameterLayout> allParameters(const DriverApi& driver, CUfunction function,
                                             std::size_t most) {
    if (!driver.cuFuncGetParamInfo) return {};
    ParameterLayout layout;
    std::size_t total = 0;
    // The driver ends the list with an error; the limit is for a driver that never returns one.
    for (std::uint32_t index = 0; index < most; ++index) {
        std::size_t offset = 0, bytes = 0;
        const CUresult result = driver.cuFuncGetParamInfo(function, index, &offset, &bytes);
        // Past the last parameter; any other failure leaves the layout unknown.
        if (result == CUDA_ERROR_INVALID_VALUE) break;
        if (result != CUDA_SUCCESS) return {};
        if (bytes > most || (total += bytes) > most) return {};
        layout.push_back({.index = index, .offset = offset, .bytes = bytes});
    }
    return layout;
}

const unsigned char* parameterBytes(const LaunchParameters& parameters,
                                    const ParameterPlace& place) {
    if (parameters.kernelParams)
        return static_cast<const unsigned char*>(parameters.kernelParams[place.index]);
    if (!parameters.extra) return nullptr;
    const Packed packed = packedParameters(parameters.extra);
    if (!packed.data || place.offset > packed.bytes || place.bytes > packed.bytes - place.offset)
        return nullptr;
    return packed.data + place.offset;
}

std::optional<ParameterLayout> parameterLayout(const DriverApi& driver, CUfunction function) {
    auto layout = allParameters(driver, function, kMostParameterBytes);
    if (layout)
        std::erase_if(*layout, [](const ParameterPlace& place) {
            return place.bytes < sizeof(std::uint64_t);
        });
    return layout;
}

bool addPointerWords(const ParameterLayout& layout, const LaunchParameters& parameters,
                     std::vector<PointerWord>& words) {
    const std::size_t first = words.size();
    for (const ParameterPlace& place : layout) {
        const unsigned char* const data = parameterBytes(parameters, place);
        if (!data) return false;
        for (std::size_t at = 0; at + sizeof(std::uint64_t) <= place.bytes;
             at += sizeof(std::uint64_t)) {
            PointerWord word{.parameter = place.index};
            std::memcpy(&word.value, data + at, sizeof word.value);
            if (mayBeAddress(word.value)) words.push_back(word);
        }
    }
    return words.size() - first <= kMostWords;
}

std::optional<BufferTable::Allocation> allocationOf(const DriverApi& driver,
                                                    std::uint64_t address) {
    // This query succeeds for any number and returns zeros for memory that the driver does not
    // know.
    CUdeviceptr start = 0;
    std::size_t bytes = 0;
    unsigned long long id = 0;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                        CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                        CU_POINTER_ATTRIBUTE_BUFFER_ID};
    void* values[] = {&start, &bytes, &id};
    if (!driver.cuPointerGetAttributes ||
        driver.cuPointerGetAttributes(static_cast<unsigned>(std::size(attributes)), attributes,
                                      values, static_cast<CUdeviceptr>(address)) != CUDA_SUCCESS)
        return {};
    if (start == 0 || start > address || address - start >= bytes) return BufferTable::Allocation{};
    return BufferTable::Allocation{.start = start, .bytes = bytes, .id = id};
}

std::optional<std::vector<BufferArgument>> bufferArguments(std::span<const PointerWord> words,
                                                           const AskForAllocation& ask,
                                                           BufferTable& table, SpoolWriter& spool) {
    std::vector<BufferArgument> list;
    for (const PointerWord& word : words) {
        const auto allocation = ask(word.value);
        if (!allocation) return {};
        if (allocation->bytes == 0) continue;
        if (list.size() == kMostPointers) return {};
        const auto entry = table.number(word.value, *allocation);
        if (!entry) return {};
        if (entry->added) spool.buffer(entry->number, *entry->added);
        list.push_back({.buffer = entry->number, .parameter = word.parameter});
    }
    return list;
}

std::optional<BufferTable::Entry> BufferTable::number(std::uint64_t pointer,
                                                      const Allocation& allocation) {
    if (pointer < allocation.start || pointer - allocation.start >= allocation.bytes) return {};
    auto it = m_allocations.find(allocation.start);
    if (it != m_allocations.end() &&
        (it->second.bytes != allocation.bytes || it->second.id != allocation.id)) {
        m_allocations.erase(it);
        it = m_allocations.end();
    }
    if (it != m_allocations.end())
        if (const auto known = it->second.buffers.find(pointer); known != it->second.buffers.end())
            return Entry{.number = known->second};
    if (m_nextBuffer >= kMostBuffers) return {};
    if (it == m_allocations.end())
        it = m_allocations
                 .emplace(allocation.start, Known{.bytes = allocation.bytes,
                                                  .id = allocation.id,
                                                  .number = m_nextAllocation++})
                 .first;
    it->second.buffers.emplace(pointer, m_nextBuffer);
    const std::uint64_t offset = pointer - allocation.start;
    return Entry{.number = m_nextBuffer++,
                 .added = Buffer{.allocation = it->second.number,
                                 .offsetBytes = offset,
                                 .bytes = allocation.bytes - offset}};
}

void BufferTable::written(std::uint64_t address) {
    auto it = m_allocations.upper_bound(address);
    if (it == m_allocations.begin()) return;
    --it;
    // The length of the write is ignored: all pointers into the allocation get new numbers.
    if (address - it->first < it->second.bytes) it->second.buffers.clear();
}

void BufferTable::writtenAnywhere() {
    for (auto& [start, allocation] : m_allocations) allocation.buffers.clear();
}

}  // namespace roofscope::inject
