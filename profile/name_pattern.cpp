// SPDX-License-Identifier: Apache-2.0
#include "profile/name_pattern.h"

namespace roofscope {
namespace {

// std::regex can recurse once per character it matches: a name of a megabyte would exhaust the
// stack.
constexpr std::size_t kMaxMatched = 2000, kMaxPattern = 1000;

/// Compiles for matching in polynomial time where the library can: "(x+x+)+y" would otherwise not
/// end within a lifetime. Patterns with back references need the other way.
std::regex compiled(const std::string& pattern) {
#ifdef __GLIBCXX__
    try {
        return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
    } catch (const std::regex_error& error) {
        if (error.code() != std::regex_constants::error_complexity) throw;
    }
#endif
    return std::regex(pattern);
}

Error usage(std::string what) {
    return {.code = ErrorCode::Usage, .what = std::move(what), .where = {}, .advice = {}};
}

}  // namespace

Result<NamePattern> NamePattern::compile(const std::string& expression) {
    if (expression.size() > kMaxPattern) return usage("the pattern is too long");
    try {
        return NamePattern(compiled(expression));
    } catch (const std::regex_error& error) {
        return usage(std::string("not a regular expression: ") + error.what());
    }
}

Result<bool> NamePattern::matches(std::string_view name) const {
    try {
        const std::string_view looked = name.substr(0, kMaxMatched);
        return std::regex_search(looked.begin(), looked.end(), m_pattern);
    } catch (const std::regex_error& error) {
        return usage(std::string("the pattern is too complex: ") + error.what());
    }
}

}  // namespace roofscope
