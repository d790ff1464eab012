// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace roofscope::inject {

/// Chooses the next group of counters when groups take turns, so that every kind of launch is
/// measured with every group. It chooses by what each kind still lacks: turns of fixed length could
/// fall into step with a loop of the program. Callers decide how much time may be spent on
/// switching.
class GroupRotation {
public:
    /// There must be at least one group; group 0 is the first. A signature is complete when each
    /// group has measured `enough` of its launches; 0: no limit.
    explicit GroupRotation(std::size_t groups, std::uint32_t enough = 0)
        : m_groups(groups), m_enough(enough) {}

    /// Whether the next launch, of this signature, needs the current group. Every group first
    /// measures one launch, and only then up to `enough`, because a program may end early.
    [[nodiscard]] bool needsCurrent(std::uint64_t signature) const;
    /// The group that this launch needs instead: the one that has measured the fewest launches of
    /// its signature. Empty if it needs the current group or none any more.
    [[nodiscard]] std::optional<std::size_t> wanted(std::uint64_t signature) const;

    void switched(std::size_t group) { m_current = group; }
    /// A launch of this signature was issued under the current group. It counts even
    /// if its batch is lost later.
    void measured(std::uint64_t signature);

private:
    /// How often every group should measure a kind of launch, if some group has measured it `least`
    /// times.
    [[nodiscard]] std::uint32_t goal(std::uint32_t least) const;

    std::size_t m_groups;
    std::uint32_t m_enough;
    std::size_t m_current = 0;
    /// By signature: how many launches each group has measured.
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> m_met;
};

}  // namespace roofscope::inject
