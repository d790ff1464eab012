// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collector/inject/python/python_lines.h"
#include "collector/inject/ranges/nvtx_tables.h"

/// PyTorch's operators, as the NVTX mode of its profiler reports them ("aten::gelu, seq = 2, op_id
/// = 11, sizes = [[3, 16], []]"). python/operators.py switches that mode on. interpose() intercepts
/// these ranges before NVTX receives them, so they do not become ranges of the program. Reading
/// takes no interpreter lock.
namespace roofscope::inject::operators {

/// Whether these tables belong to PyTorch's profiler, judged by the shared object that holds them.
/// The Python functions torch.cuda.nvtx are in a different one.
[[nodiscard]] bool areOfProfiler(nvtx::ExportTables tables);
/// Replaces push and pop in these tables, once in a process. While operators are not followed, the
/// previous functions are called. False: the tables are not as expected.
bool interpose(nvtx::ExportTables tables);
/// Sets whether ranges are taken as operators from now on.
void follow(bool on);
/// Whether an operator was seen while following.
[[nodiscard]] bool seen();
/// Whether this thread is inside an operator or another range of PyTorch's profiler. If so, calls
/// this at the end of the outermost one.
[[nodiscard]] bool whenClosed(void (*call)());
/// From now on ranges of PyTorch's profiler say nothing, although it stays on.
void ignore();

/// What a thread runs, as numbers for name().
struct Current {
    std::uint32_t op = 0;        ///< the innermost operator; 0: none or unknown
    std::uint32_t backward = 0;  ///< the autograd function around it: "AddmmBackward0"; 0: none
    /// The line that ran the forward operator of that function; empty if unknown.
    std::optional<python_lines::Place> forward;
    auto operator<=>(const Current&) const = default;
};
/// What the calling thread runs now.
[[nodiscard]] Current current();

/// The calling thread begins to wait for the GPU.
void waits();
/// Whether the calling thread has waited for the GPU inside its current convolution. Then cuDNN is
/// trying out algorithms (torch.backends.cudnn.benchmark), and its launches are not the program's
/// work.
[[nodiscard]] bool searches();

struct Name {
    std::string name;   ///< "aten::gelu"
    std::string sizes;  ///< of its tensors: "[2048, 4096], [4096]"; empty if unknown
};
[[nodiscard]] Name name(std::uint32_t number);
/// The number of the same name without sizes.
[[nodiscard]] std::uint32_t withoutSizes(std::uint32_t number);

/// The parsed text of a range. Internal to operators.cpp, and tested.
struct Text {
    std::string_view name;
    std::optional<std::uint64_t> sequence;
    std::string sizes;
};
[[nodiscard]] Text parse(std::string_view text);

}  // namespace roofscope::inject::operators
