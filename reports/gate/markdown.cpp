// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "reports/compare/words.h"
#include "reports/escape.h"
#include "reports/gate/formats.h"

/// The verdict as a pull-request comment.
namespace roofscope {

namespace {

namespace words = gate_words;
using gate::Check;
using gate::Status;

/// A comment of GitHub holds 65,536 characters; more rows than this nobody reads.
constexpr std::size_t kMostRows = 60;

std::string sign(const Check& check, const GateWords& g) {
    if (check.allowed) return g.allowed.str();
    if (check.improved) return g.better.str();
    return "**" + (check.status == Status::Fail ? g.fail : g.incomparable) + "**";
}

std::string kernelCell(const gate::KernelGate* kernel, const GateWords& g) {
    if (!kernel) return "–";
    std::string cell = markdownCodeCell(kernel->name, 80);
    if (!kernel->range.empty()) cell = g.inRange(cell, markdownCodeCell(kernel->range, 80));
    return cell;
}

}  // namespace

std::string renderGateMarkdown(const gate::Judgement& j, const GateOptions& options) {
    const Wording& w = wordingOf(options.language);
    const GateWords& g = w.gate;
    std::string out = "## " + g.title(words::verdict(j.status(), w)) + "\n\n" +
                      words::summary(j, w) + w.common.stop + "\n";
    const auto item = [&w](const Label& name, const std::string& path) {
        return "- " + name + w.common.colon + markdownCode(path) + "\n";
    };
    if (!options.profilePath.empty())
        out += "\n" + item(w.header.profile, options.profilePath) +
               item(w.compare.baseline, options.baselinePath);
    for (const Remark& note : j.notes)
        out += "\n> " + w.header.note + w.common.colon.str() +
               markdownText(compare_words::sentence(note, w.language)) + "\n";
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
    if (!rows.empty()) out += "\n" + g.table + "\n|---|---|---|\n";
    for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i)
        out += fmt::format("| {} | {} | {} |\n", sign(*rows[i].second, g),
                           kernelCell(rows[i].first, g),
                           markdownText(words::check(*rows[i].second, w)));
    if (rows.size() > kMostRows) out += "\n" + g.moreRows(rows.size() - kMostRows) + "\n";
    if (const std::string advice = words::advice(j, w); !advice.empty())
        out += "\n" + markdownText(advice) + "\n";
    return out;
}

}  // namespace roofscope
