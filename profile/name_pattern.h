// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex>
#include <string>
#include <string_view>

#include "profile/result.h"

namespace roofscope {

/// A regular expression (ECMAScript) that is looked for anywhere in the names of kernels and
/// ranges. Both come from elsewhere: neither a long name nor a costly expression may hang or crash
/// us.
class NamePattern {
public:
    /// Usage errors say what is wrong with the expression; `where` is left to the caller.
    static Result<NamePattern> compile(const std::string& expression);
    /// An error when the expression is too complex for this name. Long names are looked at up to a
    /// limit.
    [[nodiscard]] Result<bool> matches(std::string_view name) const;

private:
    explicit NamePattern(std::regex pattern) : m_pattern(std::move(pattern)) {}
    std::regex m_pattern;
};

}  // namespace roofscope
