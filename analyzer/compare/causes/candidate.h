// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/causes/measured.h"

namespace roofscope::compare::causes {

/// What may be why a duration changed.
struct Candidate {
    std::string id;     ///< "bank-conflicts"
    double kept = 1;    ///< of some work, how much the faster kernel still does: fast / slow
    double weight = 0;  ///< share of the slower kernel's time for which it kept its resource busy
    Remark sentence;
    /// It follows from what stayed the same. It is named only if no other candidate explains
    /// enough.
    bool lastResort = false;
};

/// A cause, nothing if the faster kernel has not less of `amount`. `shown` is what the sentence
/// names. Its phrase can use {from} and {to}, {fell} ("fell" or "rose"), {factor} and {less}
/// ("less" or "more"), {fewer} ("fewer" or "more"), and `more`.
[[nodiscard]] std::optional<Candidate> candidate(const Measured& measured, std::string id,
                                                 Both amount, double weight, Both shown, Unit unit,
                                                 Words phrase, std::vector<Arg> more = {});
/// A cause where the faster kernel has less; nothing unless both values are known.
[[nodiscard]] std::optional<Candidate> whereLess(const Measured& measured, std::string id,
                                                 const std::optional<Both>& amount, double weight,
                                                 Unit unit, Words phrase,
                                                 std::vector<Arg> more = {});
/// A cause where the faster kernel has more.
[[nodiscard]] std::optional<Candidate> whereMore(const Measured& measured, std::string id,
                                                 const std::optional<Both>& amount, double weight,
                                                 Unit unit, Words phrase,
                                                 std::vector<Arg> more = {});

/// {before} and {after}, in the order of the profiles.
[[nodiscard]] std::vector<Arg> beforeAfter(const Measured& measured, Both amount, Unit unit);
[[nodiscard]] Words fellOrRose(bool fell);

}  // namespace roofscope::compare::causes
