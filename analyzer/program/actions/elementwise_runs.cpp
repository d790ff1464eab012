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
#include "analyzer/program/window/streams.h"

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

/// How many values a block of PyTorch's elementwise_kernel<threads, values per thread, …> works on;
/// 0 for other kernels.
double valuesPerBlock(std::string_view name) {
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
    return each[0] * each[1];
}

/// What is known of a kernel by its name.
struct Named {
    explicit Named(const std::string& name) : buffers(name), perBlock(valuesPerBlock(name)) {}
    KernelBuffers buffers;
    double perBlock;  ///< valuesPerBlock()

    /// Lower bound of the values that a launch works on; 0: unknown.
    [[nodiscard]] double values(const Launch& launch) const {
        return perBlock > 0 ? (static_cast<double>(launch.grid.total()) - 1) * perBlock + 1 : 0;
    }
};

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

BufferAccess accessOf(const Profile& profile, const Named& kernel, const Launch& launch) {
    if (!launch.arguments || *launch.arguments >= profile.argumentLists.size()) return {};
    const auto arguments = profile.argumentLists[*launch.arguments];
    if (const auto buffer = changedInPlace(profile, kernel.values(launch), arguments))
        return {
            .known = true, .reads = {*buffer}, .mutables = {*buffer}, .elementwiseByName = true};
    return kernel.buffers.access(arguments);
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

/// The role that a launch can have in a run, if only names and grids are known.
enum class Member { Elementwise, Reduction, None };

Member memberOf(const KernelAnalysis& kernel) {
    if (kernel.origin != KernelOrigin::PyTorch) return Member::None;
    const std::string_view name = kernel.fullName;
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    if (has("at::native::reduce_kernel<")) return Member::Reduction;
    // A copy that keeps the type changes the layout: its other side is often a library's kernel.
    if (has("direct_copy") && !has("WithCast")) return Member::None;
    // elementwise_kernel is also launched for gathers and scatters, with other functors.
    if (has("index_elementwise_kernel") || has("_scatter_gather")) return Member::None;
    return has("vectorized_elementwise_kernel<") || has("unrolled_elementwise_kernel<") ||
                   (has("::elementwise_kernel<") && has("gpu_kernel_impl"))
               ? Member::Elementwise
               : Member::None;
}

/// Runs by the order of launches and the sizes of their grids.
class RunsByOrder {
public:
    explicit RunsByOrder(Collector& collector) : m_collector(collector) {}

    void add(std::uint32_t kernel, Nanoseconds duration, Member member, double blocks) {
        if (member == Member::None) return close();
        if (member == Member::Elementwise) {
            // These kernels give a block 256 to 2,048 values. Launches on the statistics of rows,
            // between two elementwise operators on all values, have far fewer blocks.
            constexpr double kOneSize = 8, kStatistics = 32;
            if (m_blocks > 0 && blocks * kStatistics > m_blocks &&
                (blocks > m_blocks * kOneSize || blocks * kOneSize < m_blocks))
                close();
            if (blocks * kStatistics > m_blocks) {
                m_blocks = std::max(m_blocks, blocks);
                ++m_whole;
            }
        }
        m_repeats =
            !m_run.launches.empty() && m_run.launches.back().first == kernel ? m_repeats + 1 : 0;
        m_alike = m_alike || m_repeats >= kAlike;
        m_run.launches.emplace_back(kernel, duration);
    }
    void close() {
        // A loop that updates one parameter after another (an optimizer, an average of weights)
        // works on other data each time.
        constexpr std::size_t kLongest = 16;
        if (m_whole < 2 || m_whole > kLongest || m_alike) m_run = {};
        m_collector.close(m_run);
        m_blocks = 0;
        m_whole = m_repeats = 0;
        m_alike = false;
    }

private:
    Collector& m_collector;
    Run m_run;
    double m_blocks = 0;      ///< the largest grid among its launches
    std::size_t m_whole = 0;  ///< launches on all values, not on statistics
    static constexpr std::size_t kAlike = 2;
    std::size_t m_repeats = 0;  ///< how often the last launch repeats the one before
    bool m_alike = false;       ///< three in a row were of one kernel and grid
};

ElementwiseRuns runsByOrder(const Analysis& analysis, const LaneActivity& lane,
                            const FoundWindow& window) {
    ElementwiseRuns found{.byOrder = true};
    std::vector<Member> members;
    members.reserve(analysis.kernels.size());
    for (const KernelAnalysis& kernel : analysis.kernels) members.push_back(memberOf(kernel));
    if (std::ranges::find(members, Member::Elementwise) == members.end()) return found;

    const Profile& profile = *analysis.profile;
    const std::vector<std::uint32_t> kernelOf = kernelOfLaunches(analysis);
    Collector collector(found);
    followStreams(
        profile, lane, window, RunsByOrder(collector),
        [&](RunsByOrder& runs, const Activity& activity, const Launch& launch) {
            const std::uint32_t kernel = kernelOf[activity.row];
            runs.add(kernel, activity.time.length(),
                     launch.fromGraph ? Member::None : members[kernel],
                     static_cast<double>(launch.grid.total()));
        },
        [](RunsByOrder& runs) { runs.close(); });
    return found;
}

void dividePerWindow(ElementwiseRuns& found, const FoundWindow& window) {
    const double each = 1.0 / static_cast<double>(window.spans.size());
    found.launches *= each;
    found.gain = found.gain * each;
    for (auto& [kernel, gain] : found.kernels) gain *= each;
}

}  // namespace

ElementwiseRuns elementwiseRuns(const Analysis& analysis, const LaneActivity& lane,
                                const FoundWindow& window) {
    ElementwiseRuns found;
    const Profile& profile = *analysis.profile;
    if (window.spans.empty()) return found;
    if (profile.argumentLists.empty()) {
        found = runsByOrder(analysis, lane, window);
        dividePerWindow(found, window);
        return found;
    }
    const std::vector<std::uint32_t> kernelOf = kernelOfLaunches(analysis);

    std::vector<Named> names;
    names.reserve(analysis.kernels.size());
    for (const KernelAnalysis& kernel : analysis.kernels) names.emplace_back(kernel.fullName);
    Collector collector(found);
    followStreams(
        profile, lane, window, Run{},
        [&](Run& run, const Activity& activity, const Launch& launch) {
            const std::uint32_t kernel = kernelOf[activity.row];
            BufferAccess access = accessOf(profile, names[kernel], launch);
            if (access.known && access.elementwiseByName)
                collector.add(run, kernel, activity.time.length(), std::move(access));
            else
                collector.close(run);
        },
        [&](Run& run) { collector.close(run); });
    dividePerWindow(found, window);
    return found;
}

}  // namespace roofscope::program
