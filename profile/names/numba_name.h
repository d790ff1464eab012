// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace roofscope {

/// A kernel that Numba compiled, in the words of its author.
struct NumbaName {
    std::string scope;       ///< "Solver." or "outer.<locals>.", or empty; without the module
    std::string function;    ///< "mm"
    std::string parameters;  ///< "(float32[:,:], int64)"

    /// "outer.<locals>.mm(float32[:,:], int64)".
    [[nodiscard]] std::string text() const { return scope + function + parameters; }
};

/// Reads a demangled name as Numba makes them: `__main__::mm[abi:v1][abi:cw51…](Array<float, 2, C,
/// mutable, aligned>, long long)`. Its compiler tags each function with a version and its flags,
/// and versions before that put all in the namespace `cudapy`. Arrays in C order are written in
/// brackets as in signatures, what else there is as Numba prints its types, "array(float32, 2d,
/// F)". A type that is not known stays as it was demangled. Nothing when the name is not Numba's.
[[nodiscard]] std::optional<NumbaName> numbaName(std::string_view demangled);

}  // namespace roofscope
