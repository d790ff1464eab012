// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/data_movement.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "analyzer/names/cupy_types.h"

namespace roofscope::program {
namespace {

/// Parts of names of PyTorch's kernels. Some also compute (index_add adds, once per value moved),
/// but are bound by what they move.
struct NamedMove {
    std::string_view part;
    Move move;
};
constexpr NamedMove kNamed[] = {
    {"CatArrayBatchedCopy", Move::Concatenate},
    {"indexSelectSmallIndex", Move::Gather},
    {"indexSelectLargeIndex", Move::Gather},
    {"vectorized_gather_kernel", Move::Gather},
    {"index_elementwise_kernel", Move::Gather},
    {"_scatter_gather_elementwise_kernel", Move::Gather},
    {"indexFuncLargeIndex", Move::Scatter},
    {"indexFuncSmallIndex", Move::Scatter},
    {"indexing_backward_kernel", Move::Scatter},
    {"index_put_kernel", Move::Scatter},
    {"bfloat16_copy_kernel", Move::Cast},
    {"bfloat16tofloat32_copy_kernel", Move::Cast},
    {"float16_copy_kernel", Move::Cast},
    {"float16tofloat32_copy_kernel", Move::Cast},
    {"float8_copy_kernel", Move::Cast},
    {"direct_copy_kernel", Move::Copy},
    {"nchwToNhwcKernel", Move::Layout},
    {"nhwcToNchwKernel", Move::Layout},
    {"batch_transpose", Move::Layout},
};

/// CuPy names a kernel by its operator.
std::optional<Move> moveOfCupy(std::string_view name) {
    if (name.starts_with("cupy_take") || name.starts_with("cupy_getitem_mask")) return Move::Gather;
    if (name.starts_with("cupy_scatter_update") || name.starts_with("cupy_putmask"))
        return Move::Scatter;
    if (name.starts_with("cupy_concatenate")) return Move::Concatenate;
    if (!name.starts_with("cupy_copy__")) return std::nullopt;
    const auto types = cupyTypes(name);
    return types.front() == types.back() ? Move::Copy : Move::Cast;
}

std::optional<Move> moveOf(const KernelAnalysis& kernel) {
    if (kernel.origin == KernelOrigin::CuPy) return moveOfCupy(kernel.fullName);
    if (kernel.origin != KernelOrigin::PyTorch && kernel.origin != KernelOrigin::Library) return {};
    const std::string_view name = kernel.fullName;
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    // For these two, a functor shows the direction.
    if (has("_scatter_gather_elementwise_kernel") || has("index_elementwise_kernel")) {
        if (has("ReduceAdd") || has("scatter_add") || has("index_put")) return Move::Scatter;
    }
    for (const NamedMove& named : kNamed)
        if (has(named.part)) {
            if (named.move == Move::Copy && has("LoadWithCast")) return Move::Cast;
            return named.move;
        }
    return std::nullopt;
}

}  // namespace

std::vector<Move> DataMovement::most() const {
    std::vector<Move> moves;
    for (std::size_t i = 0; i < kMoves; ++i)
        if (time[i].value > 0) moves.push_back(static_cast<Move>(i));
    std::ranges::stable_sort(moves, std::greater{}, [this](Move move) { return of(move).value; });
    return moves;
}

DataMovement dataMovement(const Analysis& analysis, const Program& program) {
    DataMovement found;
    found.all = kernelsThat(
        analysis, program, [](const KernelAnalysis& kernel) { return moveOf(kernel).has_value(); });
    for (const std::uint32_t k : found.all.kernels) {
        const KernelAnalysis& kernel = analysis.kernels[k];
        found.time[static_cast<std::size_t>(*moveOf(kernel))] += program.kernels[k].time;
        const auto& bytes = kernel.quantities.bytes[Level::Dram];
        if (bytes.has()) found.bytes += *bytes * program.kernels[k].perWindow;
    }
    return found;
}

}  // namespace roofscope::program
