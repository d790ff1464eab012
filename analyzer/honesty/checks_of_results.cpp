// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyzer/honesty/args.h"
#include "analyzer/honesty/checks.h"

namespace roofscope::honesty {
namespace {

Words resultsNotCompared() { return Words("results were not compared"); }

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
        text += (i ? ", " : "") + names[i];
    return names.size() > kMost ? text + ", …" : text;
}

}  // namespace

Check constantOutput(const Evidence& e) {
    Check check{.id = "constant-output", .title = Words("Same output for other inputs")};
    if (!e.facts.sameForOtherInputs || !e.facts.baselineSameForOtherInputs)
        return cannotTell(std::move(check), resultsNotCompared());
    if (!*e.facts.sameForOtherInputs || *e.facts.baselineSameForOtherInputs)
        return clear(std::move(check));
    return suspicious(std::move(check),
                      Words("Two different inputs give the same output, bit by bit; the baseline's "
                            "outputs differ."),
                      Words("A result that saturates or that rounding makes equal."));
}

Check staleOutput(const Evidence& e) {
    Check check{.id = "stale-output", .title = Words("Old output for new values")};
    if (!e.facts.keptOldOutput || !e.facts.baselineKeptOldOutput)
        return cannotTell(std::move(check), resultsNotCompared());
    if (!*e.facts.keptOldOutput || *e.facts.baselineKeptOldOutput) return clear(std::move(check));
    return suspicious(
        std::move(check),
        Words("New values were copied into the same input tensors, and the output is still that of "
              "the old ones, bit by bit: a result seems to be cached per tensor."),
        Words("A cache that is meant for inputs that never change."));
}

Check unwrittenOutput(const Evidence& e) {
    Check check{.id = "unwritten-output", .title = Words("Output that was never written")};
    if (!e.facts.unwrittenBytes || !e.facts.outputBytes)
        return cannotTell(std::move(check), resultsNotCompared());
    if (*e.facts.unwrittenBytes == 0) return clear(std::move(check));
    return suspicious(std::move(check),
                      Words("{unwritten} of {output} of the output hold the pattern that free "
                            "memory was filled with "
                            "before the call. Without the pattern they may hold an older result."),
                      Words("Padding that nobody reads."),
                      {bytesArg("unwritten", static_cast<double>(*e.facts.unwrittenBytes)),
                       bytesArg("output", static_cast<double>(*e.facts.outputBytes))});
}

Check wrongOutput(const Evidence& e) {
    Check check{.id = "wrong-output", .title = Words("Output differs from the baseline's")};
    if (!e.facts.relativeError || !e.facts.tolerance)
        return cannotTell(std::move(check), resultsNotCompared());
    const double error = *e.facts.relativeError;
    if (error <= *e.facts.tolerance) return clear(std::move(check));
    const Words innocent{"A tolerance that is too small for this type."};
    if (!std::isfinite(error))
        return suspicious(std::move(check),
                          Words("The output has another shape, or non-finite values where the "
                                "baseline's are finite."),
                          innocent);
    return suspicious(std::move(check),
                      Words("The relative error against the baseline's output is {error} (L2 "
                            "norm); {tolerance} is allowed."),
                      innocent,
                      {shareArg("error", error), shareArg("tolerance", *e.facts.tolerance)});
}

Check changedInput(const Evidence& e) {
    Check check{.id = "changed-input", .title = Words("Inputs are overwritten")};
    if (!e.facts.sameForOtherInputs) return cannotTell(std::move(check), resultsNotCompared());
    std::vector<std::string> changed = e.facts.changedInputs;
    std::erase_if(changed, [&](const std::string& name) {
        return std::ranges::find(e.facts.baselineChangedInputs, name) !=
               e.facts.baselineChangedInputs.end();
    });
    if (changed.empty()) return clear(std::move(check));
    return suspicious(std::move(check),
                      Words("A call changes its inputs ({inputs}), and the baseline does not: a "
                            "second call works on "
                            "other values, and the output may be an input's memory."),
                      Words("A function that is meant to work in place."),
                      {nameArg("inputs", listed(changed))});
}

}  // namespace roofscope::honesty
