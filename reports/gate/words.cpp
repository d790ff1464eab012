// SPDX-License-Identifier: Apache-2.0
#include "reports/gate/words.h"

#include <cmath>

#include "reports/compare/words.h"
#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"

namespace roofscope::gate_words {

using gate::Check;
using gate::Judgement;
using gate::KernelGate;
using gate::Status;

namespace {

bool isLimit(const Check& check) { return check.id.str().starts_with("limit:"); }

}  // namespace

std::string withoutLogCommands(std::string text) {
    for (std::size_t at = 0; (at = text.find("##[", at)) != std::string::npos;)
        text.insert(at + 2, " ");
    return text;
}

std::string verdict(Status status, Language l) {
    switch (status) {
        case Status::Pass:
            return say(l, "pass");
        case Status::Fail:
            return say(l, "regression");
        case Status::Incomparable:
            break;
    }
    return say(l, "could not compare");
}

std::string summary(const Judgement& j, Language l) {
    const auto& c = j.count;
    const std::size_t all = c.passed + c.failed;
    std::string text =
        c.kernels == 0 && all == 0
            ? say(l, "nothing was checked")
            : say(l, "{} checked with {}", sayCount(l, c.kernels, "{} kernel", "{} kernels"),
                  sayCount(l, all, "{} check", "{} checks"));
    if (c.failed > 0)
        text += say(l, ", {} failed", c.failed);
    else if (all > 0)
        text += all == 1 ? say(l, ", passed") : say(l, ", all passed");
    if (c.incomparable > 0) text += say(l, "; {} without a counterpart", c.incomparable);
    if (c.allowed > 0) text += say(l, "; {} without a counterpart (allowed)", c.allowed);
    if (c.improved > 0) text += say(l, "; {} better than the baseline", c.improved);
    return text;
}

std::string title(const KernelGate& kernel, Language l) {
    std::string text = cleanText(kernel.name, 100);
    if (text.find_first_not_of(' ') == std::string::npos) text = say(l, "(no name)");
    if (!kernel.range.empty()) text = say(l, "{} in {}", text, cleanText(kernel.range, 120));
    return withoutLogCommands(std::move(text));
}

std::string value(const Check& check, bool after, Language l) {
    const auto& number = after ? check.to : check.from;
    if (!number) return say(l, "not measured");
    const bool whole =
        check.unit == Unit::Count && *number == std::floor(*number) && std::abs(*number) < 1e15;
    return whole ? formatExact(*number) : formatNumber(*number, check.unit);
}

std::string growth(const Check& check, Language l) {
    if (isLimit(check) || !check.from || !check.to) return {};
    if (*check.from == 0) return *check.to > 0 ? say(l, "new") : std::string();
    const double share = *check.growth();
    if (std::abs(share) < 1e-4) return {};  // less than the precision of durations in baselines
    return (share >= 0 ? "+" : "") + formatNumber(share, Unit::Share);
}

std::string check(const Check& check, Language l) {
    const std::string colon(marksOf(l).colon);
    std::string text = check.label.in(l);
    const std::string why = compare_words::sentence(check.reason, l);
    const bool about = check.id == "kernel" || check.id == "gpu" || check.id == "rules" ||
                       check.id == "findings" || check.id.str().starts_with("finding:");
    if (!about && isLimit(check)) {
        text += colon + say(l, "{}, at most {} passes", value(check, true, l),
                            formatNumber(*check.bound, check.unit));
    } else if (!about && (check.from || check.to)) {
        text += colon + value(check, false, l) + " → " + value(check, true, l);
        std::string inBrackets = growth(check, l);
        if (check.bound && check.status == Status::Fail)
            inBrackets += std::string(inBrackets.empty() ? "" : marksOf(l).comma) +
                          say(l, "at most +{} passes", formatNumber(*check.bound, Unit::Share));
        if (!inBrackets.empty()) text = bracketed(l, text, inBrackets);
    }
    if (!why.empty()) text += colon + why;
    return withoutLogCommands(std::move(text));
}

std::string advice(const Judgement& j, Language l) {
    switch (j.status()) {
        case Status::Fail:
            return say(l,
                       "If the change is intended, update the baseline with --update and commit "
                       "it; its diff shows what was accepted.");
        case Status::Incomparable:
            if (j.count.incomparable == 0)
                return say(l, "A gate that checks nothing does not pass.");
            return say(l,
                       "Checks that cannot be compared do not pass. Record the same kernels on the "
                       "same GPU with enough launches, update the baseline with --update, or allow "
                       "them by name with --allow-missing.");
        case Status::Pass:
            if (j.count.improved == 0) return {};
            return say(l, "Update the baseline with --update to keep the improvements.");
    }
    return {};
}

bool quiet(const Check& check) { return check.status == Status::Pass && !check.improved; }

void forEachCheck(const Judgement& j,
                  const std::function<void(const KernelGate*, const Check&)>& each) {
    for (const KernelGate& kernel : j.kernels)
        for (const Check& check : kernel.checks) each(&kernel, check);
    for (const Check& check : j.checks) each(nullptr, check);
}

}  // namespace roofscope::gate_words
