// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope {

/// Who wrote a kernel: that decides who can edit it.
enum class KernelOrigin {
    Own,       ///< the program's authors, in CUDA, as far as can be told
    Triton,    ///< the same, in Triton
    Numba,     ///< the same, in Numba's Python
    Compiler,  ///< torch.compile (Inductor), which regenerates it when the operators change
    Xla,       ///< XLA, which compiles JAX's and TensorFlow's operators
    CuPy,      ///< CuPy, for an operator or a reduction
    PyTorch,   ///< PyTorch itself, or code bundled with it
    Library    ///< cuBLAS, cuDNN, CUB, Thrust, …
};

/// Whether Python runs the program: a Python file launches, or the command begins with Python.
[[nodiscard]] bool runsPython(const Profile& profile);

/// What a program's kernels tell about the frameworks that launched them. A plain name
/// ("softmax_rows") may be a Triton kernel or CUDA code compiled at run time; the program's other
/// kernels tell the two apart.
struct Frameworks {
    bool python = false;  ///< the program is run by Python
    bool torch = false, xla = false, cupy = false;
};
[[nodiscard]] Frameworks frameworksOf(const Profile& profile);

/// Judges by the kernel's name and by what else the program launches. Only what is certain is
/// called a library's. In a Python program, a plain name is Triton's if PyTorch is in use and
/// neither CuPy nor XLA is; otherwise it is the program's own.
[[nodiscard]] KernelOrigin originOf(const Frameworks& frameworks, const Kernel& kernel);

/// Which kernels, by index, only operators of PyTorch itself launch ("aten::…"), as their launch
/// sites say. Such a kernel is not the program's own, even if its name says nothing. Operators that
/// a program registers have another namespace.
[[nodiscard]] std::vector<bool> launchedByPyTorch(const Profile& profile);

/// Whether the reader cannot edit its source.
[[nodiscard]] inline bool isForeign(KernelOrigin origin) {
    return origin != KernelOrigin::Own && origin != KernelOrigin::Triton &&
           origin != KernelOrigin::Numba;
}

/// Whether this is a kernel of cuSOLVER, or of cuBLAS for triangular matrices, by its name.
[[nodiscard]] bool isLinearAlgebra(const Kernel& kernel);

/// Whether this is a kernel of cuFFT, by the types among its template arguments.
[[nodiscard]] bool isTransform(const Kernel& kernel);

/// The compiler option that adds source lines to the code.
[[nodiscard]] inline std::string_view lineTableOption(KernelOrigin origin) {
    return origin == KernelOrigin::Numba ? "@cuda.jit(lineinfo=True)" : "-lineinfo";
}

}  // namespace roofscope
