// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {

namespace {

/// Below this share of the kernel's instructions (or samples), other work decides.
constexpr double kLeastShare = 0.3;
/// Skipping ahead loads a matrix for each bit of the distance. Drawing a number loads nothing: the
/// state is in registers.
constexpr double kLeastLoads = 0.1;

/// The header in which cuRAND's generators are set up and draw numbers, on the device.
bool isGeneratorHeader(std::string_view path) {
    return path.substr(path.find_last_of("/\\") + 1) == "curand_kernel.h";
}

/// What a kernel spends in that header, by its line table.
struct Setup {
    double share = 0;           ///< of the kernel's instructions, or samples
    bool bySamples = false;     ///< false: by executed instructions
    double loads = 0;           ///< share of global loads among the header's instructions
    std::vector<double> ofRow;  ///< instructions or samples per instruction of the header
    double total = 0;           ///< their sum
};

Setup setupOf(const SourcePass& pass, const SourceAnalysis& source) {
    Setup setup{.bySamples = source.stalls.enough()};
    setup.ofRow.resize(source.perRow.size());
    double all = 0, rows = 0, loads = 0;
    for (std::size_t row = 0; row < source.perRow.size(); ++row) {
        const double cost =
            setup.bySamples ? source.stalls.perRow[row] : source.perRow[row].executed.value_or(0);
        all += cost;
        const auto& file = pass.instructions[row].file;
        if (!file || !isGeneratorHeader(pass.files[*file])) continue;
        setup.ofRow[row] = cost;
        setup.total += cost;
        // Static counts: what was only sampled has no counts per instruction.
        rows += 1;
        loads +=
            std::ranges::find(kGlobalLoadKinds, source.facts[row].kind) != kGlobalLoadKinds.end()
                ? 1
                : 0;
    }
    if (all > 0) setup.share = setup.total / all;
    if (rows > 0) setup.loads = loads / rows;
    return setup;
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const SourceAnalysis* source = kernel.source.get();
    if (kernel.origin != KernelOrigin::Own || !source || !source->hasSass || !source->hasLines)
        return NotApplicable{};
    const SourcePass& pass = input.profile.sources[source->pass];
    const Setup setup = setupOf(pass, *source);
    if (setup.share < kLeastShare || setup.loads < kLeastLoads) return NotApplicable{};
    const double gain = limitToEmptyLaunch(
        input, std::min(setup.share, 1.0 - resourcesOf(kernel.quantities).busy(ResourceId::Dram)));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.relief =
        relieves({ResourceId::L1, ResourceId::L2, ResourceId::Issue, ResourceId::Integer});
    finding.args = {arg("share", setup.share, Unit::Share),
                    arg("what", setup.bySamples ? Words("samples") : Words("instructions"))};
    finding.evidence = {{.label = Words("share of the lines of curand_kernel.h"),
                         .formula = setup.bySamples ? "samples of its instructions / all samples"
                                                    : "executed instructions of it / all executed",
                         .value = setup.share,
                         .unit = Unit::Share,
                         .threshold = kLeastShare}};
    finding.places = worstPlaces(
        input.profile, *source, setup.bySamples ? Words("samples") : Words("instructions"),
        setup.total, [&setup](std::size_t row) { return setup.ofRow[row]; });
    return finding;
}

}  // namespace

extern const Rule generator_setup;
const Rule generator_setup{
    .id = "generator-setup",
    .category = "latency",
    .needs = {CounterGroup::Source},
    .before =
        "curandState state;\ncurand_init(seed, i, step, &state);  // in each launch\n"
        "float u = curand_uniform(&state);",
    .after =
        "curandState state = states[i];  // curand_init once, in a kernel of its own\n"
        "float u = curand_uniform(&state);\nstates[i] = state;",
    .en = {.title = "Setting up random generators takes the time",
           .firesWhen =
               "At least 30 % of the samples (or of the executed instructions) of a kernel of the "
               "program lie at lines of curand_kernel.h, and at least a tenth of the instructions "
               "there load from global memory, which only a generator's setup does.",
           .sentence = "{share} of the kernel's {what} are those of curand_init, which skips ahead "
                       "in the generator's sequence.",
           .mechanism =
               "To give each thread a sequence of its own, curand_init multiplies the generator's "
               "state by a matrix for each bit of the distance: thousands of instructions, where "
               "drawing a number takes a dozen.",
           .edit = "Call curand_init once, in a kernel of its own; keep the states in an array "
                   "that later launches load and store. Or take a generator that needs no setup: "
                   "curandStatePhilox4_32_10_t, with the step as its offset.",
           .ruledOut = "the setup of random generators",
           .gain = "min(share of curand_kernel.h, 1 − DRAM use) × duration; what loading and "
                   "storing states takes is not subtracted"},
    .check = check,
    .explains = {"linear-search", "redundant-read", "local-memory-spill", "local-arrays",
                 "global-uncoalesced", "integer-arithmetic", "dominant-stall"},
    .causesStalls = {"lg_throttle", "long_scoreboard"}};

}  // namespace roofscope::rules
