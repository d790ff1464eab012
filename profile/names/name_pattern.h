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

/// A pattern for the names of kernels and ranges: a regular expression (RE2: no back references, no
/// lookaround) that may match anywhere in the name, or a glob that must match all of it. Patterns
/// and names are untrusted: RE2 takes time linear in the name, whatever the pattern, and names of
/// any length are matched whole.
class NamePattern {
public:
    /// Errors: Usage, with what is wrong in the expression; the caller sets `where`.
    static Result<NamePattern> compile(const std::string& expression);
    /// A pattern that must match the whole name: "*" stands for any bytes, "?" for one byte,
    /// everything else for itself.
    static NamePattern glob(std::string_view text);
    [[nodiscard]] bool matches(std::string_view name) const;
    /// Matches a kernel by its demangled name or its base name (functionBaseName()), so that
    /// "^gemm$" finds "void ns::gemm<float>(float*)". For Numba also by the name that reports show
    /// (numbaName()). Every option that chooses kernels by a pattern uses this.
    [[nodiscard]] bool matchesKernel(std::string_view demangled) const;

private:
    explicit NamePattern(std::shared_ptr<const re2::RE2> pattern) : m_pattern(std::move(pattern)) {}
    std::shared_ptr<const re2::RE2> m_pattern;
};

}  // namespace roofscope
