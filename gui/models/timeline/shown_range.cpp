// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline/shown_range.h"

#include <algorithm>
#include <cmath>

#include "analyzer/program/account/host_samples.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/models/text/translated_texts.h"
#include "reports/document/markdown_writer.h"
#include "reports/program/action_words.h"
#include "reports/program/range_document.h"

namespace roofscope::gui {

QStringList sampledFunctionTexts(const SampledFunctions& sampled) {
    const Language language = shownLanguage();
    const bool few = sampled.samples < program::kLeastSamples;
    QStringList texts;
    for (const HostFunction& function : sampled.functions)
        texts << plainText(few ? hostFunctionText(function, sampled.samples, language)
                               : hostFunctionText(function, language));
    return texts;
}

QString fewSamplesText(double samples) {
    if (samples >= program::kLeastSamples) return {};
    return counted(static_cast<std::uint64_t>(std::llround(samples)), TimelineText::tr("%1 sample"),
                   TimelineText::tr("%1 samples"));
}

ShownRange shownRange(const Analysis& analysis, const RangeAccount& range, const QString& place) {
    const Language language = shownLanguage();
    ShownRange shown;
    const Seconds length{double(range.range.length()) / 1e9};
    shown.length = text(length);
    shown.from = QString::fromStdString(momentText(range.range.start));
    shown.to = QString::fromStdString(momentText(range.range.end));
    shown.place = place;
    shown.account = {.name = TimelineText::tr("selected time"),
                     .window = shown.length,
                     .shares = sharesOf(range.time, range.total())};
    if (range.lanes.size() > 1)
        for (const RangeAccount::Lane& lane : range.lanes)
            shown.lanes.push_back(
                {.name = laneName(*analysis.profile, lane.device, lane.processes, lane.rank),
                 .window = shown.length,
                 .shares = sharesOf(lane.time, length)});
    Seconds inKernels;
    for (const KernelFunction& function : range.functions) inKernels += function.time;
    shown.functions = shownFunctions(analysis, range.functions, inKernels);
    for (std::size_t i = 0; i < shown.functions.size(); ++i)
        if (!(range.functions[i].launches > 0))
            shown.functions[i].launches = TimelineText::tr("began before");
    for (const RangeAccount::Copies& copies : range.copies)
        shown.copies << shownText(rangeCopiesText(copies, language));
    shown.cpu = sampledFunctionTexts({range.hostFunctions, range.hostSamples});
    shown.fewSamples = fewSamplesText(range.hostSamples);
    shown.kernels.assign(range.kernels.begin(), range.kernels.end());
    std::ranges::sort(shown.kernels);
    shown.forAssistant = QString::fromStdString(
        doc::toMarkdown(rangeDocument(analysis, range, place.toStdString(), language)));
    return shown;
}

}  // namespace roofscope::gui
