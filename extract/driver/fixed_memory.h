// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "extract/driver/cuda_driver.h"
#include "extract/driver/launch_description.h"

namespace roofscope::replay {

/// Thrown if an address that the launch used is already in use in this process. Another process may
/// have it free, so it is worth starting again.
struct AddressTaken {
    std::uint64_t address = 0, bytes = 0;
};

/// GPU memory at the addresses that it had in the program, so that pointers stay valid. It is never
/// freed: the process ends with the replay.
class FixedMemory {
public:
    /// Memory that the launch did not have: the rest of a virtual-memory page.
    struct Gap {
        std::uint64_t address = 0, bytes = 0;
    };

    /// Reserves the addresses of all the launch's allocations, but not of variables. Call this
    /// before creating a context, whose own memory could take the addresses.
    FixedMemory(const CudaDriver& driver, const LaunchDescription& launch, int device)
        : m_driver(driver) {
        m_properties.location.id = device;
        m_driver.check(m_driver.granularity(&m_page, &m_properties, 0), "asking for the page size");
        for (const auto& region : launch.regions)
            if (region.variable.empty()) m_parts.push_back({region.address, region.bytes});
        const auto byAddress = [](const Gap& a, const Gap& b) { return a.address < b.address; };
        std::sort(m_parts.begin(), m_parts.end(), byAddress);
        m_spans = rounded(m_parts, m_page);
        for (const Gap& slot : rounded(m_spans, std::max(m_page, kSlot))) reserve(slot);
    }

    /// Maps memory at the reserved addresses, in the current context.
    void map() {
        for (const Gap& span : m_spans) map(span);
        findGaps(m_parts);
    }

    [[nodiscard]] const std::vector<Gap>& gaps() const { return m_gaps; }
    /// Bytes of GPU memory in use.
    [[nodiscard]] std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const Gap& span : m_spans) sum += span.bytes;
        return sum;
    }

private:
    /// The driver hands out addresses in slots of this size. It serves a smaller reservation from a
    /// slot that is already in use, whatever address is asked for, and rounds the requested address
    /// up to a slot. Measured with driver 580 on an H200.
    static constexpr std::size_t kSlot = std::size_t{32} << 20;

    /// The spans that these parts (in order) cover in units of `unit` bytes; adjacent ones are
    /// merged.
    static std::vector<Gap> rounded(const std::vector<Gap>& parts, std::size_t unit) {
        std::vector<Gap> spans;
        for (const Gap& part : parts) {
            const std::uint64_t first = part.address / unit * unit;
            const std::uint64_t end = (part.address + part.bytes + unit - 1) / unit * unit;
            if (!spans.empty() && first <= spans.back().address + spans.back().bytes) {
                Gap& last = spans.back();
                last.bytes = std::max(last.bytes, end - last.address);
            } else {
                spans.push_back({first, end - first});
            }
        }
        return spans;
    }

    void reserve(const Gap& slot) {
        DevicePointer got = 0;
        if (m_driver.reserve(&got, slot.bytes, m_page, slot.address, 0) == 0 && got == slot.address)
            return;
        throw AddressTaken{slot.address, slot.bytes};
    }

    void map(const Gap& span) {
        unsigned long long memory = 0;
        m_driver.check(m_driver.createMemory(&memory, span.bytes, &m_properties, 0),
                       "allocating " + std::to_string(span.bytes) + " bytes of GPU memory");
        m_driver.check(m_driver.mapMemory(span.address, span.bytes, 0, memory, 0),
                       "placing memory at its address");
        AccessDescription access;
        access.location = m_properties.location;
        m_driver.check(m_driver.setAccess(span.address, span.bytes, &access, 1),
                       "making memory accessible");
    }

    /// Finds what lies in a span but in no part; `parts` are in order.
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
    AllocationProperties m_properties;
    std::size_t m_page = 0;
    std::vector<Gap> m_parts, m_spans, m_gaps;
};

}  // namespace roofscope::replay
