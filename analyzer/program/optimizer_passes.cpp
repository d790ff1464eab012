// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/optimizer_passes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace roofscope::program {
namespace {

/// The operations of an Adam step, as the functors in the kernels' names.
enum class Operation {
    Lerp,        ///< first moment: reads two tensors, writes one
    SquareRoot,  ///< of the second moment
    Product,     ///< second moment: adds a product of two tensors
    Quotient,    ///< parameter: adds a quotient of two tensors
    Scalar       ///< a product, sum or quotient with a number
};
/// Tensors that lerp and one pass over all read and write.
constexpr double kTensorsOfLerp = 3, kTensorsOfAll = 7;
/// Products and quotients of three tensors read and write three and four. NAdam has two quotients,
/// a centred RMSprop two products, and neither has `fused`.
constexpr double kMostOfLerp = 2;

std::optional<Operation> operationOf(const KernelAnalysis& kernel) {
    const std::string_view name = kernel.fullName;
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    if (kernel.origin != KernelOrigin::PyTorch || !has("multi_tensor_apply_kernel<")) return {};
    if (has("LerpFunctor<")) return Operation::Lerp;
    if (has("UnaryOpFunctor<") && has("at::native::Sqrt<")) return Operation::SquareRoot;
    const bool times = has("std::multiplies<"), over = has("std::divides<");
    if (has("PointwiseOpScalar"))
        return times  ? std::optional(Operation::Product)
               : over ? std::optional(Operation::Quotient)
                      : std::nullopt;
    // Not BinaryOpScalarTensorFunctor, by which gradients are clipped.
    const bool scalar = has("BinaryOpScalarFunctor<") || has("BinaryOpScalarListFunctor<");
    return scalar && (times || over || has("std::plus<")) ? std::optional(Operation::Scalar)
                                                          : std::nullopt;
}

}  // namespace

OptimizerPasses optimizerPasses(const Analysis& analysis, const Program& program) {
    std::array<double, 5> seconds{};
    std::vector<std::pair<double, std::uint32_t>> kernels;
    OptimizerPasses found;
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
        const KernelAnalysis& kernel = analysis.kernels[k];
        const auto operation = operationOf(kernel);
        if (!operation || kernel.quantities.duration.count == 0) continue;
        const double perWindow = program.kernels[k].perWindow;
        const double time = kernel.quantities.duration.median.value * perWindow;
        if (!(time > 0)) continue;
        seconds[static_cast<std::size_t>(*operation)] += time;
        kernels.emplace_back(time, k);
        found.launches += perWindow;
        found.time += Seconds{time};
    }
    const double lerp = seconds[static_cast<std::size_t>(Operation::Lerp)];
    for (const Operation operation : {Operation::Product, Operation::Quotient})
        if (seconds[static_cast<std::size_t>(operation)] > kMostOfLerp * lerp) return {};
    found.gain = Seconds{found.time.value - kTensorsOfAll / kTensorsOfLerp * lerp};
    // Scalars may be absent: they are anybody's.
    if (std::any_of(seconds.begin(), seconds.end() - 1, [](double time) { return time == 0; }) ||
        !(found.gain.value > 0))
        return {};
    std::ranges::stable_sort(kernels, std::greater{},
                             [](const auto& entry) { return entry.first; });
    for (const auto& [time, k] : kernels) found.kernels.push_back(k);
    return found;
}

}  // namespace roofscope::program
