// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "profile/model/profile.h"

namespace roofscope {

/// Who wrote a kernel: that decides who can edit it.
enum class KernelOrigin {
    Own,       ///< the program's authors, in CUDA, as far as can be told
    Triton,    ///< the same, in Triton
    Numba,     ///< the same, in Numba's Python
    Compiler,  ///< torch.compile (Inductor), anew at each change of the operators
    Xla,       ///< XLA, which compiles JAX's and TensorFlow's operators
    CuPy,      ///< CuPy, for an operator or a reduction
    PyTorch,   ///< PyTorch itself, and what it brings along
    Library    ///< cuBLAS, cuDNN, CUB, Thrust, …
};

/// What a program's kernels say of the frameworks that launched them. A plain name ("softmax_rows")
/// is Triton's or that of CUDA code compiled at run time; what is beside it tells them apart.
struct Frameworks {
    bool python = false;  ///< the program is run by Python
    bool torch = false, xla = false, cupy = false;
};
[[nodiscard]] Frameworks frameworksOf(const Profile& profile);

/// By the kernel's name and what else the program launches. Only what is certain is called a
/// library's; a plain name is Triton's where PyTorch is in use and neither CuPy nor XLA is, and
/// otherwise the program's own.
[[nodiscard]] KernelOrigin originOf(const Frameworks& frameworks, const Kernel& kernel);

/// Whether its source is not the reader's to edit.
[[nodiscard]] inline bool isForeign(KernelOrigin origin) {
    return origin != KernelOrigin::Own && origin != KernelOrigin::Triton &&
           origin != KernelOrigin::Numba;
}

/// What its compiler must be told so that code has source lines.
[[nodiscard]] inline std::string_view lineTableOption(KernelOrigin origin) {
    return origin == KernelOrigin::Numba ? "@cuda.jit(lineinfo=True)" : "-lineinfo";
}

}  // namespace roofscope
