// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/elementwise_runs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/chains/buffer_access.h"

namespace roofscope::program {
namespace {

/// The current run of a stream.
struct Run {
    std::vector<std::uint32_t> wrote;                             ///< buffers, by its last launch
    std::vector<std::pair<std::uint32_t, Nanoseconds>> launches;  ///< kernel, duration
};

bool meet(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    return std::ranges::any_of(
        a, [&](std::uint32_t item) { return std::ranges::find(b, item) != b.end(); });
}

/// Lower bound of the values that PyTorch's elementwise_kernel<threads, values per thread, …> works
/// on; 0 for other kernels.
double valuesOf(std::string_view name, const Launch& launch) {
    constexpr std::string_view kName = "at::native::elementwise_kernel<";
    const auto at = name.find(kName);
    if (at == name.npos || name.find("gpu_kernel_impl") == name.npos) return 0;
    std::array<double, 2> each{};
    std::string_view rest = name.substr(at + kName.size());
    for (double& number : each) {
        unsigned value = 0;
        const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (read.ec != std::errc() || value == 0) return 0;
        number = value;
        rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
        while (rest.starts_with(',') || rest.starts_with(' ')) rest.remove_prefix(1);
    }
    return (static_cast<double>(launch.grid.total()) - 1) * each[0] * each[1] + 1;
}

/// The buffer that such a kernel changes in place ("output.add_(bias)" after a convolution). Its
/// parameters begin with an array that PyTorch fills only partly, so that the rest may hold
/// pointers of earlier calls; the operands follow. A buffer that is changed in place appears twice
/// in a row, and can hold all values (at least a byte each); leftover pointers need not.
std::optional<std::uint32_t> changedInPlace(const Profile& profile, double values,
                                            std::span<const BufferArgument> arguments) {
    for (std::size_t i = 1; values > 0 && i < arguments.size(); ++i) {
        const std::uint32_t buffer = arguments[i].buffer;
        if (buffer == arguments[i - 1].buffer &&
            arguments[i].parameter == arguments[i - 1].parameter &&
            static_cast<double>(profile.buffers[buffer].bytes) >= values)
            return buffer;
    }
    return std::nullopt;
}

BufferAccess accessOf(const Profile& profile, const std::string& name, const Launch& launch) {
    if (!launch.arguments || *launch.arguments >= profile.argumentLists.size()) return {};
    const auto arguments = profile.argumentLists[*launch.arguments];
    if (const auto buffer = changedInPlace(profile, valuesOf(name, launch), arguments))
        return {
            .known = true, .reads = {*buffer}, .mutables = {*buffer}, .elementwiseByName = true};
    return bufferAccess(name, arguments);
}

class Collector {
public:
    explicit Collector(ElementwiseRuns& found) : m_found(found) {}

    void add(Run& run, std::uint32_t kernel, Nanoseconds duration, BufferAccess access) {
        if (!meet(access.reads, run.wrote) && !meet(access.mutables, run.wrote)) close(run);
        run.launches.emplace_back(kernel, duration);
        run.wrote = std::move(access.mutables);
    }

    void close(Run& run) {
        if (run.launches.size() > 1) {
            Nanoseconds all = 0, longest = 0;
            for (const auto& [kernel, duration] : run.launches) {
                all += duration;
                longest = std::max(longest, duration);
            }
            m_found.launches += static_cast<double>(run.launches.size());
            m_found.gain += Seconds{static_cast<double>(all - longest) / 1e9};
            const double share = static_cast<double>(all - longest) / static_cast<double>(all);
            for (const auto& [kernel, duration] : run.launches)
                m_found.kernels[kernel] += share * static_cast<double>(duration) / 1e9;
        }
        run = {};
    }

private:
    ElementwiseRuns& m_found;
};

}  // namespace

ElementwiseRuns elementwiseRuns(const Analysis& analysis, const LaneActivity& lane,
                                const FoundWindow& window) {
    ElementwiseRuns found;
    const Profile& profile = *analysis.profile;
    if (profile.argumentLists.empty() || window.spans.empty()) return found;
    const std::vector<std::uint32_t> kernelOf = kernelOfLaunches(analysis);

    Collector collector(found);
    std::map<std::pair<std::uint32_t, std::uint32_t>, Run> streams;
    const auto closeAll = [&] {
        for (auto& [stream, run] : streams) collector.close(run);
    };
    std::size_t before = 0;
    forEachLaunch(lane, window, [&](const Activity& activity, std::size_t span) {
        if (std::exchange(before, span) != span) closeAll();
        const Launch& launch = profile.launches[activity.row];
        Run& run = streams[{launch.process, launch.stream}];
        const std::uint32_t kernel = kernelOf[activity.row];
        BufferAccess access = accessOf(profile, analysis.kernels[kernel].fullName, launch);
        if (access.known && access.elementwiseByName)
            collector.add(run, kernel, activity.time.length(), std::move(access));
        else
            collector.close(run);
    });
    closeAll();
    const double each = 1.0 / static_cast<double>(window.spans.size());
    found.launches *= each;
    found.gain = found.gain * each;
    for (auto& [kernel, gain] : found.kernels) gain *= each;
    return found;
}

}  // namespace roofscope::program
