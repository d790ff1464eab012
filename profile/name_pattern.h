// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "profile/result.h"

namespace re2 {
class RE2;
}

namespace roofscope {

/// A regular expression (RE2: no back references, no lookaround) that is looked for anywhere in the
/// names of kernels and ranges. Both come from elsewhere: matching takes time in proportion to the
/// name, whatever the expression, and a whole name is looked at, however long.
class NamePattern {
public:
    /// Usage errors say what is wrong with the expression; `where` is left to the caller.
    static Result<NamePattern> compile(const std::string& expression);
    [[nodiscard]] bool matches(std::string_view name) const;
    /// Of a kernel: in its demangled name, or in its base name (functionBaseName()), so that
    /// "^gemm$" finds "void ns::gemm<float>(float*)"; of Numba also in the name that reports show
    /// (numbaName()). Every option that chooses kernels by a
    /// pattern asks this.
    [[nodiscard]] bool matchesKernel(std::string_view demangled) const;

private:
    explicit NamePattern(std::shared_ptr<const re2::RE2> pattern) : m_pattern(std::move(pattern)) {}
    std::shared_ptr<const re2::RE2> m_pattern;
};

}  // namespace roofscope
