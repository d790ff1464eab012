// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "extract/driver/cuda_driver.h"
#include "extract/driver/launch_description.h"

namespace roofscope::replay {

/// Thrown if an address that the launch used belongs to something else in this process. Another
/// process has other addresses in use, so it is worth starting again.
struct AddressTaken {
    std::uint64_t address = 0, bytes = 0;
};

/// GPU memory at the addresses that it had in the program, so that no pointer has to be changed.
/// Never given back: the process ends with the replay.
class FixedMemory {
public:
    /// What the launch did not have: the rest of a page of the virtual-memory system.
    struct Gap {
        std::uint64_t address = 0, bytes = 0;
    };

    /// Reserves the addresses of all allocations of the launch. Variables have none here.
    FixedMemory(const CudaDriver& driver, const LaunchDescription& launch, int device)
        : m_driver(driver) {
        AllocationProperties properties;
        properties.location.id = device;
        std::size_t page = 0;
        m_driver.check(m_driver.granularity(&page, &properties, 0), "asking for the page size");
        std::vector<Gap> parts;
        for (const auto& region : launch.regions)
            if (region.variable.empty()) parts.push_back({region.address, region.bytes});
        const auto byAddress = [](const Gap& a, const Gap& b) { return a.address < b.address; };
        std::sort(parts.begin(), parts.end(), byAddress);
        for (const Gap& part : parts) {
            const std::uint64_t first = part.address / page * page;
            const std::uint64_t end = (part.address + part.bytes + page - 1) / page * page;
            if (!m_spans.empty() && first <= m_spans.back().address + m_spans.back().bytes) {
                Gap& last = m_spans.back();
                last.bytes = std::max(last.bytes, end - last.address);
            } else {
                m_spans.push_back({first, end - first});
            }
        }
        for (const Gap& span : m_spans) reserve(span, page);
        for (const Gap& span : m_spans) map(span, properties);
        findGaps(parts);
    }

    [[nodiscard]] const std::vector<Gap>& gaps() const { return m_gaps; }
    /// Bytes of GPU memory.
    [[nodiscard]] std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const Gap& span : m_spans) sum += span.bytes;
        return sum;
    }

private:
    void reserve(const Gap& span, std::size_t page) {
        DevicePointer got = 0;
        const Status status = m_driver.reserve(&got, span.bytes, page, span.address, 0);
        if (status == 0 && got == span.address) return;
        if (status == 0) m_driver.unreserve(got, span.bytes);
        throw AddressTaken{span.address, span.bytes};
    }

    void map(const Gap& span, const AllocationProperties& properties) {
        unsigned long long memory = 0;
        m_driver.check(m_driver.createMemory(&memory, span.bytes, &properties, 0),
                       "allocating " + std::to_string(span.bytes) + " bytes of GPU memory");
        m_driver.check(m_driver.mapMemory(span.address, span.bytes, 0, memory, 0),
                       "placing memory at its address");
        AccessDescription access;
        access.location = properties.location;
        m_driver.check(m_driver.setAccess(span.address, span.bytes, &access, 1),
                       "making memory accessible");
    }

    /// What lies in the spans and in no part; `parts` are in order.
    void findGaps(const std::vector<Gap>& parts) {
        std::size_t next = 0;
        for (const Gap& span : m_spans) {
            std::uint64_t at = span.address;
            const std::uint64_t end = span.address + span.bytes;
            for (; next < parts.size() && parts[next].address < end; ++next) {
                if (parts[next].address > at) m_gaps.push_back({at, parts[next].address - at});
                at = std::max(at, parts[next].address + parts[next].bytes);
            }
            if (at < end) m_gaps.push_back({at, end - at});
        }
    }

    const CudaDriver& m_driver;
    std::vector<Gap> m_spans, m_gaps;
};

}  // namespace roofscope::replay
