// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope::inject {

/// The NVTX push/pop ranges that are open on one thread, per domain. A pop without a push (the push
/// came before roofscope was attached) is ignored.
class NvtxStack {
public:
    void push(std::uintptr_t domain, std::string name);
    void pop(std::uintptr_t domain);
    /// All open ranges, outermost first, joined by " > "; empty when none is open.
    [[nodiscard]] std::string path() const;
    /// Their names, outermost first; valid until the next push or pop.
    [[nodiscard]] std::vector<std::string_view> names() const;

    /// The stack of the calling thread.
    static NvtxStack& ofThread();

private:
    struct Open {
        std::uintptr_t domain;
        std::string name;
    };
    std::vector<Open> m_open;
};

}  // namespace roofscope::inject
