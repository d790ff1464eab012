// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/causes/measured.h"

namespace roofscope::compare::causes {

/// A possible cause of a changed duration.
struct Candidate {
    std::string id;     ///< "bank-conflicts"
    double kept = 1;    ///< amount of some work in the faster kernel / in the slower one
    double weight = 0;  ///< share of the slower kernel's time in which this work kept its resource
                        ///< busy
    Remark sentence;
    /// Inferred only from what stayed the same, so it is named only if no other candidate explains
    /// enough.
    bool lastResort = false;
};

/// A cause; nullopt unless the faster kernel has less of `amount`. `shown`: the numbers in the
/// sentence. Its phrase can use {from} and {to}, {fell} ("fell" or "rose"), {factor} and {less}
/// ("less" or "more"), {fewer} ("fewer" or "more"), and `more`.
[[nodiscard]] std::optional<Candidate> candidate(const Measured& measured, std::string id,
                                                 Both amount, double weight, Both shown, Unit unit,
                                                 Words phrase, std::vector<Arg> more = {});
/// A cause if the faster kernel has less; nullopt unless both values are known.
[[nodiscard]] std::optional<Candidate> whereLess(const Measured& measured, std::string id,
                                                 const std::optional<Both>& amount, double weight,
                                                 Unit unit, Words phrase,
                                                 std::vector<Arg> more = {});
/// A cause if the faster kernel has more.
[[nodiscard]] std::optional<Candidate> whereMore(const Measured& measured, std::string id,
                                                 const std::optional<Both>& amount, double weight,
                                                 Unit unit, Words phrase,
                                                 std::vector<Arg> more = {});

/// {before} and {after}, in the order of the profiles.
[[nodiscard]] std::vector<Arg> beforeAfter(const Measured& measured, Both amount, Unit unit);
[[nodiscard]] Words fellOrRose(bool fell);

}  // namespace roofscope::compare::causes
