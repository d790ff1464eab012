// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace roofscope::inject {

/// Chooses the next group of counters where groups take turns, so that every kind of launch is
/// measured with every group. It chooses by what each kind still lacks. Turns of fixed length could
/// fall into step with a loop of the program. Callers decide how much time switching may cost.
class GroupRotation {
public:
    /// `groups` at least 1; group 0 runs. Launches of one signature that met each group `enough`
    /// times need no more; 0: there is no end.
    explicit GroupRotation(std::size_t groups, std::uint32_t enough = 0)
        : m_groups(groups), m_enough(enough) {}

    /// Whether a launch of this signature, which is about to run, should meet the current group.
    /// First every group once, then each `enough` times: a program may end early.
    [[nodiscard]] bool needsCurrent(std::uint64_t signature) const;
    /// The group that this launch should meet instead: the one it has met least. Empty when it
    /// needs the current group, or none any more.
    [[nodiscard]] std::optional<std::size_t> wanted(std::uint64_t signature) const;

    void switched(std::size_t group) { m_current = group; }
    /// A launch of this signature was issued under the current group. It counts even when its batch
    /// is lost later.
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
