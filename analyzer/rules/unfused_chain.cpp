// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analyzer/chains/chains.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/language/sentence.h"

namespace roofscope::rules {

namespace {

/// A sentence holds this many names of this many characters. For a longer chain, it says how many
/// are left out.
constexpr std::size_t kMostNames = 6, kNameLength = 44;
/// The longest loop that is looked for, in launches.
constexpr std::size_t kLongestLoop = 4;

/// What fusing saves the launches of this group on average, and the longest of their chains.
struct Share {
    double readBytes = 0, writeBytes = 0;
    const LaunchChain* chain = nullptr;
};

Share shareOf(const RuleInput& input) {
    Share share;
    const auto& launches = input.kernel.group.launches;
    for (const std::uint32_t launch : launches) {
        const auto it = input.chains.members.find(launch);
        if (it == input.chains.members.end()) continue;
        share.readBytes += it->second.readBytes;
        share.writeBytes += it->second.writeBytes;
        const LaunchChain& chain = input.chains.chains[it->second.chain];
        if (!share.chain || chain.launches.size() > share.chain->launches.size())
            share.chain = &chain;
    }
    share.readBytes /= static_cast<double>(launches.size());
    share.writeBytes /= static_cast<double>(launches.size());
    return share;
}

/// How often the `length` names from `at` on come in a row.
std::size_t repeatsAt(const std::vector<std::string>& names, std::size_t at, std::size_t length) {
    std::size_t repeats = 1;
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(at);
    for (std::size_t next = at + length; next + length <= names.size(); next += length) {
        if (!std::equal(first, first + static_cast<std::ptrdiff_t>(length),
                        names.begin() + static_cast<std::ptrdiff_t>(next)))
            break;
        ++repeats;
    }
    return repeats;
}

/// "add → 20 × (gelu → scale) → …": the launches in order, repetitions counted.
Words namesOf(const RuleInput& input, const LaunchChain& chain) {
    std::map<std::uint32_t, std::string> nameOf;
    std::vector<std::string> names;
    for (const std::uint32_t launch : chain.launches) {
        const std::uint32_t kernel = input.profile.launches[launch].kernel;
        std::string& name = nameOf[kernel];
        if (name.empty()) name = shortKernelName(input.profile.kernels[kernel].name, kNameLength);
        names.push_back(name);
    }
    std::string text;
    std::size_t at = 0, named = 0;
    while (at < names.size() && named < kMostNames) {
        // The loop that covers most; of equal ones, the shortest.
        std::size_t length = 1, repeats = repeatsAt(names, at, 1);
        for (std::size_t other = 2; other <= kLongestLoop && at + other <= names.size(); ++other)
            if (const std::size_t often = repeatsAt(names, at, other);
                often > 1 && often * other > repeats * length) {
                length = other;
                repeats = often;
            }
        std::string part;
        for (std::size_t i = 0; i < length; ++i) part += (i > 0 ? " → " : "") + names[at + i];
        if (repeats > 1)
            part = length > 1 ? fmt::format("{} × ({})", repeats, part)
                              : fmt::format("{} × {}", repeats, part);
        text += (text.empty() ? "" : " → ") + part;
        named += length;
        at += length * repeats;
    }
    if (at < names.size()) return wordsOf("{} → … ({} more)", text, names.size() - at);
    return Words::same(text);
}

template <class Set>
bool anyIn(const Set& set, const std::vector<std::uint32_t>& launches) {
    return std::ranges::any_of(launches,
                               [&](std::uint32_t launch) { return set.contains(launch); });
}

RuleResult check(const RuleInput& input) {
    const Chains& chains = input.chains;
    const KernelAnalysis& kernel = input.kernel;
    const Quantities& q = kernel.quantities;
    if (!chains.recorded) return NotApplicable{};
    const Share found = shareOf(input);
    if (!found.chain) {
        if (anyIn(chains.judged, kernel.group.launches)) return RuledOut{.cost = 0};
        if (anyIn(chains.undecided, kernel.group.launches))
            return cannotTell(
                Words("the buffers that its launches were given"),
                Words("not recorded for nodes of CUDA graphs, launches with more than 16 pointers, "
                      "and drivers before CUDA 12.4; graphs can be switched off"));
        return NotApplicable{};
    }
    if (!q.dramRead.has() || !q.dramWrite.has()) return cannotTell(q.dramRead.missing);
    // Part of what was handed over may have stayed in the L2. DRAM traffic that did not occur
    // cannot be saved.
    const double read = std::min(found.readBytes, q.dramRead->value);
    const double written = std::min(found.writeBytes, q.dramWrite->value);
    const double moved = q.dramRead->value + q.dramWrite->value;
    if (!(read + written > 0)) return NotApplicable{};  // only its neighbours save bytes
    // The arithmetic remains; loads, stores and their instructions go with the bytes.
    const double stays = resourcesOf(q).busiestExcept({ResourceId::Dram, ResourceId::L2,
                                                       ResourceId::L1, ResourceId::SharedPipe,
                                                       ResourceId::Issue, ResourceId::BlockStarts});
    const double gain =
        limitToEmptyLaunch(input, std::min((read + written) / moved, std::max(0.0, 1.0 - stays)));
    if (gain < kLeastReportedGain) return RuledOut{.cost = gain};

    Finding finding = makeEstimate(input, gain);
    if (kernel.origin == KernelOrigin::PyTorch)
        finding.edit = Words(
            "Compile the function that holds these operators: torch.compile fuses them and drops "
            "the intermediate array, unless something outside of it needs that.");
    // Other launches of the chain may read the same inputs, so for one launch alone only its final
    // writes are certain to remain.
    const double stored = std::max(0.0, q.dramWrite->value - written);
    finding.relief = {{ResourceId::Dram, stored / moved},
                      {ResourceId::L2, 0.0},
                      {ResourceId::L1, 0.0},
                      {ResourceId::SharedPipe, 0.0},
                      {ResourceId::Issue, 0.0},
                      {ResourceId::BlockStarts, 0.0}};
    finding.args = {arg("chain", namesOf(input, *found.chain)),
                    arg("count", static_cast<double>(found.chain->launches.size()), Unit::Count),
                    arg("spared", read + written, Unit::Bytes), arg("moved", moved, Unit::Bytes)};
    if (read > 0) {
        finding.evidence.push_back(
            {.label = Words("read back from DRAM after an earlier launch of the chain wrote it"),
             .formula = "least of: bytes stored there, bytes loaded here, size of the buffer",
             .value = read,
             .unit = Unit::Bytes,
             .healthy = 0.0});
        finding.expected.push_back({.counter = Words("DRAM bytes read"),
                                    .what = moved::Value::DramRead,
                                    .from = q.dramRead->value,
                                    .to = q.dramRead->value - read,
                                    .unit = Unit::Bytes});
    }
    if (written > 0) {
        finding.evidence.push_back(
            {.label = Words("written to DRAM for later launches of the chain only"),
             .formula = "least of: bytes stored here, bytes loaded there, size of the buffer",
             .value = written,
             .unit = Unit::Bytes,
             .healthy = 0.0});
        finding.expected.push_back({.counter = Words("DRAM bytes written"),
                                    .what = moved::Value::DramWritten,
                                    .from = q.dramWrite->value,
                                    .to = q.dramWrite->value - written,
                                    .unit = Unit::Bytes});
    }
    return finding;
}

}  // namespace

extern const Rule unfused_chain;
const Rule unfused_chain{
    .id = "unfused-chain",
    .category = "memory",
    .needs = {CounterGroup::Default},
    .before = "add<<<...>>>(x, bias, t);\ngelu<<<...>>>(t, y);",
    .after = "biasGelu<<<...>>>(x, bias, y);  // t stays in a register",
    .en =
        {.title = "Unfused kernel chain",
         .firesWhen =
             "Launches that follow each other in one stream are limited by the DRAM, one writes "
             "more "
             "bytes than the L2 holds into a buffer that a later one reads, and one of the two is "
             "elementwise.",
         .sentence =
             "{spared} of the {moved} that a launch moves through DRAM only carry intermediate "
             "results of a chain of {count} launches: {chain}.",
         .mechanism =
             "Each launch writes its result to DRAM and a later one of the chain reads it back. "
             "In one kernel the values stay in registers; only what nothing else reads need not "
             "be written at all.",
         .edit = "Fuse the launches: apply the elementwise step where its neighbour loads or "
                 "stores the value, and drop the intermediate array. In PyTorch torch.compile "
                 "fuses such operators. Keep the write if something outside this recording "
                 "needs the intermediate.",
         .ruledOut = "unfused chain (it exchanges no array larger than the L2 with a launch that "
                     "could be fused with it)",
         .gain = "min((bytes read back + bytes written for the chain) / DRAM bytes, 1 − busiest "
                 "pipe) × duration: this launch's share of what fusing the chain saves"},
    .check = check,
    .editPlace = EditPlace::Program,
    .removesLaunch = true};

}  // namespace roofscope::rules
