// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/graph_inputs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace roofscope::program {
namespace {

/// If it ran fewer times, the graph may just have been captured and run once.
constexpr std::size_t kTimes = 3;

bool copiesTensors(const KernelAnalysis& kernel) {
    return kernel.origin == KernelOrigin::PyTorch &&
           kernel.fullName.find("multi_tensor_apply_kernel<") != std::string::npos &&
           kernel.fullName.find("UnaryOpFunctor<") != std::string::npos &&
           kernel.fullName.find("at::native::Copy<") != std::string::npos;
}

/// For each launch of such a copy, the next launch in its stream that is no such copy; by rows of
/// Profile::launches.
std::map<std::uint32_t, std::uint32_t> nextOfCopies(const Profile& profile,
                                                    const std::set<std::uint32_t>& copies) {
    std::map<std::uint32_t, std::uint32_t> next;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>
        open;
    for (std::uint32_t row = 0; row < profile.launches.size(); ++row) {
        const Launch& launch = profile.launches[row];
        auto& before = open[{launch.process, launch.device, launch.stream}];
        if (copies.contains(row)) {
            before.push_back(row);
            continue;
        }
        for (const std::uint32_t copy : before) next.emplace(copy, row);
        before.clear();
    }
    return next;
}

using Line = std::tuple<std::string, std::uint32_t, std::string>;

/// The lines that launch these kernels (indices into Profile::kernels); nullopt if one is not known
/// or its launch was made by another thread.
std::optional<std::set<Line>> linesOf(const Profile& profile,
                                      const std::set<std::uint32_t>& kernels) {
    std::set<Line> lines;
    for (const CallSite& site : profile.callSites) {
        if (!site.kernel || !kernels.contains(*site.kernel)) continue;
        if (site.indirect || site.file.empty() || site.line == 0) return std::nullopt;
        lines.emplace(site.file, site.line, site.function);
    }
    if (lines.empty()) return std::nullopt;
    return lines;
}

/// Whether all launches of the group feed graphs, beginning with the first one that does.
bool feedsGraphs(const Analysis& analysis, const KernelAnalysis& kernel,
                 const std::map<std::uint32_t, std::uint32_t>& next,
                 const std::set<std::uint32_t>& inductors) {
    const Profile& profile = *analysis.profile;
    std::size_t times = 0;
    std::set<std::uint32_t> own, fed;
    for (const std::uint32_t row : kernel.group.launches) {
        const Launch& launch = profile.launches[row];
        if (launch.fromGraph) return false;
        own.insert(launch.kernel);
        const auto found = next.find(row);
        const Launch* after = found == next.end() ? nullptr : &profile.launches[found->second];
        if (after && after->fromGraph && inductors.contains(after->kernel)) {
            fed.insert(after->kernel);
            ++times;
        } else if (times > 0) {
            return false;
        }
    }
    if (times < kTimes) return false;
    const auto from = linesOf(profile, own), to = linesOf(profile, fed);
    return from && to && std::ranges::includes(*to, *from);
}

}  // namespace

KernelsPerWindow graphInputs(const Analysis& analysis, const Program& program) {
    std::set<std::uint32_t> copies, inductors;
    for (const KernelAnalysis& kernel : analysis.kernels) {
        if (copiesTensors(kernel))
            copies.insert(kernel.group.launches.begin(), kernel.group.launches.end());
        if (kernel.origin == KernelOrigin::Compiler)
            for (const std::uint32_t row : kernel.group.launches)
                inductors.insert(analysis.profile->launches[row].kernel);
    }
    if (copies.empty() || inductors.empty()) return {};
    const auto next = nextOfCopies(*analysis.profile, copies);
    return kernelsThat(analysis, program, [&](const KernelAnalysis& kernel) {
        return copiesTensors(kernel) && feedsGraphs(analysis, kernel, next, inductors);
    });
}

}  // namespace roofscope::program
