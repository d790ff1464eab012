// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace roofscope::inject {

/// Which group of counters is to run when groups take turns, so that every kind of launch meets
/// every group. Goes by what each kind has met so far and not by turns of fixed length, which a
/// loop of the program could keep step with. Knows nothing of time; callers decide what a switch
/// may cost.
class GroupRotation {
public:
    /// `groups` at least 1; group 0 runs. Launches of one signature that met each group `enough`
    /// times need no more; 0: there is no end.
    explicit GroupRotation(std::size_t groups, std::uint32_t enough = 0)
        : m_groups(groups), m_enough(enough) {}

    [[nodiscard]] std::size_t current() const { return m_current; }
    /// The group that a launch of this signature, which is about to run, should meet instead of the
    /// current one: one that it never met, when it has met the current one; one that is well
    /// behind; or one that it still needs, when it does not need the current one.
    [[nodiscard]] std::optional<std::size_t> wanted(std::uint64_t signature) const;
    /// Whether launches of this signature have met every group often enough.
    [[nodiscard]] bool satisfied(std::uint64_t signature) const;
    /// The group that most signatures have met less often than the current one; the current one
    /// when there is none. For when a switch costs nothing.
    [[nodiscard]] std::size_t mostWanted() const;

    void switched(std::size_t group) { m_current = group; }
    /// A launch of this signature was issued under the current group. It counts even when its batch
    /// is lost later.
    void measured(std::uint64_t signature);

private:
    std::size_t m_groups;
    std::uint32_t m_enough;
    std::size_t m_current = 0;
    /// By signature: how often it met each group.
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> m_met;
};

}  // namespace roofscope::inject
