// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <regex>

#include "reports/formats.h"

namespace roofscope {

namespace {

// std::regex can recurse once per character it matches: a name of a megabyte would exhaust the
// stack.
constexpr std::size_t kMaxMatched = 2000, kMaxPattern = 1000;

/// Compiles for matching in polynomial time where the library can: "(x+x+)+y" would otherwise not
/// end within a lifetime. Patterns with back references need the other way.
std::regex compile(const std::string& pattern) {
#ifdef __GLIBCXX__
    try {
        return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
    } catch (const std::regex_error& error) {
        if (error.code() != std::regex_constants::error_complexity) throw;
    }
#endif
    return std::regex(pattern);
}

}  // namespace

Result<std::vector<std::size_t>> matchingKernels(const Analysis& analysis,
                                                 const std::string& kernelFilter) {
    std::vector<std::size_t> matching;
    const bool filtered = !kernelFilter.empty();
    const auto usage = [](std::string what) {
        return Error{.code = ErrorCode::Usage,
                     .what = std::move(what),
                     .where = "--kernel",
                     .advice = "an ECMAScript regular expression, for example \"^gemm|softmax\""};
    };
    std::regex pattern;
    if (filtered) {
        if (kernelFilter.size() > kMaxPattern) return usage("the pattern is too long");
        try {
            pattern = compile(kernelFilter);
        } catch (const std::regex_error& error) {
            return usage(std::string("not a regular expression: ") + error.what());
        }
    }
    const auto matches = [&](const std::string& text) {
        return std::regex_search(text.substr(0, kMaxMatched), pattern);
    };
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[i];
        try {
            if (filtered && !matches(kernel.fullName) && !matches(kernel.name) &&
                !(!kernel.range.empty() && matches(kernel.range)))
                continue;
        } catch (const std::regex_error& error) {
            return usage(std::string("the pattern is too complex: ") + error.what());
        }
        matching.push_back(i);
    }
    return matching;
}

Result<Selection> selectKernels(const Analysis& analysis, const ReportOptions& options) {
    Selection selection;
    selection.filtered = !options.kernelFilter.empty();
    if (options.kernels) {
        for (const std::size_t index : *options.kernels)
            if (index < analysis.kernels.size()) selection.kernels.push_back(index);
    } else {
        Result<std::vector<std::size_t>> matching = matchingKernels(analysis, options.kernelFilter);
        if (!matching) return matching.error();
        selection.kernels = std::move(*matching);
    }
    selection.matching = selection.kernels.size();
    if (options.top && selection.kernels.size() > *options.top)
        selection.kernels.resize(*options.top);
    return selection;
}

}  // namespace roofscope
