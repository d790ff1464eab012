// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda_failure.h"
#include "kernels/device_element.cuh"
#include "kernels/lightning_attention_decode/decode_step.h"

namespace roofscope::kernels::lightning {

/// Typed pointers of one step, in the order of the kernels' parameters.
template <class T>
struct TypedArguments {
    const T *q, *k, *v;
    T* out;
};

/// Calls `launch(TypedArguments<T>)` with T the element type of the case.
template <class Launch>
void withElementType(const DecodeArguments& a, Launch launch) {
    const auto typed = [&]<class T>() {
        return TypedArguments<T>{static_cast<const T*>(a.q), static_cast<const T*>(a.k),
                                 static_cast<const T*>(a.v), static_cast<T*>(a.out)};
    };
    if (a.dtype == DType::BF16)
        launch(typed.template operator()<__nv_bfloat16>());
    else
        launch(typed.template operator()<float>());
}

/// Allows a kernel to use `bytes` of dynamic shared memory, even more than 48 KiB.
template <class Kernel>
void allowSharedMemory(Kernel kernel, std::size_t bytes) {
    constexpr std::size_t kAlwaysAllowed = 48 * 1024;
    if (bytes <= kAlwaysAllowed) return;
    require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(bytes)),
            "reserving " + std::to_string(bytes) + " bytes of shared memory per block");
}

}  // namespace roofscope::kernels::lightning
