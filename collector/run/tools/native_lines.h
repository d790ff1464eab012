// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope {

/// Adds file, line and function to call sites in compiled code, if addr2line (binutils) is
/// installed and the code has symbols or debug information. Other sites stay as they are. Sites of
/// the same line are merged. Afterwards, no site has callers.
void addNativeLines(std::vector<CallSite>& sites, const std::vector<Kernel>& kernels);

/// The same for the frames of samples: of the program's own code, and of the libraries' functions
/// that it calls.
void addNativeLines(CpuSamples& samples, const std::vector<Kernel>& kernels);

/// One frame as addr2line prints it; line 0: unknown.
struct NativeFrame {
    std::string function, file;
    std::uint32_t line = 0;
    bool operator==(const NativeFrame&) const = default;
};
/// Which frame of a call, innermost first, is the program's own: the first with a line outside of
/// the headers of CUDA and of the C++ library, else the first with a name. Functions of CUDA's
/// runtime, which nvcc links into programs, and the host stubs of kernels do not count. Returns the
/// size of `frames` if there is none.
[[nodiscard]] std::size_t ownFrame(const std::vector<NativeFrame>& frames,
                                   const std::set<std::string_view>& kernels);

/// Where the functions of a module are, sorted by start, from the output of `nm -S --defined-only`.
/// Symbols without a size are left out.
struct FunctionSpan {
    std::uint64_t start = 0, end = 0;  ///< past the last byte
    bool operator==(const FunctionSpan&) const = default;
};
[[nodiscard]] std::vector<FunctionSpan> parseSymbolSizes(std::string_view text);
/// Whether one of the functions covers the address.
[[nodiscard]] bool covers(const std::vector<FunctionSpan>& spans, std::uint64_t address);

/// Parses the output of `addr2line -a -f -i -C`: the frames of each address, in the order of the
/// addresses, innermost frame first.
[[nodiscard]] std::vector<std::vector<NativeFrame>> parseAddr2line(std::string_view text);

}  // namespace roofscope
