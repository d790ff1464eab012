// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/queue_users.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/joined_sentences.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/producers.h"
#include "analyzer/source/sass.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {
namespace {

/// If instructions of one kind cause at least this share of the wait, the wait is theirs.
constexpr double kMostOfWait = 0.5;

/// Whether an instruction loads from constant memory at an address that lanes compute:
/// "LDC R2, c[0x3][R4]". Parameters and the constants of code have fixed addresses.
bool loadsConstantByIndex(std::string_view sass) {
    const SassParts parts = splitSass(sass);
    return parts.name == "LDC" && parts.operands.find("[R") != parts.operands.npos;
}

/// The shares of the wait at indexed loads of constants and at shuffles.
struct SampledUsers {
    double constants = 0, shuffles = 0;
};

SampledUsers sampledUsers(const SourcePass& pass, const SampledStalls::State& state) {
    constexpr std::size_t kMostRows = 128;  // an unrolled loop has dozens
    std::vector<std::size_t> rows = rowsBySamples(state);
    rows.resize(std::min(rows.size(), kMostRows));
    const Dataflow flow(pass.instructions);
    SampledUsers users;
    for (const std::size_t row : rows) {
        // A full queue stalls the instruction that enters it, a late result the one that uses it.
        std::size_t by = row;
        if (state.reason != "mio_throttle") {
            const auto producer = flow.producerOf(row, state.reason);
            if (!producer) continue;
            by = producer->row;
        }
        const std::string& sass = pass.instructions[by].sass;
        const double share = state.perRow[row] / state.total;
        if (loadsConstantByIndex(sass)) users.constants += share;
        if (splitSass(sass).name == "SHFL") users.shuffles += share;
    }
    return users;
}

/// The samples of warps in a state, if there are enough of them and the code is known.
const SampledStalls::State* sampledState(const KernelAnalysis& kernel, std::string_view reason) {
    if (!kernel.source || !kernel.source->hasSass || !kernel.source->stalls.enough())
        return nullptr;
    return kernel.source->stalls.find(reason);
}

const Words& constantsEdit() {
    static const Words kEdit(
        "Move tables whose index differs from lane to lane out of constant memory into shared "
        "memory: constant memory serves one address at a time, so that each such load is repeated "
        "up to 32 times. Keep there only what all lanes read at the same index.");
    return kEdit;
}

}  // namespace

QueueUser queueUserOf(const RuleInput& input, std::string_view reason) {
    const KernelAnalysis& kernel = input.kernel;
    if (kernel.origin != KernelOrigin::Own ||
        (reason != "mio_throttle" && reason != "short_scoreboard"))
        return {};
    if (const SampledStalls::State* const state = sampledState(kernel, reason)) {
        const SampledUsers users = sampledUsers(input.profile.sources[kernel.source->pass], *state);
        if (users.constants >= kMostOfWait)
            return {.what = Words("constant memory, at another index in each lane"),
                    .edit = constantsEdit()};
        if (users.shuffles >= kMostOfWait)
            return {.what = Words("warp shuffles"),
                    .edit = Words("Exchange values less often: let each thread sum several values "
                                  "of its own first, and combine those of a warp once, at the "
                                  "end (__reduce_add_sync for integers).")};
        return {};
    }
    constexpr double kHardly = 0.2;
    const Kernel& facts = input.profile.kernels[kernel.group.kernel];
    if (kernel.group.dynamicSharedBytes > 0 || facts.staticSharedBytes.value_or(1) > 0 ||
        resourcesOf(kernel.quantities).busy(ResourceId::SpecialFunction) > kHardly)
        return {};
    return {.what = Words("constant memory or warp shuffles"),
            .edit = joinedSentences(
                constantsEdit(),
                Words("The kernel has no shared memory: if it has no such table either, its warps "
                      "wait for shuffles."))};
}

}  // namespace roofscope::rules
