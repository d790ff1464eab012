// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/attention.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/names/library_product.h"
#include "analyzer/program/window/streams.h"

namespace roofscope::program {
namespace {

enum class Part { Product, PartialSums, Softmax, Elementwise, Other };

bool has(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

/// softmax_warp_forward<input, output, accumulator, log2 of the row, is log-softmax, …>
bool isLogOfWarp(std::string_view name) {
    std::size_t at = name.find("softmax_warp_");
    for (int commas = 0; at != name.npos && commas < 4; ++commas) at = name.find(',', at + 1);
    return at != name.npos && name.substr(at).starts_with(", true");
}

/// `notBatched`: operators were recorded, and all that launch this kernel multiply two matrices.
Part partOf(const KernelAnalysis& kernel, bool notBatched) {
    const std::string_view name = kernel.fullName;
    // The logarithm of a softmax ends a classifier.
    if (has(name, "LogSoftMax") || has(name, "log_softmax") || has(name, "nll_loss") ||
        isLogOfWarp(name))
        return Part::Other;
    // PyTorch's cunn_SoftMaxForward and softmax_warp_forward, their backward forms, and those that
    // torch.compile names after their operators.
    if (has(name, "cunn_SoftMax") || has(name, "softmax_warp_") ||
        (name.starts_with("triton_") && has(name, "softmax")))
        return Part::Softmax;
    if (const auto product = libraryProduct(name)) {
        if (product->kind == LibraryProduct::Kind::PartialSums) return Part::PartialSums;
        return product->kind == LibraryProduct::Kind::Convolution || notBatched ? Part::Other
                                                                                : Part::Product;
    }
    if (kernel.origin == KernelOrigin::PyTorch &&
        (has(name, "elementwise_kernel<") || has(name, "dropout_kernel")))
        return Part::Elementwise;
    return name.starts_with("triton_poi_") ? Part::Elementwise : Part::Other;
}

/// By kernel of the profile: whether operators launch it, and none of them is batched (bmm). A gate
/// (linear, softmax, linear) multiplies two matrices, and is no attention.
std::vector<bool> onlyOfMatrices(const Profile& profile) {
    std::vector<bool> known(profile.kernels.size()), batched(profile.kernels.size());
    for (const CallSite& site : profile.callSites) {
        if (!site.kernel || site.op.empty()) continue;
        known[*site.kernel] = true;
        const bool matrices = site.op == "aten::mm" || site.op == "aten::addmm" ||
                              site.op == "aten::linear" || site.op == "aten::_addmm_activation";
        if (!matrices) batched[*site.kernel] = true;
    }
    std::vector<bool> only(known.size());
    for (std::size_t k = 0; k < only.size(); ++k) only[k] = known[k] && !batched[k];
    return only;
}

/// The last two sizes of a tensor: {"2708", "1"} of "8, 2708, 1".
std::pair<std::string_view, std::string_view> matrixOf(std::string_view tensor) {
    const auto last = tensor.rfind(", ");
    if (last == tensor.npos) return {};
    const auto before = tensor.substr(0, last).rfind(", ");
    const std::size_t begin = before == tensor.npos ? 0 : before + 2;
    return {tensor.substr(begin, last - begin), tensor.substr(last + 2)};
}

/// Whether the sizes are those of a column and a row: "[8, 2708, 1], [8, 1, 2708]".
bool areColumnAndRow(std::string_view sizes) {
    const auto between = sizes.find("], [");
    if (!sizes.starts_with('[') || !sizes.ends_with(']') || between == sizes.npos) return false;
    const auto a = matrixOf(sizes.substr(1, between - 1));
    const auto b = matrixOf(sizes.substr(between + 4, sizes.size() - between - 5));
    return (a.second == "1" && b.first == "1" && a.first != "1" && b.second != "1") ||
           (a.first == "1" && b.second == "1" && a.second != "1" && b.first != "1");
}

/// Whether one of these kernels adds a column and a row, and mostly that: the same kernel also
/// makes masks and adds biases.
bool addsColumnAndRow(const Analysis& analysis, const std::map<std::uint32_t, double>& kernels) {
    const Profile& profile = *analysis.profile;
    std::set<std::uint32_t> recorded;
    for (const auto& [k, seconds] : kernels)
        recorded.insert(profile.launches[analysis.kernels[k].group.launches.front()].kernel);
    std::map<std::uint32_t, std::pair<double, double>> calls;  // such ones, and all
    for (const CallSite& site : profile.callSites) {
        if (!site.kernel || !recorded.contains(*site.kernel)) continue;
        const auto count = static_cast<double>(site.count);
        const bool adds = site.op == "aten::add" || site.op == "aten::sub";
        auto& [such, all] = calls[*site.kernel];
        all += count;
        if (adds && areColumnAndRow(site.sizes)) such += count;
    }
    constexpr double kMostly = 0.5;
    return std::ranges::any_of(calls, [](const auto& entry) {
        const auto& [such, all] = entry.second;
        return such > 0 && such >= kMostly * all;
    });
}

/// The parts of attention that a stream has launched so far.
struct Begun {
    std::optional<std::uint32_t> product;  ///< kernel
    Seconds productTime;
    std::vector<std::pair<std::uint32_t, Seconds>> scores;  ///< what followed: kernel, duration
    bool softmax = false;                                   ///< one of `scores` is
};

class AttentionCounter {
public:
    explicit AttentionCounter(UnfusedAttention& found) : m_found(found) {}

    void add(Begun& begun, Part part, std::uint32_t kernel, Seconds duration) {
        constexpr std::size_t kMostScores = 8;  // the softmax, and what is done to scores
        switch (part) {
            case Part::Product:
                if (begun.softmax) count(begun, kernel, duration);
                begun = {.product = kernel, .productTime = duration};
                return;
            case Part::PartialSums:  // of the product before
                if (begun.product && begun.scores.empty()) begun.productTime += duration;
                return;
            case Part::Softmax:
            case Part::Elementwise:
                if (!begun.product) return;
                begun.scores.emplace_back(kernel, duration);
                if (begun.scores.size() > kMostScores || (begun.softmax && part == Part::Softmax))
                    begun = {};
                begun.softmax |= part == Part::Softmax && begun.product;
                return;
            case Part::Other:
                begun = {};
        }
    }

private:
    void count(const Begun& begun, std::uint32_t kernel, Seconds duration) {
        m_found.count += 1;
        for (const auto& [k, time] : begun.scores) {
            m_found.scores += time;
            m_found.kernels[k] += time.value;
        }
        m_found.products += begun.productTime + duration;
        m_found.productKernels.insert({*begun.product, kernel});
    }

    UnfusedAttention& m_found;
};

}  // namespace

UnfusedAttention unfusedAttention(const Analysis& analysis, const LaneActivity& lane,
                                  const FoundWindow& window) {
    UnfusedAttention found;
    if (window.spans.empty()) return found;
    std::vector<Part> parts;
    parts.reserve(analysis.kernels.size());
    const Profile& profile = *analysis.profile;
    const std::vector<bool> notBatched = onlyOfMatrices(profile);
    for (const KernelAnalysis& kernel : analysis.kernels) {
        const Launch& launch = profile.launches[kernel.group.launches.front()];
        parts.push_back(partOf(kernel, notBatched[launch.kernel]));
    }
    if (std::ranges::find(parts, Part::Softmax) == parts.end()) return found;

    const std::vector<std::uint32_t> kernelOf = kernelOfLaunches(analysis);
    AttentionCounter counter(found);
    followStreams(
        profile, lane, window, Begun{},
        [&](Begun& begun, const Activity& activity, const Launch&) {
            const std::uint32_t kernel = kernelOf[activity.row];
            counter.add(begun, parts[kernel], kernel,
                        Seconds{static_cast<double>(activity.time.length()) / 1e9});
        },
        [](Begun& begun) { begun = {}; });
    const double each = 1.0 / static_cast<double>(window.spans.size());
    found.count *= each;
    found.scores = found.scores * each;
    found.products = found.products * each;
    for (auto& [kernel, seconds] : found.kernels) seconds *= each;
    found.areSums = addsColumnAndRow(analysis, found.kernels);
    return found;
}

}  // namespace roofscope::program
