// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace roofscope {

/// A place in compiled code: an address as addr2line takes it, in the program's or a library's
/// file.
struct CodePlace {
    std::string module;
    std::uint64_t offset = 0;
    auto operator<=>(const CodePlace&) const = default;
};

/// A line of the program's code in an interpreted language.
struct CodeLine {
    std::string file;        ///< a path as the program knows it; empty when it is not known
    std::uint32_t line = 0;  ///< 1 is the first; 0: unknown
    std::string function;    ///< "Model.forward"; may be empty
    bool operator==(const CodeLine&) const = default;
};

/// Copies of one size from host memory to a GPU, all from one place, and how often their contents
/// had been copied before.
struct HostCopies {
    std::uint64_t bytes = 0;   ///< of each; at least 1
    std::uint64_t copies = 0;  ///< in the run that looked; at least 1
    std::uint64_t read = 0;    ///< of them, those whose contents were read; of the others nothing
                               ///< is known
    /// Of those read: the process had copied the same bytes to the same GPU before, from here or
    /// elsewhere.
    std::uint64_t repeated = 0;
    std::uint64_t distinct = 0;  ///< different contents among those read
    bool operator==(const HostCopies&) const = default;
};
/// Whether the numbers fit each other.
[[nodiscard]] bool isSound(const HostCopies& copies);

/// Where the program's own code calls CUDA from: a line outside of frameworks and of CUDA itself.
/// One entry per kernel, line and operator, or per function of CUDA and line.
struct CallSite {
    std::optional<std::uint32_t> kernel;  ///< index into Profile::kernels: what was launched
    std::string call;          ///< without a kernel: the function of CUDA, "cuStreamSynchronize"
    std::string file;          ///< a path as the program knows it; empty when it is not known
    std::uint32_t line = 0;    ///< 1 is the first; 0: unknown
    std::string function;      ///< "Model.forward", "main"; may be empty
    std::string module;        ///< of compiled code: the program's or library's file; else empty
    std::uint64_t offset = 0;  ///< where in it, an address as addr2line takes it
    /// It was called by a thread that runs no such code, while this line ran: autograd's threads
    /// launch the backward pass while `loss.backward()` waits.
    bool indirect = false;
    std::string op;           ///< the framework's operator: "aten::gelu"; empty: none, or not known
    std::string sizes;        ///< of its tensors, "[2048, 4096], [4096]"; empty: not known, or many
    std::string backward;     ///< autograd's function around it, "GeluBackward0"; empty: none
    CodeLine forward;         ///< the line that ran the operator of which this is the backward pass
    std::uint64_t count = 0;  ///< how often, in the run that looked; at least 1
    /// Of a function that copies from host memory to a GPU: by size; empty where nobody looked.
    std::vector<HostCopies> hostCopies;
    /// While a recording is made: the places from which that one was called, innermost first, until
    /// symbols tell which is the program's own. A profile has none.
    std::vector<CodePlace> callers;
    bool operator==(const CallSite&) const = default;
};

/// Adds the counts of a site that is known already, or the site.
void addCallSite(std::vector<CallSite>& sites, CallSite site);

}  // namespace roofscope
