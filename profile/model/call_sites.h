// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/model/launch_shape.h"

namespace roofscope {

/// A place in compiled code: an address for addr2line in the file of the program or a library.
struct CodePlace {
    std::string module;
    std::uint64_t offset = 0;
    auto operator<=>(const CodePlace&) const = default;
};

/// A line of the program's code in an interpreted language.
struct CodeLine {
    std::string file;        ///< the path that the program knows; empty if unknown
    std::uint32_t line = 0;  ///< 1 is the first; 0: unknown
    std::string function;    ///< "Model.forward"; may be empty
    bool operator==(const CodeLine&) const = default;
};

/// Copies of one size from host memory to a GPU, all from one place, and how often their contents
/// had been copied before.
struct HostCopies {
    std::uint64_t bytes = 0;   ///< of each copy; at least 1
    std::uint64_t copies = 0;  ///< in the run that counted; at least 1
    std::uint64_t read = 0;  ///< copies whose contents were read; nothing is known about the others
    /// Among those read: the process had copied the same bytes to the same GPU before, from here or
    /// elsewhere.
    std::uint64_t repeated = 0;
    std::uint64_t distinct = 0;  ///< different contents among those read
    /// Of `repeated`, those that carry something else than the copy read before them from here: the
    /// contents take turns. 0 also if that is not known.
    std::uint64_t inTurn = 0;
    bool operator==(const HostCopies&) const = default;
};
/// Whether the numbers are consistent.
[[nodiscard]] bool isConsistent(const HostCopies& copies);

/// Where the program's own code calls CUDA: a line outside of frameworks and of CUDA itself. One
/// entry per kernel, shape, line and operator, or per CUDA function and line.
struct CallSite {
    std::optional<std::uint32_t> kernel;  ///< index into Profile::kernels: what was launched
    /// The shape in which the kernel is launched here; absent if it was not recorded or if there
    /// were many.
    std::optional<LaunchShape> shape;
    std::string call;          ///< CUDA function, "cuStreamSynchronize", if no kernel
    std::string file;          ///< a path as the program knows it; empty when it is not known
    std::uint32_t line = 0;    ///< 1 is the first; 0: unknown
    std::string function;      ///< "Model.forward", "main"; may be empty
    std::string module;        ///< compiled code: the program's or library's file
    std::uint64_t offset = 0;  ///< address in the module, for addr2line
    /// The calling thread runs none of the program's own code, but another thread was at this line:
    /// autograd's threads launch the backward pass while `loss.backward()` waits.
    bool indirect = false;
    std::string op;           ///< framework operator, "aten::gelu"; empty: none or unknown
    std::string sizes;        ///< tensor sizes, "[2048, 4096], [4096]"; empty: unknown or many
    std::string backward;     ///< enclosing autograd function, "GeluBackward0", or empty
    CodeLine forward;         ///< for a backward pass: the line that ran the operator
    std::uint64_t count = 0;  ///< calls in the run that counted; at least 1
    /// By size, for a function that copies from host memory to a GPU; empty if not inspected.
    std::vector<HostCopies> hostCopies;
    /// Only during recording: the chain of callers, innermost first, until symbols tell which one
    /// is the program's own code. Not stored in a profile.
    std::vector<CodePlace> callers;
    bool operator==(const CallSite&) const = default;
};

}  // namespace roofscope
