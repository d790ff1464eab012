// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/python_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/numbers/median.h"
#include "profile/names/foreign_modules.h"
#include "profile/text/base_name.h"

namespace roofscope::program {
namespace {

constexpr double kLeastPerWindow = 8;
constexpr double kLeastShare = 0.2;
constexpr std::size_t kLeastLines = 2;

/// A line that launches in a smaller share of the repeats does not tell how often its function is
/// entered: it may fill a cache when it is first used.
constexpr double kLeastOfRepeats = 0.25;

/// What one line of a function launches.
struct Line {
    /// Recorded calls by kernel, operator and sizes, and the largest of these counts.
    std::map<std::tuple<std::uint32_t, std::string_view, std::string_view>, double> calls;
    double most = 0;
    double launches = 0;  ///< per window
};
/// File and name of a function.
using FunctionKey = std::pair<std::string, std::string>;

std::string placeOf(const FunctionKey& function, std::uint32_t first, std::uint32_t last) {
    return fmt::format("{}:{}–{} ({})", baseName(function.first), first, last, function.second);
}
using Lines = std::map<std::uint32_t, Line>;

/// The function of a layer runs once for each layer of the network, so its lines are no loop over
/// items.
bool isLayer(const std::string& function) {
    return function.ends_with("forward") || function.ends_with("__call__");
}

bool isOptimizer(const CpuFrame& frame) {
    return isInstalledPython(frame.file) &&
           (frame.function.ends_with(".step") || frame.file.find("optim") != frame.file.npos);
}

/// By index of Profile::kernels.
using PerKernel = std::map<std::uint32_t, double>;

PerKernel launchesPerWindow(const Analysis& analysis, const Program& program) {
    PerKernel launches;
    for (std::size_t k = 0; k < analysis.kernels.size(); ++k) {
        const auto& rows = analysis.kernels[k].group.launches;
        if (!rows.empty())
            launches[analysis.profile->launches[rows.front()].kernel] +=
                program.kernels[k].perWindow;
    }
    return launches;
}

}  // namespace

std::optional<PythonLoop> sampledLoop(const Profile& profile, const LaunchRounds& rounds,
                                      const SampleTally& samples) {
    constexpr double kMost = 0.75;  // of the samples
    constexpr double kLeastOfLine = 0.05;
    if (rounds.rounds < kManyRounds || samplesIn(samples) < kLeastSamples) return std::nullopt;
    struct Function {
        double samples = 0, depth = 0;  // depth: of all samples, from the outermost frame
        std::map<std::uint32_t, double> lines;
    };
    std::map<FunctionKey, Function> functions;
    for (const auto& [key, count] : samples) {
        const auto& of = profile.processes[key.process].cpuSamples;
        if (!of) continue;
        const auto& stack = of->stacks[key.stack];
        std::set<FunctionKey> seen;
        for (std::size_t i = 0; i < stack.size(); ++i) {
            const CpuFrame& frame = of->frames[stack[i]];
            if (!frame.module.empty() || !frame.file.ends_with(".py")) continue;
            if (isOptimizer(frame)) break;  // its loop is over parameters
            if (isInstalledPython(frame.file)) continue;
            if (isLayer(frame.function)) break;  // its callers run a network
            const FunctionKey name{frame.file, frame.function};
            Function& function = functions[name];
            function.lines[frame.line] += count;
            if (!seen.insert(name).second) continue;
            function.samples += count;
            function.depth += count * static_cast<double>(stack.size() - i);
        }
    }
    const double least = kMost * samplesIn(samples);
    for (auto& [name, function] : functions)
        std::erase_if(function.lines, [&](const auto& line) {
            return line.second < kLeastOfLine * function.samples;
        });
    const std::pair<const FunctionKey, Function>* innermost = nullptr;
    for (const auto& entry : functions)
        if (entry.second.samples >= least && entry.second.lines.size() >= kLeastLines &&
            (!innermost || entry.second.depth / entry.second.samples >
                               innermost->second.depth / innermost->second.samples))
            innermost = &entry;
    if (!innermost) return std::nullopt;
    const auto& [name, function] = *innermost;
    return PythonLoop{
        .place = placeOf(name, function.lines.begin()->first, function.lines.rbegin()->first),
        .rounds = rounds.rounds,
        .launches = rounds.launches};
}

std::optional<PythonLoop> pythonLoop(const Analysis& analysis, const Program& program,
                                     double repeats) {
    const Profile& profile = *analysis.profile;
    repeats = std::max(1.0, repeats);
    PerKernel noted;
    for (const CallSite& site : profile.callSites)
        if (site.kernel) noted[*site.kernel] += static_cast<double>(site.count);
    const PerKernel launches = launchesPerWindow(analysis, program);

    std::map<FunctionKey, Lines> functions;
    for (const CallSite& site : profile.callSites) {
        if (!site.kernel || site.indirect || site.function.empty() || isLayer(site.function) ||
            !site.file.ends_with(".py") || isInstalledPython(site.file))
            continue;
        Line& line = functions[{site.file, site.function}][site.line];
        const auto count = static_cast<double>(site.count);
        // Shapes may change from round to round, so calls of all shapes are added up.
        double& inAnyShape = line.calls[{*site.kernel, site.op, site.sizes}];
        inAnyShape += count;
        line.most = std::max(line.most, inAnyShape);
        const auto all = launches.find(*site.kernel);
        if (all != launches.end()) line.launches += all->second * count / noted.at(*site.kernel);
    }
    const double least = kLeastShare * program.launches().perWindow;
    std::optional<PythonLoop> most;
    for (const auto& [name, lines] : functions) {
        double entered = std::numeric_limits<double>::infinity();
        for (const auto& [number, line] : lines)
            if (line.most >= kLeastOfRepeats * repeats) entered = std::min(entered, line.most);
        std::uint32_t first = 0, last = 0;
        std::vector<double> rounds;
        double launched = 0;
        for (const auto& [number, line] : lines) {
            if (line.most < kManyRounds * entered || line.most < kLeastPerWindow * repeats)
                continue;
            if (rounds.empty()) first = number;
            last = number;
            rounds.push_back(line.most / entered);
            launched += line.launches;
        }
        if (rounds.size() < kLeastLines || launched < least || (most && launched <= most->launches))
            continue;
        most = PythonLoop{.place = placeOf(name, first, last),
                          .rounds = medianOf(std::move(rounds)),
                          .launches = launched};
    }
    return most;
}

}  // namespace roofscope::program
