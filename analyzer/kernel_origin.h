// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/profile.h"

namespace roofscope {

/// Who wrote a kernel: that decides who can edit it.
enum class KernelOrigin {
    Own,       ///< the program's authors, as far as can be told
    Triton,    ///< the same, in Python: an unmangled name in a Python program
    Compiler,  ///< torch.compile (Inductor), anew at each change of the operators
    PyTorch,   ///< PyTorch itself, and what it brings along
    Library    ///< cuBLAS, cuDNN, CUB, Thrust, …
};

/// By the kernel's name and the program's. Only what is certain is called a library's.
[[nodiscard]] KernelOrigin originOf(const Profile& profile, const Kernel& kernel);

/// Whether its source is not the reader's to edit.
[[nodiscard]] inline bool isForeign(KernelOrigin origin) {
    return origin == KernelOrigin::Compiler || origin == KernelOrigin::PyTorch ||
           origin == KernelOrigin::Library;
}

}  // namespace roofscope
