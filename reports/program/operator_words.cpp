// SPDX-License-Identifier: Apache-2.0
#include "reports/program/operator_words.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"

namespace roofscope {
namespace {

using json_parts::clean, json_parts::Json, json_parts::list, json_parts::number, json_parts::orNull;
using program::FlopRange, program::FlopsLack, program::ModelFlops, program::OperatorTable,
    program::OperatorWork, program::PipeWork;

constexpr std::size_t kMostOperators = 50, kMostSizesOfOperator = 8;
/// Numbers within this factor are shown as one number.
constexpr double kSameNumber = 1.02;

bool isAsOne(double least, double most) { return least > 0 && most <= least * kSameNumber; }

/// "3.10 ms", or "2.40–3.10 ms" if only the limits are known.
template <class Format>
std::string rangeText(double least, double most, Format format) {
    std::string low = format(least);
    const std::string high = format(most);
    if (isAsOne(least, most) || low == high) return high;
    const auto unit = high.rfind(' ');
    if (unit != high.npos && low.ends_with(high.substr(unit)))
        low.resize(low.size() - (high.size() - unit));
    return low + "–" + high;
}

bool hasBytes(const OperatorTable& table) {
    return std::ranges::any_of(table.rows,
                               [](const OperatorWork& row) { return row.dramBytes.has_value(); });
}

std::string timeText(const OperatorWork& row) {
    return rangeText(row.least.value, row.most.value,
                     [](double time) { return formatNumber(time, Unit::Seconds); });
}

std::string flopsText(const OperatorWork& row, Language l) {
    if (row.flops)
        return rangeText(row.flops->least, row.flops->most,
                         [](double flops) { return formatSi(flops, "FLOP"); });
    switch (row.lack) {
        case FlopsLack::Sizes:
            return say(l, "sizes not known");
        case FlopsLack::Convolution:
            return say(l, "output size not known");
        case FlopsLack::Calls:
        case FlopsLack::Operator:
            return say(l, inContext("FLOPs", "not known"));
        case FlopsLack::NoProduct:
        case FlopsLack::None:
            break;
    }
    return "–";
}

/// The lowest possible rate; absent if time or FLOPs are unknown.
std::optional<double> rateOf(const OperatorWork& row) {
    if (!row.flops || !(row.most.value > 0)) return std::nullopt;
    return row.flops->least / row.most.value;
}

std::string rateText(const OperatorWork& row) {
    const auto rate = rateOf(row);
    if (!rate) return "–";
    const bool exact =
        row.flops->exact() && isAsOne(row.least.value, row.most.value) && row.least.value > 0;
    return (exact ? "" : "≥ ") + formatSi(*rate, "FLOP/s");
}

/// "aten::addmm [1024], [8944, 1024], [1024, 1024]". If there are several sizes, only how many.
doc::Text nameOfOperator(const OperatorWork& row, Language l) {
    constexpr std::size_t kLongest = 90;
    if (row.sizes.size() == 1) return doc::code(row.op + " " + row.sizes.front(), kLongest);
    doc::Text name = doc::code(row.op, kLongest);
    if (row.sizes.empty()) return name;
    return name + " " + sayCount(l, row.sizes.size(), "({} size)", "({} sizes)");
}

/// "BF16 tensor roof (989 TFLOP/s, measured)"
doc::Text roofText(const PipeWork& pipe, Language l) {
    return tell(l, "{} roof ({}, {})", doc::Text(toString(pipe.type)),
                formatRate(pipe.roof->rate, pipe.type),
                pipe.roof->measured ? say(l, inContext("roof", "measured"))
                                    : say(l, inContext("roof", "theoretical")));
}

std::string shareText(const ModelFlops& flops) {
    return rangeText(flops.least.value, flops.most.value,
                     [](double share) { return formatNumber(share, Unit::Share); });
}

Json rowObject(const OperatorWork& row, const Program& program) {
    const double window = program.window.seconds.value;
    Json object{
        {"operator", clean(row.op)},
        {"place", row.place.empty() ? Json(nullptr) : Json(clean(row.place))},
        {"sizes", list(doc::upTo(kMostSizesOfOperator, row.sizes),
                       [](const std::string& sizes) { return clean(sizes); })},
        {"launches", orNull(row.launches)},
        {"least_seconds", number(row.least)},
        {"most_seconds", number(row.most)},
        {"least_share", window > 0 ? number(row.least.value / window) : Json(nullptr)},
        {"most_share", window > 0 ? number(row.most.value / window) : Json(nullptr)},
        {"least_flops", row.flops ? number(row.flops->least) : Json(nullptr)},
        {"most_flops", row.flops ? number(row.flops->most) : Json(nullptr)},
        {"no_flops", row.lack == FlopsLack::None ? Json(nullptr) : Json(toString(row.lack))},
        {"pipe", row.type ? Json(toString(*row.type)) : Json(nullptr)},
        {"dram_bytes", orNull(row.dramBytes)}};
    return object;
}

Json modelObject(const OperatorTable& table, Language language) {
    if (!table.flops) return nullptr;
    const ModelFlops& flops = *table.flops;
    const auto sentence = modelFlopsSentence(table, language);
    return {{"products_share", number(flops.products)},
            {"known_share", number(flops.known)},
            {"least_share", number(flops.least)},
            {"most_share", number(flops.most)},
            {"pipes", list(flops.pipes,
                           [](const PipeWork& pipe) {
                               return Json{{"pipe", toString(pipe.type)},
                                           {"least_flops", number(pipe.flops.least)},
                                           {"most_flops", number(pipe.flops.most)},
                                           {"roof_flops_per_s", number(pipe.roof->rate)},
                                           {"measured", pipe.roof->measured},
                                           {"how", clean(pipe.roof->how)},
                                           {"in_use_share", orNull(pipe.inUse)}};
                           })},
            {"text", sentence->quoted()}};
}

}  // namespace

std::optional<doc::Text> modelFlopsSentence(const OperatorTable& table, Language l) {
    if (!table.flops || table.flops->pipes.empty()) return std::nullopt;
    const ModelFlops& flops = *table.flops;
    const doc::Text roofs = doc::joined(flops.pipes, marksOf(l).comma,
                                        [&](const PipeWork& pipe) { return roofText(pipe, l); });
    std::vector<doc::Text> parts;
    parts.push_back(
        flops.pipes.size() == 1
            ? tell(l, "By the sizes of its operators, the window reaches {} of the {}.",
                   shareText(flops), roofs)
            : tell(l, "By the sizes of its operators, the window reaches {} of these roofs: {}.",
                   shareText(flops), roofs));
    for (const PipeWork& pipe : flops.pipes) {
        if (!pipe.inUse) continue;
        parts.push_back(tell(l, "By counters, products use the {} pipe for {} of its time.",
                             pipe.type.tensor() ? say(l, inContext("pipe", "tensor"))
                                                : std::string(toString(pipe.type)),
                             formatNumber(pipe.inUse->value, Unit::Share)));
        break;  // only the first: the others have fewer FLOPs
    }
    if (flops.known.value < 1 / kSameNumber)
        parts.push_back(tell(l, "The sizes of {} of the products' time are known.",
                             formatNumber(flops.known.value, Unit::Share)));
    return doc::joined(parts, marksOf(l).gap);
}

doc::Table operatorTable(const OperatorTable& table, const Program& program, std::size_t most,
                         Language l) {
    constexpr double kLeastShare = 0.01;
    doc::Table shown{.columns = {{.title = say(l, "operator"), .maxWidth = 60},
                                 {.title = say(l, "place"), .maxWidth = 40},
                                 {.title = say(l, "launches"), .number = true},
                                 {.title = say(l, "time"), .number = true},
                                 {.title = "DRAM", .number = true},
                                 {.title = say(l, "FLOPs"), .number = true},
                                 {.title = say(l, "rate"), .number = true}},
                     .children = {},
                     .id = "operators-table",
                     .caption = say(l, "Table of operators")};
    for (const OperatorWork& row : doc::upTo(most, table.rows)) {
        if (row.most.value < program.window.seconds.value * kLeastShare) continue;
        shown.children.push_back(doc::row(
            {{.text = nameOfOperator(row, l)},
             {.text = row.place.empty() ? doc::Text("–") : doc::code(row.place, 60)},
             {.text = row.launches ? formatNumber(*row.launches, Unit::Count) : "–",
              .value = row.launches},
             {.text = timeText(row), .value = row.least.value},
             {.text = row.dramBytes ? formatNumber(row.dramBytes->value, Unit::Bytes) : "–",
              .value = row.dramBytes ? std::optional(row.dramBytes->value) : std::nullopt},
             {.text = flopsText(row, l),
              .value = row.flops ? std::optional(row.flops->most) : std::nullopt},
             {.text = rateText(row), .value = rateOf(row)}}));
    }
    constexpr std::size_t kDram = 4;
    if (!hasBytes(table)) doc::dropColumn(shown, kDram);
    return shown;
}

doc::Text operatorNote(const OperatorTable& table, const Program& program, Language l) {
    std::vector<doc::Text> parts;
    if (!program.window.isWhole()) parts.push_back(tell(l, "Numbers are per repeat."));
    if (hasBytes(table)) parts.push_back(tell(l, "DRAM bytes were counted."));
    parts.push_back(tell(l,
                         "FLOPs follow from the sizes of tensors (2·M·N·K for a product); of "
                         "attention, from a causal mask to none. Where operators launch the same "
                         "kernels, it is not known whose launches were short: then a range."));
    return doc::joined(parts, marksOf(l).gap);
}

Json operatorsObject(const OperatorTable& table, const Program& program, Language language) {
    if (table.rows.empty()) return nullptr;
    return {{"kernels_seconds", number(table.kernels)},
            {"with_operator_seconds", number(table.withOperator)},
            {"rows", list(doc::upTo(kMostOperators, table.rows),
                          [&](const OperatorWork& row) { return rowObject(row, program); })},
            {"flops", modelObject(table, language)}};
}

}  // namespace roofscope
