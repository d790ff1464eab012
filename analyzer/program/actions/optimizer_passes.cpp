// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/optimizer_passes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

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
/// Tensors read and written by the lerp, and by one pass over all.
constexpr double kTensorsOfLerp = 3, kTensorsOfAll = 7;
/// Longest product or quotient compared with the lerp: they read and write three and four tensors.
/// NAdam, with two quotients, and a centred RMSprop, with two products, take longer; neither has
/// `fused`.
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
    // Not BinaryOpScalarTensorFunctor, which clips gradients.
    const bool scalar = has("BinaryOpScalarFunctor<") || has("BinaryOpScalarListFunctor<");
    return scalar && (times || over || has("std::plus<")) ? std::optional(Operation::Scalar)
                                                          : std::nullopt;
}

}  // namespace

OptimizerPasses optimizerPasses(const Analysis& analysis, const Program& program) {
    OptimizerPasses found{
        kernelsThat(analysis, program,
                    [](const KernelAnalysis& kernel) { return operationOf(kernel).has_value(); }),
        {}};
    std::array<double, 5> seconds{};
    for (const std::uint32_t k : found.kernels)
        seconds[static_cast<std::size_t>(*operationOf(analysis.kernels[k]))] +=
            program.kernels[k].time.value;
    const double lerp = seconds[static_cast<std::size_t>(Operation::Lerp)];
    for (const Operation operation : {Operation::Product, Operation::Quotient})
        if (seconds[static_cast<std::size_t>(operation)] > kMostOfLerp * lerp) return {};
    found.gain = Seconds{found.time.value - kTensorsOfAll / kTensorsOfLerp * lerp};
    // Operations with a scalar may be missing; they are not specific to this step.
    if (std::any_of(seconds.begin(), seconds.end() - 1, [](double time) { return time == 0; }) ||
        !(found.gain.value > 0))
        return {};
    return found;
}

}  // namespace roofscope::program
