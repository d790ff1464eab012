// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "importer/traces/trace_context.h"
#include "importer/traces/trace_rows.h"
#include "profile/model/call_sites.h"

namespace roofscope::traces {

/// Counts the places that launch kernels or call other CUDA functions. A place is an operator with
/// its tensor sizes, and a Python function.
class SiteCounter {
public:
    explicit SiteCounter(const NameTable& names) : m_names(names) {}

    void addLaunch(std::uint32_t kernel, const CallContext& context) {
        add({.kernel = kernel, .call = 0, .context = context});
    }
    /// `call` is the text number of the function's name.
    void addCall(std::uint32_t call, const CallContext& context) {
        if (context.op == 0 && context.python == 0 && context.backward == 0) return;
        add({.kernel = kNoKernel, .call = call, .context = context});
    }
    /// Returns the sites. A site with more than four different sizes is reported once, without
    /// sizes.
    [[nodiscard]] std::vector<CallSite> finish();
    [[nodiscard]] std::uint64_t leftOut() const { return m_leftOut; }

private:
    static constexpr std::uint32_t kNoKernel = 0xFFFF'FFFF;
    struct Key {
        std::uint32_t kernel = kNoKernel, call = 0;
        CallContext context;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    void add(Key key);

    const NameTable& m_names;
    std::unordered_map<Key, std::uint64_t, Hash> m_counts;
    std::uint64_t m_leftOut = 0;
};

}  // namespace roofscope::traces
