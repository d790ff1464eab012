// SPDX-License-Identifier: Apache-2.0
#include "profile/names/name_pattern.h"

#include <re2/re2.h>

#include "profile/errors/usage_error.h"
#include "profile/names/function_name.h"
#include "profile/names/numba_name.h"

namespace roofscope {

namespace {

re2::RE2::Options patternOptions() {
    re2::RE2::Options options;
    options.set_log_errors(false);  // in a profiled program we may not write to its output
    options.set_dot_nl(true);       // names may contain newlines
    return options;
}

}  // namespace

Result<NamePattern> NamePattern::compile(const std::string& expression) {
    constexpr std::size_t kMaxPattern = 1000;
    if (expression.size() > kMaxPattern) return usageError("the pattern is too long");
    auto pattern = std::make_shared<const re2::RE2>(expression, patternOptions());
    if (!pattern->ok()) return usageError("not a regular expression (RE2): " + pattern->error());
    return NamePattern(std::move(pattern));
}

NamePattern NamePattern::glob(std::string_view text) {
    re2::RE2::Options bytes = patternOptions();
    bytes.set_encoding(re2::RE2::Options::EncodingLatin1);
    std::string expression = "\\A";
    for (const char& c : text)
        expression += c == '*' ? ".*" : c == '?' ? "." : re2::RE2::QuoteMeta({&c, 1});
    return NamePattern(std::make_shared<const re2::RE2>(expression + "\\z", bytes));
}

bool NamePattern::matches(std::string_view name) const {
    return re2::RE2::PartialMatch({name.data(), name.size()}, *m_pattern);
}

bool NamePattern::matchesKernel(std::string_view demangled) const {
    if (matches(demangled) || matches(functionBaseName(demangled))) return true;
    const auto numba = numbaName(demangled);
    return numba && matches(numba->text());
}

}  // namespace roofscope
