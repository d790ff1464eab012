// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/program/account/functions.h"
#include "reports/answer/answer_words.h"
#include "reports/answer/finding_words.h"
#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/profile/parts.h"
#include "reports/profile/priority.h"
#include "reports/verdict/major_findings.h"
#include "reports/verdict/no_findings.h"

namespace roofscope::profile_report {

namespace {

/// The time share of kernels that are not shown, if known for all of them.
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

/// A note about kernels that run only outside of the repeats, if they take much of all kernels'
/// time: the table has only what runs in the repeats.
doc::Nodes outsideNodes(const View& view) {
    constexpr double kMuch = 0.1;
    std::map<std::string, double> outside;
    double all = 0, sum = 0;
    for (std::size_t k = 0; k < view.analysis.kernels.size(); ++k) {
        const KernelAnalysis& kernel = view.analysis.kernels[k];
        const DurationStats& duration = kernel.quantities.duration;
        if (!duration.unprofiled()) continue;
        all += duration.total.value;
        if (view.program->kernels[k].perWindow > 0) continue;
        outside[kernel.name] += duration.total.value;
    }
    // A function may run in the repeats with other shapes.
    for (std::size_t k = 0; k < view.analysis.kernels.size(); ++k)
        if (view.program->kernels[k].perWindow > 0) outside.erase(view.analysis.kernels[k].name);
    for (const auto& [name, time] : outside) sum += time;
    if (outside.empty() || !(sum >= kMuch * all)) return {};
    const auto most = std::ranges::max_element(outside, {}, [](const auto& e) { return e.second; });
    const Language l = view.language;
    const doc::Text name = doc::code(most->first, 60);
    const std::string time = formatTime({sum}), share = formatNumber(sum / all, Unit::Share);
    return {doc::paragraph(
        outside.size() == 1
            ? tell(l, "{} runs only outside of the repeats: {}, {} of all kernels' time.", name,
                   time, share)
            : tell(l,
                   "{} and other kernels run only outside of the repeats: {}, {} of all kernels' "
                   "time.",
                   name, time, share))};
}

/// How many kernels there are, and which of them are shown.
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
    if (view.byFunction()) {
        double rest = 1;
        const auto functions = shownFunctions(view, selection);
        for (const KernelFunction& function : functions) rest -= function.share.value;
        if (const std::size_t others = view.program->functions.size() - functions.size())
            nodes.push_back(
                doc::paragraph(tellCount(l, others, "{} more kernel takes {} of the kernels' time.",
                                         "{} more kernels take {} of the kernels' time.",
                                         formatNumber(std::max(0.0, rest), Unit::Share))));
        std::ranges::move(outsideNodes(view), std::back_inserter(nodes));
        return nodes;
    }
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

/// The kernel of a table row. In a table of functions it stands for all shapes of its function.
struct RankedKernel {
    const KernelAnalysis& kernel;
    std::size_t index;                   ///< index into Analysis::kernels
    std::optional<std::size_t> section;  ///< the kernel whose section covers this one
    Language language;
    std::string name;
    const KernelFunction* function = nullptr;  ///< set in a table of functions
};

/// A column: its heading and a function for its cells.
struct RankingColumn {
    doc::Column heading;
    doc::Cell (*cell)(const RankedKernel&) = nullptr;
    bool onlyInFull = false;    ///< not in a brief report
    bool onlyOfShapes = false;  ///< shown only if a function has several launch shapes
};

doc::Cell countCell(double count, const std::string& text) {
    return {.text = text, .value = count};
}

doc::Cell timeCell(const RankedKernel& row, Seconds DurationStats::*time) {
    const DurationStats& duration = row.kernel.quantities.duration;
    if (duration.count == 0) return {.text = "–"};
    return {.text = formatTime(duration.*time), .value = (duration.*time).value};
}

doc::Cell shareCell(const Derived<Ratio>& share) {
    if (!share.has()) return {.text = share.notApplicable() ? "n/a" : "–"};
    return {.text = doc::Span{.text = formatNumber(share->value, Unit::Share), .bar = share->value},
            .value = share->value};
}

doc::Cell launchesCell(const RankedKernel& row) {
    const double launches = row.function ? row.function->launches
                                         : static_cast<double>(row.kernel.group.launches.size());
    return countCell(launches, formatNumber(launches, Unit::Count));
}

/// The time of one launch: the mean in the window, or the median of the recording.
doc::Cell eachCell(const RankedKernel& row) {
    if (!row.function || !(row.function->launches > 0))
        return timeCell(row, &DurationStats::median);
    const Seconds mean = row.function->time / row.function->launches;
    return {.text = formatTime(mean), .value = mean.value};
}

/// "1024 · 256", sorted by all threads.
doc::Cell shapeCell(const RankedKernel& row) {
    const Dim3 &grid = row.kernel.group.grid, &block = row.kernel.group.block;
    const auto product = [](const Dim3& extents) {
        return double(extents.x) * double(extents.y) * double(extents.z);
    };
    return {.text = formatDim(grid) + " · " + formatDim(block),
            .value = product(grid) * product(block)};
}

doc::Cell registersCell(const RankedKernel& row) {
    const auto& registers = row.kernel.registersPerThread;
    if (!registers) return {.text = "–"};
    return countCell(double(*registers), std::to_string(*registers));
}

doc::Cell nameCell(const RankedKernel& row) {
    const doc::Text name = doc::code(row.name, 60);
    return {.text = row.section ? doc::linked(kernelAnchor(*row.section), name) : name,
            .tip = cleanText(row.kernel.fullName, 300)};
}

doc::Cell findingCell(const RankedKernel& row) {
    // A page sorts this column by time; cells without one come last.
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (const auto nothing = nothingToEdit(row.kernel)) {
        // In other cases the verdict says as much.
        const bool done =
            nothing->why == NoFindings::NothingToFix || nothing->why == NoFindings::LittleToFix;
        return {.text = done ? doc::toned(doc::Tone::Muted, nothingLabel(*nothing, row.language))
                             : doc::Text("–"),
                .value = kNone};
    }
    const Finding& first = *majorFindings(row.kernel).front();
    const doc::Text title = doc::fromProfile(first.ruleId, 80);
    if (!first.gain.has()) return {.text = title};
    if (!row.function || !(row.function->launches > 0) || !first.gainShare.has())
        return {.text = title + " " + boundMark(*first.gain, first.estimate),
                .value = first.gain->value};
    // "Each" is the mean in the window, so the gain is that share of it. With several shapes, it is
    // the share of one of them, and no time to compare with a mean.
    const double share = std::min(1.0, first.gainShare->value);
    const Seconds gain = row.function->time * (share / row.function->launches);
    return {.text = title + " " +
                    (row.function->kernels.size() > 1 ? boundMark(Ratio{share}, first.estimate)
                                                      : boundMark(gain, first.estimate)),
            .value = gain.value};
}

std::vector<RankingColumn> rankingColumns(Language l) {
    using Row = const RankedKernel&;
    return {
        {{.title = say(l, "no."), .number = true},
         [](Row row) {
             const auto number = static_cast<double>(row.index + 1);
             return countCell(number, std::to_string(row.index + 1));
         }},
        {{.title = say(l, "kernel"), .maxWidth = 60}, nameCell},
        {{.title = say(l, "grid · block"),
          .number = true,
          .tip = say(l, "blocks of the grid and threads of a block")},
         shapeCell,
         true},
        {{.title = say(l, "registers"), .number = true, .tip = say(l, "registers per thread")},
         registersCell,
         true},
        {{.title = say(l, "launches"), .number = true}, launchesCell},
        {{.title = say(l, "shapes"),
          .number = true,
          .tip = say(l, "launch shapes and NVTX ranges of the kernel")},
         [](Row row) {
             const auto shapes = static_cast<double>(row.function->kernels.size());
             return countCell(shapes, formatNumber(shapes, Unit::Count));
         },
         false,
         true},
        // Launches × median say as much; it is needed only for sorting a page.
        {{.title = say(l, "total"), .number = true},
         [](Row row) { return timeCell(row, &DurationStats::total); },
         true},
        {{.title = say(l, "share"), .number = true},
         [](Row row) {
             return shareCell(row.function ? Derived<Ratio>::of(row.function->share, {})
                                           : row.kernel.timeShare);
         }},
        {{.title = say(l, "each"),
          .number = true,
          .tip = say(l, "median of one launch; in a table of functions the mean in the window")},
         eachCell},
        {{.title = "DRAM",
          .number = true,
          .audience = doc::Audience::Person,
          .tip = say(l, "share of the theoretical DRAM bandwidth")},
         [](Row row) { return shareCell(row.kernel.quantities.utilisation[Level::Dram]); }},
        {{.title = say(l, "verdict")},
         [](Row row) -> doc::Cell {
             return {.text = verdictBadge(row.kernel.verdict, row.language)};
         }},
        {{.title = say(l, "first finding"),
          .audience = doc::Audience::Assistant,
          .tip = say(l, "sorted by the time it can win")},
         findingCell},
    };
}

/// `rank` is the row's position.
doc::Node kernelRow(const std::vector<RankingColumn>& columns, const RankedKernel& ranked,
                    std::size_t rank) {
    std::vector<doc::Cell> cells;
    for (const RankingColumn& column : columns) cells.push_back(column.cell(ranked));
    // The first row always stays.
    doc::Node node =
        doc::row(std::move(cells),
                 rank == 0 ? std::nullopt : std::optional(priorityOf(Part::Section, rank)));
    auto& row = std::get<doc::Row>(node.body);
    row.id = kernelAnchor(ranked.index);
    row.anchor = ranked.section != ranked.index;
    node.name = say(ranked.language, "table row");
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
    std::vector<RankingColumn> columns = rankingColumns(l);
    if (view.brief())
        std::erase_if(columns, [](const RankingColumn& column) { return column.onlyInFull; });
    const auto functions =
        view.byFunction() ? shownFunctions(view, selection) : std::span<const KernelFunction>();
    const auto hasShapes = [](const KernelFunction& f) { return f.kernels.size() > 1; };
    if (std::ranges::none_of(functions, hasShapes))
        std::erase_if(columns, [](const RankingColumn& column) { return column.onlyOfShapes; });
    doc::Table table{.columns = {}, .id = "table", .caption = say(l, "Table of kernels")};
    for (const RankingColumn& column : columns) table.columns.push_back(column.heading);
    const auto addRow = [&](std::size_t index, const KernelFunction* function) {
        const auto section = sectionOf.find(index);
        const RankedKernel ranked{
            .kernel = view.analysis.kernels[index],
            .index = index,
            .section = section == sectionOf.end() ? std::nullopt : std::optional(section->second),
            .language = l,
            .name = function ? program::nameOf(view.analysis, *function)
                             : view.analysis.kernels[index].name,
            .function = function};
        table.children.push_back(kernelRow(columns, ranked, table.children.size()));
    };
    if (view.byFunction())
        for (const KernelFunction& function : functions) addRow(function.shown, &function);
    else
        for (const std::size_t index : selection.kernels) addRow(index, nullptr);
    if (!table.children.empty()) nodes.push_back({.body = std::move(table)});
    if (view.essentials()) {
        doc::Text more =
            tell(l, "All that is known of kernels: `--top N`, or `--kernel NAME` for one.");
        // Rows follow the share of the window.
        if (!std::ranges::is_sorted(functions, {}, &KernelFunction::shown))
            more = more + " " + tell(l, "Numbers follow the time in the whole recording.");
        nodes.push_back(doc::paragraph(std::move(more), kTable));
    }
    doc::Node section = doc::section(say(l, "Kernels by share of GPU time"), std::move(nodes),
                                     kTable, say(l, "kernel table"));
    std::get<doc::Section>(section.body).id = "kernels";
    return section;
}

}  // namespace roofscope::profile_report
