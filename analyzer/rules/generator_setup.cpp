// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/source_analysis.h"
#include "profile/text/base_name.h"

namespace roofscope::rules {

namespace {

/// Below this share of the kernel's instructions (or samples), other work decides.
constexpr double kLeastShare = 0.3;
/// With fewer launches, it is the kernel that sets the generators up once.
constexpr std::size_t kLeastLaunches = 3;

/// The header in which cuRAND's generators are set up and draw numbers, on the device.
constexpr std::string_view kGeneratorHeader = "curand_kernel.h";

/// The lines of a recorded piece of that header that belong to skipping ahead: those after the name
/// of such a function, as far as the longest of them reaches.
std::set<std::uint32_t> skippingLines(const SourceText& text) {
    constexpr std::uint32_t kLongest = 40;
    std::set<std::uint32_t> lines;
    std::uint32_t until = 0;
    for (std::uint32_t i = 0; i < text.lines.size(); ++i) {
        const std::string& line = text.lines[i];
        if (line.find("matvec") != line.npos || line.find("kipahead") != line.npos)
            until = i + kLongest;
        if (i < until) lines.insert(text.firstLine + i);
    }
    return lines;
}

/// What a kernel spends on skipping ahead, by its line table.
struct Setup {
    double share = 0;           ///< of the kernel's instructions, or samples
    bool bySamples = false;     ///< false: by executed instructions
    std::vector<double> ofRow;  ///< instructions or samples per instruction
    double total = 0;           ///< their sum
};

Setup setupOf(const SourcePass& pass, const SourceAnalysis& source) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> skipping;  // file and line
    for (const SourceText& text : pass.texts)
        if (baseName(pass.files[text.file]) == kGeneratorHeader)
            for (const std::uint32_t line : skippingLines(text)) skipping.emplace(text.file, line);
    Setup setup{.bySamples = source.stalls.enough()};
    setup.ofRow.resize(source.perRow.size());
    double all = 0;
    for (std::size_t row = 0; row < source.perRow.size(); ++row) {
        const double cost =
            setup.bySamples ? source.stalls.perRow[row] : source.perRow[row].executed.value_or(0);
        all += cost;
        const Instruction& instruction = pass.instructions[row];
        if (!instruction.file || !skipping.contains({*instruction.file, instruction.line}))
            continue;
        setup.ofRow[row] = cost;
        setup.total += cost;
    }
    if (all > 0) setup.share = setup.total / all;
    return setup;
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    const SourceAnalysis* source = kernel.source.get();
    if (kernel.origin != KernelOrigin::Own || !source || !source->hasLines ||
        kernel.group.launches.size() < kLeastLaunches)
        return NotApplicable{};
    const SourcePass& pass = input.profile.sources[source->pass];
    const Setup setup = setupOf(pass, *source);
    if (setup.share < kLeastShare) return NotApplicable{};
    const double gain = limitToEmptyLaunch(
        input, std::min(setup.share, 1.0 - resourcesOf(kernel.quantities).busy(ResourceId::Dram)));
    if (gain < kLeastReportedGain) return NotApplicable{};
    Finding finding = makeFinding(input, gain);
    finding.relief =
        relieves({ResourceId::L1, ResourceId::L2, ResourceId::Issue, ResourceId::Integer});
    finding.args = {arg("share", setup.share, Unit::Share),
                    arg("what", setup.bySamples ? Words("samples") : Words("instructions"))};
    finding.evidence = {{.label = Words("share of what skips ahead in curand_kernel.h"),
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
               "program, which is launched three times or more, lie where curand_kernel.h skips "
               "ahead in a generator's sequence.",
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
           .gain = "min(share of skipping ahead, 1 − DRAM use) × duration; what loading and "
                   "storing states takes is not subtracted"},
    .check = check,
    .explains = {"linear-search", "redundant-read", "local-memory-spill", "local-arrays",
                 "global-uncoalesced", "integer-arithmetic", "dominant-stall"},
    .causesStalls = {"lg_throttle", "long_scoreboard"}};

}  // namespace roofscope::rules
