// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <string>

#include "analyzer/model/analysis.h"

namespace roofscope {

/// How busy one resource of the GPU is during a kernel.
struct Resource {
    ResourceId id = ResourceId::Dram;
    bool memory = false;    ///< memory resource, else compute
    double busy = 0;        ///< share of what can be attained, 0–1 (noise may exceed 1)
    double ofRoof = 0;      ///< share of the theoretical roof
    bool measured = false;  ///< what can be attained was measured on this GPU
};

/// All resources that were measured.
struct Resources {
    /// Rules build Resources a dozen times per kernel, so the items need no heap memory.
    class Items {
    public:
        void push_back(const Resource& item) { m_items.at(m_size++) = item; }
        [[nodiscard]] const Resource* begin() const { return m_items.data(); }
        [[nodiscard]] const Resource* end() const { return m_items.data() + m_size; }
        [[nodiscard]] bool empty() const { return m_size == 0; }

    private:
        std::array<Resource, 17> m_items;  ///< one less than ResourceId: L1 or its data pipe
        std::size_t m_size = 0;
    };
    Items items;
    std::string missing;  ///< counters of unmeasured resources, comma separated

    /// The resource, or null; `L1` also finds its data pipe, where that represents the L1.
    [[nodiscard]] const Resource* find(ResourceId id) const;
    /// Busy share, 0 when the resource was not measured.
    [[nodiscard]] double busy(ResourceId id) const;
    [[nodiscard]] const Resource* busiestMemory() const;
    /// The busiest arithmetic pipe; instruction issue only when it reaches `kBusyShare` and no pipe
    /// does, or leads the special-function unit by `kLead`.
    [[nodiscard]] const Resource* busiestCompute() const;
    [[nodiscard]] const Resource* busiest() const;
    /// Highest busy share of all resources except `ids`, at most 1. Excluding the L2 also excludes
    /// its tags, because fewer L2 bytes need fewer look-ups; excluding instruction issue also
    /// excludes LSU requests and the SM's total, because fewer instructions make fewer of them.
    [[nodiscard]] double busiestExcept(std::initializer_list<ResourceId> ids) const;
    [[nodiscard]] Resources without(ResourceId id) const;
};

/// From this share on a resource limits a kernel; below it, latency does (rules.md, verdict).
inline constexpr double kBusyShare = 0.60;
/// From this share on a resource is at its roof: only fewer bytes or less work help.
inline constexpr double kNearRoofShare = 0.80;
/// A resource leads when it is this much busier than the next.
inline constexpr double kLead = 0.10;

/// From this share of the most block starts on, starting blocks is what a kernel waits for. Below,
/// blocks start while others run, and their number limits nothing.
inline constexpr double kBlockStartsLimit = 0.85;

/// The resource that something belongs to: the data pipe belongs to the L1.
[[nodiscard]] constexpr ResourceId ownerOf(ResourceId id) {
    return id == ResourceId::L1DataPipe ? ResourceId::L1 : id;
}

/// The memory level of a resource; absent for arithmetic and issue.
[[nodiscard]] std::optional<Level> levelOf(ResourceId id);

/// Busy shares of a group's resources.
///
/// DRAM is judged against what the kernel's own mix of reads and writes can attain, because nothing
/// reaches the theoretical roof: as measured on this GPU by `roofscope ceilings`, else as on an
/// H200 (copy 0.885, read 0.938). The other roofs are theoretical. L1 and shared memory use the
/// same data stage (`l1tex__data_pipe_lsu_wavefronts`): it counts as "shared pipe" if at least half
/// of its wavefronts are shared-memory accesses, else as the L1. "L2 atomics" is the atomic unit of
/// the busiest L2 slice; "L2 tags" are the look-ups of all slices. A total of Nsight Compute counts
/// as a resource if no other explains it. What a total below kBusyShare covers is not missing.
[[nodiscard]] Resources resourcesOf(const Quantities& quantities);

/// The busier of the two pipes that compute with integers.
[[nodiscard]] const Derived<Ratio>& integerUse(const Quantities& quantities);

/// FP16 operations are an upper bound, because conversions and constants count as well. They matter
/// only if they outnumber what conversions of the kernel's FP32 values would explain.
[[nodiscard]] bool fp16CanMatter(const Quantities& q);

}  // namespace roofscope
