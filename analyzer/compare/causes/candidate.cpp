// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/causes/candidate.h"

#include <algorithm>
#include <utility>

namespace roofscope::compare::causes {

std::optional<Candidate> candidate(const Measured& measured, std::string id, Both amount,
                                   double weight, Both shown, Unit unit, Words phrase,
                                   std::vector<Arg> more) {
    if (!(amount.slow > 0) || !(weight > 0) || !(amount.fast >= 0)) return std::nullopt;
    const double kept = amount.fast / amount.slow;
    if (!(kept < 1 - kLeastAmountChange)) return std::nullopt;
    const auto [from, to] = measured.inOrder(shown);
    std::vector<Arg> args{number("from", from, unit), number("to", to, unit),
                          word("fell", fellOrRose(to < from)),
                          word("less", measured.faster ? Words("less") : Words("more")),
                          word("fewer", measured.faster ? Words("fewer") : Words("more"))};
    if (kept > 0)
        args.push_back(number("factor", 1 / kept, Unit::Factor));
    else
        args.push_back(word("factor", Words("incomparably")));
    for (Arg& arg : more) args.push_back(std::move(arg));
    return Candidate{
        std::move(id), kept, std::min(weight, 1.0), {std::move(phrase), std::move(args)}};
}

std::optional<Candidate> whereLess(const Measured& measured, std::string id,
                                   const std::optional<Both>& amount, double weight, Unit unit,
                                   Words phrase, std::vector<Arg> more) {
    if (!amount) return std::nullopt;
    return candidate(measured, std::move(id), *amount, weight, *amount, unit, std::move(phrase),
                     std::move(more));
}

std::optional<Candidate> whereMore(const Measured& measured, std::string id,
                                   const std::optional<Both>& amount, double weight, Unit unit,
                                   Words phrase, std::vector<Arg> more) {
    if (!amount) return std::nullopt;
    return candidate(measured, std::move(id), amount->swapped(), weight, *amount, unit,
                     std::move(phrase), std::move(more));
}

std::vector<Arg> beforeAfter(const Measured& measured, Both amount, Unit unit) {
    const auto [before, after] = measured.inOrder(amount);
    return {number("before", before, unit), number("after", after, unit)};
}

Words fellOrRose(bool fell) { return fell ? Words("fell") : Words("rose"); }

}  // namespace roofscope::compare::causes
