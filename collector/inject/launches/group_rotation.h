// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace roofscope::inject {

/// Chooses the next group of counters when groups take turns, so that every kind of
/// launch is measured with every group. It goes by what each kind still lacks, because
/// turns of fixed length could fall into step with a loop of the program. Callers decide
/// how much time switching may cost.
class GroupRotation {
public:
    /// There must be at least one group; group 0 is the first. A signature is done when its
    /// launches met each group `enough` times; 0: there is no end.
    explicit GroupRotation(std::size_t groups, std::uint32_t enough = 0)
        : m_groups(groups), m_enough(enough) {}

    /// Whether a launch of this signature, which is about to run, needs the current group. First
    /// each group has to be met once, then `enough` times, because a program may end early.
    [[nodiscard]] bool needsCurrent(std::uint64_t signature) const;
    /// The group that this launch needs instead: the one that its signature has met least. Empty if
    /// it needs the current group, or none any more.
    [[nodiscard]] std::optional<std::size_t> wanted(std::uint64_t signature) const;

    void switched(std::size_t group) { m_current = group; }
    /// A launch of this signature was issued under the current group. It counts even
    /// if its batch is lost later.
    void measured(std::uint64_t signature);

private:
    /// How often a kind of launch should meet each group, if it met some group only `least` times.
    [[nodiscard]] std::uint32_t goal(std::uint32_t least) const;

    std::size_t m_groups;
    std::uint32_t m_enough;
    std::size_t m_current = 0;
    /// By signature: how often it met each group.
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> m_met;
};

}  // namespace roofscope::inject
