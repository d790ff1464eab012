// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profile/model/argument_lists.h"

namespace roofscope {

/// What a kernel's declaration says of a parameter that holds a pointer.
enum class PointerUse {
    Reads,      ///< `T const*`
    MayWrite,   ///< `T*`: it may be written, read, or both
    Undeclared  ///< a struct, a lambda, a pointer to pointers, or no C++ name: cannot tell
};

/// The parameters of a demangled C++ kernel, in order, as if each held a pointer. Empty for names
/// without a parameter list (extern "C", Triton).
[[nodiscard]] std::vector<PointerUse> pointerUses(std::string_view demangled);

/// What one launch does with the buffers that it was given.
struct BufferAccess {
    bool known = false;                   ///< false: nothing below is filled in
    std::vector<std::uint32_t> reads;     ///< buffers that it only reads, each once
    std::vector<std::uint32_t> mutables;  ///< buffers that it may write, each once
    /// An elementwise kernel of PyTorch or CuPy: `mutables` is written as a whole and read only
    /// when it is among `reads` as well (an in-place operation).
    bool elementwiseByName = false;
};

/// A kernel's declaration, parsed once for all of its launches.
///
/// Every pointer is judged by the declaration. A single undeclared pointer makes the result
/// unknown, because it could cause any of the traffic. So does a tensor map (TMA).
///
/// The elementwise kernels of two libraries are known by name. PyTorch's in `at::native`
/// (vectorized_elementwise_kernel, unrolled_elementwise_kernel, and elementwise_kernel as launched
/// by gpu_kernel_impl) hold their operands in one array of `char*`: the output, then the inputs.
/// CuPy's (named by types, "cupy_add__float32_float32_float32") take the inputs, then the output.
class KernelBuffers {
public:
    explicit KernelBuffers(std::string_view demangled);
    /// What a launch with these arguments does.
    [[nodiscard]] BufferAccess access(std::span<const BufferArgument> arguments) const;
    /// Whether it is one of the elementwise kernels that are known by name.
    [[nodiscard]] bool elementwiseByName() const { return m_kind != Kind::Declared; }

private:
    enum class Kind : std::uint8_t { Declared, Torch, CuPy };
    [[nodiscard]] BufferAccess torchAccess(std::span<const BufferArgument> arguments) const;
    [[nodiscard]] BufferAccess declaredAccess(std::span<const BufferArgument> arguments) const;

    Kind m_kind = Kind::Declared;
    bool m_tensorMap = false;
    std::vector<PointerUse> m_uses;  ///< of its parameters; empty for Torch and CuPy
    /// Torch: for each parameter, how many operands it holds, if that is known.
    std::vector<std::optional<std::size_t>> m_operands;
};

}  // namespace roofscope
