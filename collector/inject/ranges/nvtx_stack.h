// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace roofscope::inject {

/// The NVTX push/pop ranges that are open on one thread, per domain. A pop without a push (the push
/// came before roofscope was attached) is ignored.
class NvtxStack {
public:
    /// Numbers that callers give to a range; 0: they do not follow it.
    struct Marks {
        std::uint64_t tag = 0;   ///< of a range that is measured as a whole
        std::uint64_t span = 0;  ///< of its occurrence in the timeline
    };
    /// A range with an empty name is ignored, but it is stored so that its pop finds it. If too
    /// many ranges are open, the oldest is forgotten and its marks are returned.
    Marks push(std::uintptr_t domain, std::string name);
    /// Returns the marks of the range that ended.
    Marks pop(std::uintptr_t domain);
    /// Marks the innermost range; the mark must not be 0.
    void tag(std::uint64_t tag);
    void follow(std::uint64_t span);
    /// How many open ranges have a tag.
    [[nodiscard]] std::uint32_t tagged() const;
    /// All open ranges, outermost first, joined by " > "; empty if none is open. Valid until the
    /// next push or pop, as are the names.
    [[nodiscard]] const std::string& path() const;
    /// Names of the open ranges, outermost first; empty for a range without a name.
    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }
    /// The answer of `judge` about the names, remembered until the next push or pop. All calls must
    /// pass the same judge.
    template <class Judge>
    [[nodiscard]] bool judged(const Judge& judge) const {
        if (!m_judgement) m_judgement = judge(m_names);
        return *m_judgement;
    }

    /// The stack of the calling thread.
    static NvtxStack& perThread();

private:
    struct Open {
        std::uintptr_t domain;
        Marks marks;
    };
    void changed();

    std::vector<Open> m_open;
    std::vector<std::string> m_names;  ///< of m_open
    mutable std::optional<std::string> m_path;
    mutable std::optional<bool> m_judgement;
};

}  // namespace roofscope::inject
