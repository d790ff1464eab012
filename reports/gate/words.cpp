// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/compare/words.h"
#include "reports/escape.h"
#include "reports/gate/formats.h"
#include "reports/number_format.h"

namespace roofscope::gate_words {

using gate::Check;
using gate::Judgement;
using gate::KernelGate;
using gate::Status;

namespace {

/// GitHub's runner takes "##[" for a command wherever it stands in a line of the log.
std::string noCommand(std::string text) {
    for (std::size_t at = 0; (at = text.find("##[", at)) != std::string::npos;)
        text.insert(at + 2, " ");
    return text;
}

bool isLimit(const Check& check) { return check.id.starts_with("limit:"); }

}  // namespace

std::string verdict(Status status, const Wording& w) {
    switch (status) {
        case Status::Pass:
            return w.gate.pass.str();
        case Status::Fail:
            return w.gate.regression.str();
        case Status::Incomparable:
            break;
    }
    return w.gate.couldNotCompare.str();
}

std::string summary(const Judgement& j, const Wording& w) {
    const GateWords& g = w.gate;
    const auto& c = j.count;
    const std::size_t all = c.passed + c.failed;
    const auto counted = [](std::size_t count, const Label& one, const auto& many) {
        return count == 1 ? one.str() : many(formatExact(static_cast<double>(count)));
    };
    std::string text =
        g.checked(counted(c.kernels, g.oneKernel, g.kernels), counted(all, g.oneCheck, g.checks));
    if (c.kernels == 0 && all == 0) text = g.nothingChecked.str();
    if (c.failed > 0)
        text += g.failed(c.failed);
    else if (all > 0)
        text += (all == 1 ? g.passed : g.allPassed).str();
    if (c.incomparable > 0) text += g.notMade(c.incomparable);
    if (c.allowed > 0) text += g.notNeeded(c.allowed);
    if (c.improved > 0) text += g.improved(c.improved);
    return text;
}

std::string title(const KernelGate& kernel, const Wording& w) {
    std::string text = cleanText(kernel.name, 100);
    if (text.find_first_not_of(' ') == std::string::npos) text = w.html.noName.str();
    if (!kernel.range.empty()) text = w.gate.inRange(text, cleanText(kernel.range, 120));
    return noCommand(std::move(text));
}

std::string value(const Check& check, bool after, const Wording& w) {
    const auto& number = after ? check.to : check.from;
    if (!number) return w.common.notMeasured.str();
    const bool whole =
        check.unit == Unit::Count && *number == std::floor(*number) && std::abs(*number) < 1e15;
    return whole ? formatExact(*number) : formatNumber(*number, check.unit);
}

std::string growth(const Check& check, const Wording& w) {
    if (isLimit(check) || !check.from || !check.to) return {};
    if (*check.from == 0) return *check.to > 0 ? w.gate.new_.str() : std::string();
    const double share = *check.growth();
    if (std::abs(share) < 1e-4) return {};  // less than what baselines keep of a duration
    return (share >= 0 ? "+" : "") + formatNumber(share, Unit::Share);
}

std::string check(const Check& check, const Wording& w) {
    std::string text = check.label.in(w.language);
    const std::string why = compare_words::sentence(check.reason, w.language);
    const bool about = check.id == "kernel" || check.id == "gpu" || check.id == "rules" ||
                       check.id == "findings" || check.id.starts_with("finding:");
    if (!about && isLimit(check)) {
        text += w.common.colon +
                w.gate.limit(value(check, true, w), formatNumber(*check.bound, check.unit));
    } else if (!about && (check.from || check.to)) {
        text += w.common.colon + value(check, false, w) + " → " + value(check, true, w);
        std::string inBrackets = growth(check, w);
        if (check.bound && check.status == Status::Fail)
            inBrackets += (inBrackets.empty() ? "" : w.common.comma.str()) +
                          w.gate.growthLimit(formatNumber(*check.bound, Unit::Share));
        if (!inBrackets.empty()) text = w.common.bracketed(text, inBrackets);
    }
    if (!why.empty()) text += w.common.colon + why;
    return noCommand(std::move(text));
}

std::string advice(const Judgement& j, const Wording& w) {
    const GateWords& g = w.gate;
    switch (j.status()) {
        case Status::Fail:
            return g.whenFailed.str();
        case Status::Incomparable:
            return (j.count.incomparable > 0 ? g.whenIncomparable : g.whenNothing).str();
        case Status::Pass:
            return j.count.improved > 0 ? g.whenImproved.str() : std::string();
    }
    return {};
}

bool quiet(const Check& check) { return check.status == Status::Pass && !check.improved; }

void forEach(const Judgement& j, const std::function<void(const KernelGate*, const Check&)>& each) {
    for (const KernelGate& kernel : j.kernels)
        for (const Check& check : kernel.checks) each(&kernel, check);
    for (const Check& check : j.checks) each(nullptr, check);
}

}  // namespace roofscope::gate_words
