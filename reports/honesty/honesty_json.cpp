// SPDX-License-Identifier: Apache-2.0
#include "reports/honesty/honesty_json.h"

#include "profile/clean_text.h"
#include "reports/json_parts.h"
#include "reports/phrase.h"

namespace roofscope::honesty {
namespace {

using json_parts::clean;
using json_parts::Json;

std::string sentence(const Words& words, std::span<const Arg> args) {
    constexpr std::size_t kLongest = 200;
    return fillPhrase(
        words.in(Language::En), args,
        [](std::string_view text) { return cleanText(text, kLongest); }, Language::En);
}

Json optional(const std::optional<double>& value) {
    return value ? json_parts::number(*value) : Json(nullptr);
}
template <class Quantity>
Json optional(const std::optional<Quantity>& value) {
    return value ? json_parts::number(value->value) : Json(nullptr);
}
template <class Quantity>
Json derived(const Derived<Quantity>& value) {
    return value.has() ? json_parts::number(value->value) : Json(nullptr);
}

Json callJson(const std::optional<CallFacts>& call) {
    if (!call) return nullptr;
    return {{"launches", call->launches},
            {"kernel_seconds", optional(call->kernelTime)},
            {"loaded_bytes", optional(call->loaded)},
            {"stored_bytes", optional(call->stored)},
            {"dram_read_bytes", optional(call->dramRead)},
            {"dram_write_bytes", optional(call->dramWritten)},
            {"warp_instructions", optional(call->instructions)}};
}

const char* outcomeName(Outcome outcome) {
    return outcome == Outcome::Clear        ? "clear"
           : outcome == Outcome::Suspicious ? "suspicious"
                                            : "cannot-tell";
}

Json sideJson(const std::optional<LoopSide>& side) {
    if (!side) return nullptr;
    return {{"launches", side->launches},
            {"median_seconds", json_parts::number(side->time.value)},
            {"dram_read_bytes", derived(side->dramRead)},
            {"dram_write_bytes", derived(side->dramWrite)},
            {"l2_bytes", derived(side->l2)},
            {"sm_hertz", derived(side->smClock)}};
}

}  // namespace

std::string reviewJson(const ReviewFacts& facts, const Review& review, const HonestyOptions&) {
    Json checks = Json::array();
    for (const Check& check : review.checks)
        checks.push_back({{"id", check.id},
                          {"outcome", outcomeName(check.outcome)},
                          {"title", check.title.in(Language::En)},
                          {"sentence", sentence(check.sentence, check.args)},
                          {"innocent", check.innocent.in(Language::En)}});
    const Json root{{"format", "roofscope-review"},
                    {"schema", {1, 0}},
                    {"candidate", clean(facts.candidate)},
                    {"baseline", clean(facts.baseline)},
                    {"suspicious", review.suspicious()},
                    {"checks", std::move(checks)},
                    {"speedup", optional(review.speedup)},
                    {"speedup_empty_l2", optional(review.coldSpeedup)},
                    {"loop_optimism", optional(review.warmFactor)},
                    {"baseline_loop_optimism", optional(review.baselineWarmFactor)},
                    {"calls",
                     {{"baseline", callJson(review.baseline)},
                      {"candidate", callJson(review.candidate)},
                      {"new_inputs", callJson(review.fresh)},
                      {"empty_l2", callJson(review.flushed)},
                      {"baseline_empty_l2", callJson(review.baselineFlushed)}}}};
    return json_parts::dump(root);
}

std::string loopJson(const std::vector<LoopKernel>& kernels, const std::string& command,
                     const HonestyOptions&) {
    Json list = Json::array();
    for (const LoopKernel& kernel : kernels) {
        Json findings = Json::array(), unknown = Json::array();
        for (const LoopFinding& finding : kernel.findings)
            findings.push_back({{"id", toString(finding.fault)},
                                {"sentence", sentence(finding.sentence, finding.args)}});
        for (const Words& words : kernel.unknown) unknown.push_back(words.in(Language::En));
        list.push_back({{"name", clean(kernel.name)},
                        {"full_name", clean(kernel.fullName)},
                        {"share", json_parts::number(kernel.share.value)},
                        {"optimism", optional(kernel.optimism)},
                        {"findings", std::move(findings)},
                        {"cannot_tell", std::move(unknown)},
                        {"loop", sideJson(kernel.inPlace)},
                        {"replayed", sideJson(kernel.replayed)},
                        {"empty_l2", sideJson(kernel.flushed)},
                        {"program", sideJson(kernel.program)}});
    }
    const Json root{{"format", "roofscope-loop-check"},
                    {"schema", {1, 0}},
                    {"command", clean(command)},
                    {"kernels", std::move(list)}};
    return json_parts::dump(root);
}

}  // namespace roofscope::honesty
