// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/program/model/program.h"
#include "analyzer/program/operators/operator_flops.h"

/// The time and the FLOPs of the framework's operators in the window, by the launch sites that were
/// recorded. Sites are known by function, not by launch, and a recording notes them only in the run
/// that counts. If several operators launch a function, its launches can be divided among them only
/// if the noted launches are whole windows (site_coverage.h).
namespace roofscope::program {

/// Why the FLOPs of an operator are not known.
enum class FlopsLack {
    None,         ///< they are known
    NoProduct,    ///< it multiplies no matrices: they do not matter for the roof of tensor cores
    Sizes,        ///< the sizes of its tensors were not recorded, or differ from call to call
    Convolution,  ///< sizes of inputs do not say how large the result is
    Calls,        ///< it is not known how often it is called in the window
    Operator      ///< no formula is known
};
/// "no-product", "sizes", "convolution", "calls", "operator"
[[nodiscard]] const char* toString(FlopsLack lack);

/// An operator at a place of the program; per window.
struct OperatorWork {
    std::string op;                  ///< "aten::addmm", "AddmmBackward0: aten::mm"
    std::string place;               ///< as placeText(); empty: unknown
    std::vector<std::string> sizes;  ///< of its tensors, most frequent first; empty: unknown
    std::optional<double> launches;
    /// Time of its kernels, at least and at most: if other operators launch the same functions, it
    /// is not known whose launches were the short ones.
    Seconds least, most;
    std::optional<FlopRange> flops;
    FlopsLack lack = FlopsLack::None;
    std::optional<Arithmetic> type;  ///< the pipe of its products, if it is one and known
    /// DRAM bytes; absent unless all of its kernels were counted, and no other operator launches
    /// them.
    std::optional<Bytes> dramBytes;
    std::vector<std::uint32_t> kernels;  ///< indices into Analysis::kernels, most time first
};

/// FLOPs of operators in one pipe.
struct PipeWork {
    Arithmetic type = Precision::Fp32;
    FlopRange flops;           ///< per window
    std::optional<Roof> roof;  ///< always known in ModelFlops
    /// Share of the window in which products use the pipe, by counters; absent unless counted for
    /// nearly all of the products' time. Tensor cores are one pipe for all types.
    std::optional<Ratio> inUse = {};
};

/// How the FLOPs of all operators compare with the roofs.
struct ModelFlops {
    std::vector<PipeWork> pipes;  ///< most FLOPs first
    /// Time of all products and of kernels that may be products, as a share of the window.
    Ratio products;
    Ratio known;  ///< part of that time for which FLOPs and pipe are known
    /// The time of these FLOPs at their roofs, as a share of the window. Only a part of the
    /// products' if `known` is below 1.
    Ratio least, most;
};

struct OperatorTable {
    std::vector<OperatorWork> rows;  ///< most time first
    Seconds kernels;                 ///< time of all kernels in the window
    Seconds withOperator;            ///< of that, launched by a known operator
    /// Absent unless the FLOPs and pipes of most of the products' time are known, with their roofs.
    std::optional<ModelFlops> flops;
};

/// Empty if the recording names no operators.
[[nodiscard]] OperatorTable operatorsOf(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
