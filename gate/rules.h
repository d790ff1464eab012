// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profile/errors/result.h"

/// What a gate demands of kernels, from a JSON file that people write (docs/ci.md has the schema).
namespace roofscope::gate {

/// The settings of one entry. What an entry does not set stays unchanged.
struct Demands {
    template <class T>
    using ByKey = std::map<std::string, T, std::less<>>;
    ByKey<double> growth;             ///< key → largest growth that passes, a share
    ByKey<double> limits;             ///< key → largest value that passes
    ByKey<bool> forbidden;            ///< rule ids that must not be found
    ByKey<bool> ignored;              ///< keys, and rule ids, that are not judged
    std::optional<bool> newFindings;  ///< whether new findings fail
};

/// Demands on the kernels that a name or glob matches.
struct RulesEntry {
    std::string match;
    std::size_t line = 0;
    bool required = true;  ///< without a kernel of that name: incomparable
    Demands demands;
};

enum class NewKernels { Incomparable, Pass, Fail };

struct Rules {
    Demands all;                            ///< on every kernel
    std::vector<RulesEntry> kernels;        ///< in order; later ones win
    std::vector<std::string> allowMissing;  ///< names and globs, as --allow-missing
    NewKernels newKernels = NewKernels::Incomparable;
};

/// Reads a rules file. Sizes are bounded; errors name file and line.
Result<Rules> parseRules(std::string_view text, std::string_view name);

/// The largest rules file that is read.
inline constexpr std::size_t kMaxRulesBytes = 1 << 20;

}  // namespace roofscope::gate
