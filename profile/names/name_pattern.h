// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "profile/errors/result.h"

namespace re2 {
class RE2;
}

namespace roofscope {

/// A regular expression (RE2: no back references, no lookaround) that is looked for anywhere in the
/// names of kernels and ranges, or a glob over the whole of them. Both come from elsewhere:
/// matching takes time in proportion to the name, whatever the pattern, and a whole name is looked
/// at, however long.
class NamePattern {
public:
    /// Usage errors say what is wrong with the expression; `where` is left to the caller.
    static Result<NamePattern> compile(const std::string& expression);
    /// One that a whole name has to fit: "*" stands for any bytes, "?" for one, everything else for
    /// itself.
    static NamePattern glob(std::string_view text);
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
