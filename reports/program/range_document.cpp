// SPDX-License-Identifier: Apache-2.0
#include "reports/program/range_document.h"

#include <algorithm>
#include <cmath>

#include "analyzer/program/account/host_samples.h"
#include "profile/text/clean_text.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/program/action_words.h"
#include "reports/program/program_words.h"
#include "reports/verdict/verdict_words.h"

namespace roofscope {
namespace {

constexpr std::size_t kMostKernels = 12, kLongestRangeName = 80;

std::string percent(Ratio share) { return formatNumber(share.value, Unit::Share); }

doc::Node accountTable(const RangeAccount& range, Language language) {
    doc::Table table{.columns = {{.title = say(language, "class")},
                                 {.title = say(language, "share"), .number = true},
                                 {.title = say(language, "time"), .number = true}},
                     .children = {}};
    for (const TimeClass cls : kTimeClasses)
        if (range.time[cls].value > 0)
            table.children.push_back(doc::row({{.text = timeClassWords(cls, language)},
                                               {.text = percent(range.share(cls))},
                                               {.text = formatTime(range.time[cls])}}));
    return {.body = std::move(table)};
}

doc::Nodes kernelNodes(const Analysis& analysis, const RangeAccount& range, Language language) {
    doc::Table table{.columns = {{.title = say(language, "kernel")},
                                 {.title = say(language, "time"), .number = true},
                                 {.title = say(language, "share"), .number = true},
                                 {.title = say(language, "launches"), .number = true},
                                 {.title = say(language, "verdict")}},
                     .children = {}};
    Seconds rest;
    for (std::size_t i = 0; i < range.functions.size(); ++i) {
        const KernelFunction& function = range.functions[i];
        if (i >= kMostKernels) {
            rest += function.time;
            continue;
        }
        const KernelAnalysis& shown = analysis.kernels[function.shown];
        table.children.push_back(
            doc::row({{.text = doc::code(program::nameOf(analysis, function), kLongestRangeName)},
                      {.text = formatTime(function.time)},
                      {.text = percent(function.share)},
                      // A kernel that runs over the start has no launch that begins here.
                      {.text = function.launches > 0 ? formatExact(function.launches)
                                                     : say(language, "began before")},
                      {.text = verdictWords(shown.verdict, language)}}));
    }
    doc::Nodes nodes;
    nodes.push_back({.body = std::move(table)});
    if (range.functions.size() > kMostKernels)
        nodes.push_back(doc::paragraph(sayCount(language, range.functions.size() - kMostKernels,
                                                "and {} more kernel: {}", "and {} more kernels: {}",
                                                formatTime(rest))));
    return nodes;
}

std::string copyKindText(TransferKind kind, Language language) {
    switch (kind) {
        case TransferKind::HostToDevice:
            return say(language, "copies to the GPU");
        case TransferKind::DeviceToHost:
            return say(language, "copies to the host");
        case TransferKind::BetweenDevices:
            return say(language, "copies between GPUs");
        case TransferKind::Memset:
            return say(language, "memsets");
        case TransferKind::OnDevice:
            return say(language, "copies on the GPU");
        case TransferKind::HostToHost:
        case TransferKind::Other:
            break;
    }
    return say(language, "other copies");
}

}  // namespace

std::string momentText(Nanoseconds time) {
    const Nanoseconds whole = time / 1'000'000'000, rest = time % 1'000'000'000;
    return fmt::format("{}{}.{:09} s", time < 0 ? "-" : "", whole < 0 ? -whole : whole,
                       rest < 0 ? -rest : rest);
}

std::string rangeCopiesText(const RangeAccount::Copies& copies, Language language) {
    return say(language, "{}: {} with {}, {}", copyKindText(copies.kind, language), copies.count,
               formatNumber(copies.bytes.value, Unit::Bytes), formatTime(copies.time));
}

doc::Document rangeDocument(const Analysis& analysis, const RangeAccount& range,
                            const std::string& place, Language language) {
    doc::Document document{
        .title = say(language, "{} of the timeline",
                     formatTime(Seconds{static_cast<double>(range.range.length()) / 1e9})),
        .nodes = {}};
    document.nodes.push_back(doc::paragraph(
        say(language, "From {} to {} of the recording. Times are as recorded, tracing included.",
            momentText(range.range.start), momentText(range.range.end))));
    if (!place.empty())
        document.nodes.push_back(doc::paragraph(cleanText(place, kLongestRangeName)));
    if (range.lanes.size() > 1)
        document.nodes.push_back(
            doc::paragraph(tell(language, "Mean over {} GPUs.", range.lanes.size())));
    document.nodes.push_back(accountTable(range, language));
    if (!range.functions.empty())
        document.nodes.push_back(
            doc::section(say(language, "Kernels"), kernelNodes(analysis, range, language)));
    std::vector<doc::Text> items;
    for (const RangeAccount::Copies& copies : range.copies)
        items.emplace_back(rangeCopiesText(copies, language));
    if (!items.empty())
        document.nodes.push_back(doc::section(say(language, "Copies"), {doc::list(items)}));
    items.clear();
    const bool few = range.hostSamples < program::kLeastSamples;
    for (const HostFunction& function : range.hostFunctions)
        items.push_back(few ? hostFunctionText(function, range.hostSamples, language)
                            : hostFunctionText(function, language));
    std::string during = say(language, "The CPU during the GPU's idle time for host work");
    if (few)
        during = sayCount(language, static_cast<std::size_t>(std::llround(range.hostSamples)),
                          "{} sample of the CPU during the GPU's idle time for host work",
                          "{} samples of the CPU during the GPU's idle time for host work");
    if (!items.empty())
        document.nodes.push_back(doc::section(std::move(during), {doc::list(items)}));
    return document;
}

}  // namespace roofscope
