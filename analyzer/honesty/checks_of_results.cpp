// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/honesty/args.h"
#include "analyzer/honesty/checks.h"

namespace roofscope::honesty {
namespace {

Words resultsNotSeen() { return {"results were not compared", "未比较结果"}; }

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
        text += (i ? ", " : "") + names[i];
    return names.size() > kMost ? text + ", …" : text;
}

}  // namespace

Check constantOutput(const Evidence& e) {
    Check check{.id = "constant-output",
                .title = {"Same output for other inputs", "输入不同，输出相同"}};
    if (!e.facts.sameForOtherInputs || !e.facts.baselineSameForOtherInputs)
        return cannotTell(std::move(check), resultsNotSeen());
    if (!*e.facts.sameForOtherInputs || *e.facts.baselineSameForOtherInputs)
        return clear(std::move(check));
    return suspicious(
        std::move(check),
        {"Two different inputs give the same output, bit by bit; the baseline's outputs differ.",
         "两组不同的输入得到逐位相同的输出；基线的输出则不同。"},
        {"A result that saturates or that rounding makes equal.", "结果饱和，或因舍入而相等。"});
}

Check staleOutput(const Evidence& e) {
    Check check{.id = "stale-output",
                .title = {"Old output for new values", "数值已更新，输出仍为旧值"}};
    if (!e.facts.keptOldOutput || !e.facts.baselineKeptOldOutput)
        return cannotTell(std::move(check), resultsNotSeen());
    if (!*e.facts.keptOldOutput || *e.facts.baselineKeptOldOutput) return clear(std::move(check));
    return suspicious(
        std::move(check),
        {"New values were copied into the same input tensors, and the output is still that of the "
         "old ones, bit by bit: a result seems to be kept by its tensors.",
         "向同一批输入张量写入新数值后，输出仍与旧数值的输出逐位相同：结果似乎按张量缓存。"},
        {"A cache that is meant for inputs that never change.", "缓存本来只面向永不改变的输入。"});
}

Check unwrittenOutput(const Evidence& e) {
    Check check{.id = "unwritten-output",
                .title = {"Output that was never written", "从未写入的输出"}};
    if (!e.facts.unwrittenBytes || !e.facts.outputBytes)
        return cannotTell(std::move(check), resultsNotSeen());
    if (*e.facts.unwrittenBytes == 0) return clear(std::move(check));
    return suspicious(
        std::move(check),
        {"{unwritten} of {output} of the output hold the pattern that free memory was filled with "
         "before the call. Without the pattern they may hold an older result.",
         "输出共 {output}，其中 {unwritten} 仍是调用前填入空闲内存的图案。没有该图案时，"
         "那里可能是更早的结果。"},
        {"Padding that nobody reads.", "无人读取的填充区。"},
        {bytesArg("unwritten", static_cast<double>(*e.facts.unwrittenBytes)),
         bytesArg("output", static_cast<double>(*e.facts.outputBytes))});
}

Check wrongOutput(const Evidence& e) {
    Check check{.id = "wrong-output",
                .title = {"Output differs from the baseline's", "输出与基线不同"}};
    if (!e.facts.relativeError || !e.facts.tolerance)
        return cannotTell(std::move(check), resultsNotSeen());
    const double error = *e.facts.relativeError;
    if (error <= *e.facts.tolerance) return clear(std::move(check));
    const Words innocent{"A tolerance that is too small for this type.",
                         "对该数据类型而言容差过小。"};
    if (!std::isfinite(error))
        return suspicious(
            std::move(check),
            {"The output has values that are not finite, where the baseline's are, or "
             "another shape.",
             "输出含有非有限值而基线没有，或形状不同。"},
            innocent);
    return suspicious(std::move(check),
                      {"The relative distance to the baseline's output is {error} (L2); allowed "
                       "are {tolerance}.",
                       "与基线输出的相对距离为 {error}（L2）；允许 {tolerance}。"},
                      innocent,
                      {shareArg("error", error), shareArg("tolerance", *e.facts.tolerance)});
}

Check changedInput(const Evidence& e) {
    Check check{.id = "changed-input", .title = {"Inputs are overwritten", "输入被改写"}};
    if (!e.facts.sameForOtherInputs) return cannotTell(std::move(check), resultsNotSeen());
    std::vector<std::string> changed = e.facts.changedInputs;
    std::erase_if(changed, [&](const std::string& name) {
        return std::ranges::find(e.facts.baselineChangedInputs, name) !=
               e.facts.baselineChangedInputs.end();
    });
    if (changed.empty()) return clear(std::move(check));
    return suspicious(
        std::move(check),
        {"A call changes its inputs ({inputs}), and the baseline does not: a second call works on "
         "other values, and the output may be an input's memory.",
         "调用会改写其输入（{inputs}），而基线不会：第二次调用处理的是别的数值，"
         "输出也可能就是输入的内存。"},
        {"A function that is meant to work in place.", "函数本来就是原地操作。"},
        {nameArg("inputs", listed(changed))});
}

}  // namespace roofscope::honesty
