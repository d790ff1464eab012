// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace roofscope {

/// A kernel compiled by Numba, as its author wrote it.
struct NumbaName {
    std::string scope;       ///< "Solver.", "outer.<locals>." or empty; no module
    std::string function;    ///< "mm"
    std::string parameters;  ///< "(float32[:,:], int64)"

    /// "outer.<locals>.mm(float32[:,:], int64)".
    [[nodiscard]] std::string text() const { return scope + function + parameters; }
};

/// Parses a demangled Numba name: `__main__::mm[abi:v1][abi:cw51…](Array<float, 2, C, mutable,
/// aligned>, long long)`. Numba tags each function with a version and its compiler flags; older
/// versions put everything into the namespace `cudapy` instead. Arrays in C order are written with
/// brackets as in signatures, other types as Numba prints them: "array(float32, 2d, F)". Unknown
/// types stay as they were demangled. Nullopt if the name is not Numba's.
[[nodiscard]] std::optional<NumbaName> numbaName(std::string_view demangled);

}  // namespace roofscope
