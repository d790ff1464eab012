// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <map>
#include <optional>

#include "reports/escape/escape.h"
#include "reports/findings/finding_words.h"
#include "reports/findings/kernel_facts.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/profile/parts.h"
#include "reports/profile/priority.h"

namespace roofscope::profile_report {

namespace {

/// The share of time of the kernels that are not shown, when it is known of all.
std::optional<double> shareOfOthers(const Analysis& analysis, const ChosenKernels& selection) {
    std::vector<char> isShown(analysis.kernels.size(), 0);
    for (const std::size_t index : selection.kernels) isShown[index] = 1;
    double rest = 0;
    for (std::size_t i = 0; i < isShown.size(); ++i) {
        if (isShown[i]) continue;
        if (!analysis.kernels[i].timeShare.has()) return std::nullopt;
        rest += analysis.kernels[i].timeShare->value;
    }
    return rest;
}

/// How many kernels there are and which of them are shown.
doc::Nodes countNodes(const View& view, const ChosenKernels& selection) {
    const Language l = view.language;
    const std::size_t all = view.analysis.kernels.size(), shown = selection.kernels.size();
    if (all == 0) return {doc::paragraph(say(l, "No kernel launch was measured."))};
    const doc::Text filter = doc::code(view.options.kernelFilter, 100);
    if (selection.matching == 0)
        return {doc::paragraph(tellCount(l, all, "The {} kernel does not match the filter {}.",
                                         "None of the {} kernels matches the filter {}.", filter))};
    doc::Nodes nodes;
    if (selection.filtered && all > 1)
        nodes.push_back(doc::paragraph(
            tellCount(l, selection.matching, "{} of {} kernels matches the filter {}.",
                      "{} of {} kernels match the filter {}.", all, filter)));
    if (shown == selection.matching) return nodes;
    const std::size_t others = selection.matching - shown;
    const auto rest = selection.filtered ? std::nullopt : shareOfOthers(view.analysis, selection);
    nodes.push_back(
        doc::paragraph(rest ? tellCount(l, others, "{} more kernel takes {} of the GPU time.",
                                        "{} more kernels take {} of the GPU time.",
                                        formatNumber(*rest, Unit::Share))
                            : tellCount(l, others, "{} more kernel is not in this report.",
                                        "{} more kernels are not in this report.")));
    return nodes;
}

constexpr std::size_t kTotal = 3;  // of the columns

std::vector<doc::Column> columns(Language l) {
    using doc::Audience;
    return {
        {.title = say(l, "no."), .number = true},
        {.title = say(l, "kernel"), .maxWidth = 60},
        {.title = say(l, "launches"), .number = true},
        {.title = say(l, "total"), .number = true},
        {.title = say(l, "share"), .number = true},
        {.title = say(l, "median"), .number = true, .tip = say(l, "median of one launch")},
        {.title = "DRAM",
         .number = true,
         .audience = Audience::Person,
         .tip = say(l, "share of the theoretical DRAM bandwidth")},
        {.title = say(l, "verdict")},
        {.title = say(l, "first finding"),
         .audience = Audience::Assistant,
         .tip = say(l, "sorted by the time it can win")},
    };
}

doc::Cell shareCell(const Derived<Ratio>& share) {
    if (!share.has()) return {.text = share.notApplicable() ? "n/a" : "–"};
    return {.text = doc::Span{.text = formatNumber(share->value, Unit::Share), .bar = share->value},
            .value = share->value};
}

doc::Cell findingCell(const KernelAnalysis& kernel, Language l) {
    // A page sorts this column by time: what has none comes last.
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const auto findings = majorFindings(kernel);
    if (findings.empty()) {
        switch (explainNoFindings(kernel)) {
            case NoFindings::NothingToFix:
                return {.text = doc::toned(doc::Tone::Muted, say(l, "nothing to fix")),
                        .value = kNone};
            case NoFindings::LittleToFix:
                return {.text = doc::toned(doc::Tone::Muted, say(l, "little to fix")),
                        .value = kNone};
            default:
                return {.text = "–", .value = kNone};
        }
    }
    const doc::Text title = doc::fromProfile(findings.front()->ruleId, 80);
    const auto& gain = findings.front()->gain;
    if (!gain.has()) return {.text = title};
    return {.text = title + " " + boundMark(*gain, findings.front()->estimate),
            .value = gain->value};
}

/// `section`: the kernel whose section tells of this one; none: no section does.
doc::Node kernelRow(const View& view, std::size_t index, std::size_t rank,
                    std::optional<std::size_t> section) {
    const KernelAnalysis& kernel = view.analysis.kernels[index];
    const DurationStats& duration = kernel.quantities.duration;
    const auto time = [&](Seconds value) -> doc::Cell {
        if (duration.count == 0) return {.text = "–"};
        return {.text = formatTime(value), .value = value.value};
    };
    const doc::Text name = doc::code(kernel.name, 60);
    const auto launches = static_cast<double>(kernel.group.launches.size());
    doc::Node node =
        doc::row({{.text = index + 1, .value = static_cast<double>(index + 1)},
                  {.text = section ? doc::linked(kernelId(*section), name) : name,
                   .tip = cleanText(kernel.fullName, 300)},
                  {.text = formatNumber(launches, Unit::Count), .value = launches},
                  time(duration.total),
                  shareCell(kernel.timeShare),
                  time(duration.median),
                  shareCell(kernel.quantities.utilisation[Level::Dram]),
                  {.text = verdictBadge(kernel.verdict, view.language)},
                  findingCell(kernel, view.language)},
                 // A table has one row at least.
                 rank == 0 ? std::nullopt : std::optional(priorityOf(Part::Section, rank)));
    auto& row = std::get<doc::Row>(node.body);
    row.id = kernelId(index);
    row.anchor = section != index;
    node.name = say(view.language, "table row");
    return node;
}

}  // namespace

doc::Node rankingTable(const View& view, const ChosenKernels& selection,
                       const std::vector<Shapes>& sections) {
    const Language l = view.language;
    std::map<std::size_t, std::size_t> sectionOf;
    for (const Shapes& shapes : sections) {
        sectionOf[shapes.first] = shapes.first;
        for (const std::size_t other : shapes.others) sectionOf[other] = shapes.first;
    }
    doc::Nodes nodes = countNodes(view, selection);
    doc::Table table{.columns = columns(l), .id = "table", .caption = say(l, "Table of kernels")};
    for (std::size_t i = 0; i < selection.kernels.size(); ++i) {
        const auto section = sectionOf.find(selection.kernels[i]);
        table.children.push_back(
            kernelRow(view, selection.kernels[i], i,
                      section == sectionOf.end() ? std::nullopt : std::optional(section->second)));
    }
    // Launches times the median say as much; only who sorts a page needs the number.
    if (view.brief()) doc::dropColumn(table, kTotal);
    if (!table.children.empty()) nodes.push_back({.body = std::move(table)});
    doc::Node section = doc::section(say(l, "Kernels by share of GPU time"), std::move(nodes),
                                     kTable, say(l, "kernel table"));
    std::get<doc::Section>(section.body).id = "kernels";
    return section;
}

}  // namespace roofscope::profile_report
