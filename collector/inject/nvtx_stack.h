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
    /// Returns the tag of a range that had to be forgotten because too many are open, else 0.
    std::uint64_t push(std::uintptr_t domain, std::string name);
    /// Returns the tag of the range that ended, or 0.
    std::uint64_t pop(std::uintptr_t domain);
    /// Marks the innermost range as one that the caller follows; not 0.
    void tag(std::uint64_t tag);
    /// How many open ranges have a tag.
    [[nodiscard]] std::uint32_t tagged() const;
    /// All open ranges, outermost first, joined by " > "; empty when none is open. Valid until the
    /// next push or pop, as are the names.
    [[nodiscard]] const std::string& path() const;
    /// Their names, outermost first.
    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }
    /// What `judge` says of the names; asked again only after a push or pop. Always the same judge.
    template <class Judge>
    [[nodiscard]] bool judged(const Judge& judge) const {
        if (!m_judgement) m_judgement = judge(m_names);
        return *m_judgement;
    }

    /// The stack of the calling thread.
    static NvtxStack& ofThread();

private:
    struct Open {
        std::uintptr_t domain;
        std::uint64_t tag = 0;
    };
    void changed();

    std::vector<Open> m_open;
    std::vector<std::string> m_names;  ///< of m_open
    mutable std::optional<std::string> m_path;
    mutable std::optional<bool> m_judgement;
};

}  // namespace roofscope::inject
