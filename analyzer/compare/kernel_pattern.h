// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/compare/kernel_identity.h"
#include "analyzer/model/analysis.h"

namespace roofscope {

class NamePattern;  // profile/names/name_pattern.h

/// Matches a name as reports show it, a full name, a function's bare name, or an NVTX range. With
/// "*" or "?" it is also a glob over the whole of any of these.
class KernelPattern {
public:
    explicit KernelPattern(std::string text);
    [[nodiscard]] bool matches(const KernelIdentity& kernel) const;
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    std::string m_text;
    std::shared_ptr<const NamePattern> m_glob;  ///< null without "*" and "?"
};

/// The kernels that a pattern means, as indices into Analysis::kernels. A pattern can be read in
/// these ways; the first one that fits any kernel is used:
/// 1. a name as reports show it, a full name, a function's bare name, or an NVTX range;
/// 2. with "*" or "?", a glob over the whole of any of these;
/// 3. whole words of the name or range: "copy_1b" finds "patterns/copy_1b/bytes=…";
/// 4. a part of any of these.
[[nodiscard]] std::vector<std::size_t> findKernels(const Analysis& analysis,
                                                   std::string_view pattern);

/// Names and NVTX ranges that are most similar to a pattern that found nothing, the nearest first.
[[nodiscard]] std::vector<std::string> nearNames(const Analysis& analysis, std::string_view pattern,
                                                 std::size_t most = 5);

}  // namespace roofscope
