// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare.h"

#include <cmath>
#include <limits>

namespace roofscope::kernels {
namespace {

/// How much of its tolerance a check has used; above 1 is a failure.
double toleranceUsed(const Check& check) {
    if (check.unwritten > 0 || check.outside > 0) return std::numeric_limits<double>::infinity();
    if (std::isnan(check.relativeL2)) return std::numeric_limits<double>::infinity();
    if (check.tolerance > 0) return check.relativeL2 / check.tolerance;
    return check.relativeL2 > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

}  // namespace

Check compare(const Comparison& c) {
    double errorSquared = 0.0, referenceSquared = 0.0, worstError = -1.0;
    std::size_t worstIndex = 0;
    bool sameLength = c.actual.size() == c.reference.size();
    for (std::size_t i = 0; sameLength && i < c.reference.size(); ++i) {
        const double error = std::abs(c.actual[i] - c.reference[i]);
        errorSquared += error * error;
        referenceSquared += c.reference[i] * c.reference[i];
        // A NaN compares false with everything, so it is checked explicitly.
        if (error > worstError || (std::isnan(error) && !std::isnan(worstError))) {
            worstError = error;
            worstIndex = i;
        }
    }
    Check check{.tolerance = c.tolerance, .unwritten = c.unwritten, .outside = c.outside};
    if (!sameLength) {
        check.relativeL2 = std::numeric_limits<double>::quiet_NaN();
        check.worst = c.tensor + " has the wrong length";
        return check;
    }
    // An all-zero reference has no scale, so the absolute error is used.
    check.relativeL2 =
        std::sqrt(referenceSquared > 0 ? errorSquared / referenceSquared : errorSquared);
    if (worstError > 0 || std::isnan(worstError))
        check.worst = c.tensor + '[' + c.place(worstIndex) + ']';
    check.ok = check.relativeL2 <= c.tolerance && c.unwritten == 0 && c.outside == 0;
    return check;
}

Check worstOf(const std::vector<Check>& checks) {
    Check worst = checks.front();
    for (const Check& check : checks) {
        const bool closer = toleranceUsed(check) > toleranceUsed(worst) || (worst.ok && !check.ok);
        if (closer) worst = check;
    }
    worst.unwritten = worst.outside = 0;
    for (const Check& check : checks) {
        worst.ok = worst.ok && check.ok;
        worst.unwritten += check.unwritten;
        worst.outside += check.outside;
    }
    return worst;
}

}  // namespace roofscope::kernels
