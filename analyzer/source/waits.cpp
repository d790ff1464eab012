// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/waits.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/counters/counter_names.h"
#include "analyzer/language/sentence.h"
#include "profile/text/base_name.h"

namespace roofscope {
namespace {

constexpr std::size_t kMostWaits = 3;
constexpr double kLeastShare = 0.05;

/// Cycles of all resident warps of the sampled launch, summed over all SMs.
std::optional<double> warpCycles(const Profile& profile, const LaunchGroup& group,
                                 const SourcePass& pass) {
    const std::uint32_t row =
        pass.launch.value_or(group.launches.empty() ? 0 : group.launches.front());
    const auto warps = profile.counters.value(counter::kWarpsActive, row);
    const auto cycles = profile.counters.value(counter::kSmCyclesActiveAvg, row);
    const double sms = profile.devices[group.device].smCount;
    if (!warps || !cycles || !(sms > 0)) return std::nullopt;
    return *warps * *cycles * sms;
}

/// The instruction between this barrier and the previous one at which most warps wait.
std::optional<std::size_t> latecomersOf(const SourceAnalysis& source, std::size_t barrier) {
    std::optional<std::size_t> most;
    double samples = 0;
    for (std::size_t row = barrier; row-- > 0;) {
        if (source.facts[row].opcode.starts_with("BAR")) break;
        double here = 0;
        for (const SampledStalls::State& state : source.stalls.states)
            if (isWaiting(state.reason) && state.reason != "barrier") here += state.perRow[row];
        if (here <= samples) continue;
        samples = here;
        most = row;
    }
    return most;
}

/// "line 26"; with the file's name if `beside` is in another file; "+0x170" if lines are not known.
Words placeWords(const SourcePass& pass, std::size_t row, std::size_t beside) {
    const Instruction& instruction = pass.instructions[row];
    if (!instruction.file || instruction.line == 0)
        return Words::same(fmt::format("+0x{:x}", instruction.offset));
    if (instruction.file == pass.instructions[beside].file)
        return wordsOf("line {}", instruction.line);
    return Words::same(
        fmt::format("{}:{}", baseName(pass.files[*instruction.file]), instruction.line));
}

/// "STG at line 26"
Words instructionWords(const SourcePass& pass, const SourceAnalysis& source, std::size_t row,
                       std::size_t beside) {
    const Words place = placeWords(pass, row, beside);
    const std::string opcode(splitSass(source.facts[row].opcode).name);
    return wordsOf(inContext("instruction at a line", "{} at {}"), opcode, place);
}

/// "for the result of LDG at line 26"
Words causeWords(const SourcePass& pass, const SourceAnalysis& source, const Wait& wait) {
    const Words by = instructionWords(pass, source, wait.producer->row, wait.row);
    switch (wait.producer->dependency) {
        case Dependency::Result:
            return wordsOf("for the result of {}", by);
        case Dependency::Register:
            return wordsOf("until {} is done with a register that is to be reused", by);
        case Dependency::Order:
            break;
    }
    return wordsOf("for {}", by);
}

/// Rounded to two digits: "11,000". Shares of samples are not more precise.
std::string cyclesText(double cycles) {
    const double step = std::pow(10.0, std::max(0.0, std::floor(std::log10(cycles)) - 1));
    std::string text = fmt::format("{:.0f}", std::round(cycles / step) * step);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), ",");
    return text;
}

std::size_t inFlightWanted(const Wait& wait, double busiest) {
    constexpr double kMostTelling = 16;  // more than registers and queues hold
    const double wanted = std::ceil(static_cast<double>(wait.loadsInFlight) / busiest);
    return wanted <= kMostTelling ? static_cast<std::size_t>(wanted) : 0;
}

}  // namespace

std::vector<Wait> findWaits(const Profile& profile, const LaunchGroup& group,
                            const SourceAnalysis& source, const std::string& state) {
    std::vector<Wait> waits;
    if (!source.hasSass) return waits;
    const SourcePass& pass = profile.sources[source.pass];
    const SampledStalls::State* const found = source.stalls.find(state);
    if (!found) return waits;
    const std::vector<std::size_t> rows = rowsBySamples(*found);

    const Dataflow flow(pass.instructions);
    const auto resident = warpCycles(profile, group, pass);
    for (const std::size_t row : rows) {
        const double samples = found->perRow[row];
        if (waits.size() == kMostWaits || samples < kLeastShare * found->total) break;
        Wait wait{
            .row = row, .share = samples / found->total, .producer = flow.producerOf(row, state)};
        const auto& executed = source.perRow[row].executed;
        if (resident && executed && *executed > 0)
            wait.cycles = samples / source.stalls.total * *resident / *executed;
        if (wait.producer && state == "long_scoreboard") {
            wait.loadsInFlight = flow.loadsInFlight(row);
            wait.addressFrom = flow.addressFrom(wait.producer->row);
        }
        if (wait.producer && state == "barrier")
            wait.latecomers = latecomersOf(source, wait.producer->row);
        waits.push_back(std::move(wait));
    }
    return waits;
}

Words waitWords(const SourcePass& pass, const SourceAnalysis& source, const Wait& wait) {
    if (!wait.producer) return {};
    const Words at = instructionWords(pass, source, wait.row, wait.producer->row);
    const Words cause = causeWords(pass, source, wait);
    Words said = wordsOf("{:.0f} % of that at {}, {}", 100 * wait.share, at, cause);
    const std::size_t loads = wait.loadsInFlight;
    if (loads > 0 && wait.producer->dependency == Dependency::Result)
        said = loads == 1 ? wordsOf("{}, 1 load in flight per warp", said)
                          : wordsOf("{}, {} loads in flight per warp", said, loads);
    if (wait.cycles && *wait.cycles >= 1)
        said = wordsOf("{}, about {} cycles each time", said, cyclesText(*wait.cycles));
    if (wait.latecomers)
        said = wordsOf("{}; late warps are mostly at {}", said,
                       instructionWords(pass, source, *wait.latecomers, wait.producer->row));
    return said;
}

Words waitEdit(const SourcePass& pass, const Wait& wait, double busiest) {
    if (!wait.producer || wait.producer->dependency != Dependency::Result ||
        wait.loadsInFlight == 0)
        return {};
    const Words load = placeWords(pass, wait.producer->row, wait.row);
    if (wait.addressFrom) {
        const Words from = placeWords(pass, *wait.addressFrom, wait.row);
        return wordsOf(
            "The load at {} takes its address from the load at {}, so that they cannot overlap: "
            "give each thread several independent chains, keep more warps resident, or store side "
            "by side what is looked up together.",
            load, from);
    }
    const Words use = placeWords(pass, wait.row, wait.producer->row);
    const std::size_t wanted = inFlightWanted(wait, busiest);
    return wordsOf(
        "Issue {} independent loads per warp, instead of {}, before {} uses the first: unroll the "
        "loop around {}, load the next step's values early, or keep more warps resident.",
        wanted > 0 ? wordsOf(inContext("loads", "about {}"), wanted)
                   : Words(inContext("loads", "many more")),
        wait.loadsInFlight, use, load);
}

}  // namespace roofscope
