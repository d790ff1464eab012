// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/compare_words.h"
#include "reports/escape.h"
#include "reports/gate_formats.h"

/// The verdict as a pull-request comment.
namespace roofscope {

namespace {

namespace words = gate_words;
using gate::Check;
using gate::Status;

/// A comment of GitHub holds 65,536 characters; more rows than this nobody reads.
constexpr std::size_t kMostRows = 60;

const char* sign(const Check& check) {
    if (check.allowed) return "allowed";
    if (check.improved) return "better";
    return check.status == Status::Fail ? "**fail**" : "**incomparable**";
}

std::string kernelCell(const gate::KernelGate* kernel) {
    if (!kernel) return "–";
    std::string cell = markdownCodeCell(kernel->name, 80);
    if (!kernel->range.empty()) cell += " in " + markdownCodeCell(kernel->range, 80);
    return cell;
}

}  // namespace

std::string renderGateMarkdown(const gate::Judgement& j, const GateOptions& options) {
    std::string out = fmt::format("## GPU performance gate: {}\n\n{}.\n",
                                  words::verdict(j.status()), words::summary(j));
    if (!options.profilePath.empty())
        out += fmt::format("\n- Profile: {}\n- Baseline: {}\n", markdownCode(options.profilePath),
                           markdownCode(options.baselinePath));
    for (const Remark& note : j.notes)
        out += "\n> Note: " + markdownText(compare_words::sentence(note)) + "\n";
    std::vector<std::pair<const gate::KernelGate*, const Check*>> rows;
    words::forEach(j, [&](const gate::KernelGate* kernel, const Check& check) {
        if (!words::quiet(check)) rows.emplace_back(kernel, &check);
    });
    const auto rank = [](const Check& check) {
        if (check.status == Status::Fail) return 0;
        if (check.status == Status::Incomparable) return check.allowed ? 3 : 1;
        return 2;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
        return rank(*a.second) < rank(*b.second);
    });
    if (!rows.empty()) out += "\n| verdict | kernel | check |\n|---|---|---|\n";
    for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i)
        out += fmt::format("| {} | {} | {} |\n", sign(*rows[i].second), kernelCell(rows[i].first),
                           markdownText(words::check(*rows[i].second)));
    if (rows.size() > kMostRows)
        out += fmt::format("\n{} more rows are not shown; `--format json` has them all.\n",
                           rows.size() - kMostRows);
    if (const std::string advice = words::advice(j); !advice.empty())
        out += "\n" + markdownText(advice) + "\n";
    return out;
}

}  // namespace roofscope
