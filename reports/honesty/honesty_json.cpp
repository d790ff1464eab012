// SPDX-License-Identifier: Apache-2.0
#include "reports/honesty/honesty_json.h"

#include "reports/json/json_parts.h"
#include "reports/language/phrase.h"

namespace roofscope::honesty {
namespace {

using json_parts::clean, json_parts::Json, json_parts::list, json_parts::number, json_parts::orNull;

std::string sentence(const Words& words, std::span<const Arg> args) {
    constexpr std::size_t kLongest = 200;
    return fillPhrase(words.in(Language::En), args, kLongest, Language::En);
}

Json callJson(const std::optional<CallFacts>& call) {
    if (!call) return nullptr;
    return {{"launches", call->launches},
            {"kernel_seconds", orNull(call->kernelTime)},
            {"loaded_bytes", orNull(call->loaded)},
            {"stored_bytes", orNull(call->stored)},
            {"dram_read_bytes", orNull(call->dramRead)},
            {"dram_write_bytes", orNull(call->dramWritten)},
            {"warp_instructions", orNull(call->instructions)}};
}

const char* outcomeName(Outcome outcome) {
    return outcome == Outcome::Clear        ? "clear"
           : outcome == Outcome::Suspicious ? "suspicious"
                                            : "cannot-tell";
}

Json sideJson(const std::optional<LoopSide>& side) {
    if (!side) return nullptr;
    return {{"launches", side->launches},
            {"median_seconds", number(side->time)},
            {"dram_read_bytes", orNull(side->dramRead)},
            {"dram_write_bytes", orNull(side->dramWrite)},
            {"l2_bytes", orNull(side->l2)},
            {"sm_hertz", orNull(side->smClock)}};
}

}  // namespace

std::string reviewJson(const ReviewFacts& facts, const Review& review, const HonestyOptions&) {
    Json checks = list(review.checks, [](const Check& check) {
        return Json{{"id", check.id},
                    {"outcome", outcomeName(check.outcome)},
                    {"title", check.title.in(Language::En)},
                    {"sentence", sentence(check.sentence, check.args)},
                    {"innocent", check.innocent.in(Language::En)}};
    });
    const Json root{{"format", "roofscope-review"},
                    {"schema", {1, 0}},
                    {"candidate", clean(facts.candidate)},
                    {"baseline", clean(facts.baseline)},
                    {"suspicious", review.suspicious()},
                    {"checks", std::move(checks)},
                    {"speedup", orNull(review.speedup)},
                    {"speedup_empty_l2", orNull(review.coldSpeedup)},
                    {"loop_optimism", orNull(review.warmFactor)},
                    {"baseline_loop_optimism", orNull(review.baselineWarmFactor)},
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
    const auto finding = [](const LoopFinding& found) {
        return Json{{"id", toString(found.fault)},
                    {"sentence", sentence(found.sentence, found.args)}};
    };
    const Json root{
        {"format", "roofscope-loop-check"},
        {"schema", {1, 0}},
        {"command", clean(command)},
        {"kernels", list(kernels, [&](const LoopKernel& kernel) {
             return Json{
                 {"name", clean(kernel.name)},
                 {"full_name", clean(kernel.fullName)},
                 {"share", number(kernel.share)},
                 {"optimism", orNull(kernel.optimism)},
                 {"findings", list(kernel.findings, finding)},
                 {"cannot_tell",
                  list(kernel.unknown, [](const Words& words) { return words.in(Language::En); })},
                 {"loop", sideJson(kernel.inPlace)},
                 {"replayed", sideJson(kernel.replayed)},
                 {"empty_l2", sideJson(kernel.flushed)},
                 {"program", sideJson(kernel.program)}};
         })}};
    return json_parts::dump(root);
}

}  // namespace roofscope::honesty
