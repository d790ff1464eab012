// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/compare_words.h"
#include "reports/escape.h"
#include "reports/gate_formats.h"
#include "reports/number_format.h"

namespace roofscope::gate_words {

using gate::Check;
using gate::Judgement;
using gate::KernelGate;
using gate::Status;

namespace {

std::string counted(std::size_t count, const char* thing) {
    return fmt::format("{} {}{}", formatExact(static_cast<double>(count)), thing,
                       count == 1 ? "" : "s");
}

/// GitHub's runner takes "##[" for a command wherever it stands in a line of the log.
std::string noCommand(std::string text) {
    for (std::size_t at = 0; (at = text.find("##[", at)) != std::string::npos;)
        text.insert(at + 2, " ");
    return text;
}

bool isLimit(const Check& check) { return check.id.starts_with("limit:"); }

}  // namespace

const char* verdict(Status status) {
    switch (status) {
        case Status::Pass:
            return "pass";
        case Status::Fail:
            return "regression";
        case Status::Incomparable:
            return "could not compare";
    }
    return "could not compare";
}

std::string summary(const Judgement& j) {
    const auto& c = j.count;
    const std::size_t all = c.passed + c.failed;
    std::string text =
        fmt::format("{} checked with {}", counted(c.kernels, "kernel"), counted(all, "check"));
    if (c.kernels == 0 && all == 0) text = "nothing was checked";
    if (c.failed > 0)
        text += fmt::format(", {} failed", c.failed);
    else if (all > 0)
        text += all == 1 ? ", passed" : ", all passed";
    if (c.incomparable > 0) text += fmt::format("; {} could not be made", c.incomparable);
    if (c.allowed > 0) text += fmt::format("; {} could not be made and need not", c.allowed);
    if (c.improved > 0) text += fmt::format("; {} better than the baseline", c.improved);
    return text;
}

std::string title(const KernelGate& kernel) {
    std::string text = cleanText(kernel.name, 100);
    if (text.find_first_not_of(' ') == std::string::npos) text = "(no name)";
    if (!kernel.range.empty()) text += " in " + cleanText(kernel.range, 120);
    return noCommand(std::move(text));
}

std::string value(const Check& check, bool after) {
    const auto& number = after ? check.to : check.from;
    if (!number) return "not measured";
    const bool whole =
        check.unit == Unit::Count && *number == std::floor(*number) && std::abs(*number) < 1e15;
    return whole ? formatExact(*number) : formatNumber(*number, check.unit);
}

std::string growth(const Check& check) {
    if (isLimit(check) || !check.from || !check.to) return {};
    if (*check.from == 0) return *check.to > 0 ? "new" : "";
    const double share = *check.growth();
    if (std::abs(share) < 1e-4) return {};  // less than what baselines keep of a duration
    return (share >= 0 ? "+" : "") + formatNumber(share, Unit::Share);
}

std::string check(const Check& check) {
    std::string text = check.label;
    const std::string why = compare_words::sentence(check.reason);
    const bool about = check.id == "kernel" || check.id == "gpu" || check.id == "rules" ||
                       check.id == "findings" || check.id.starts_with("finding:");
    if (!about && isLimit(check)) {
        text += ": " + value(check, true) + ", at most " + formatNumber(*check.bound, check.unit) +
                " passes";
    } else if (!about && (check.from || check.to)) {
        text += ": " + value(check, false) + " → " + value(check, true);
        std::string inBrackets = growth(check);
        if (check.bound && check.status == Status::Fail)
            inBrackets += fmt::format("{}at most +{} passes", inBrackets.empty() ? "" : ", ",
                                      formatNumber(*check.bound, Unit::Share));
        if (!inBrackets.empty()) text += " (" + inBrackets + ")";
    }
    if (!why.empty()) text += ": " + why;
    return noCommand(std::move(text));
}

std::string advice(const Judgement& j) {
    switch (j.status()) {
        case Status::Fail:
            return "If the change is meant, make the baseline again with --update and commit it: "
                   "its diff shows what was accepted.";
        case Status::Incomparable:
            return j.count.incomparable > 0
                       ? "What cannot be compared does not pass. Record the same kernels on the "
                         "same GPU with enough launches, make the baseline again with --update, or "
                         "allow it by name with --allow-missing."
                       : "A gate that checks nothing does not pass.";
        case Status::Pass:
            return j.count.improved > 0
                       ? "Make the baseline again with --update to keep what became better."
                       : "";
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
