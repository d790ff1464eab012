// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_bf16.h>

/// Element types in kernels: arithmetic is always in fp32, tensors may be narrower.
namespace roofscope::kernels {

__device__ inline float toFloat(float value) { return value; }
__device__ inline float toFloat(__nv_bfloat16 value) { return __bfloat162float(value); }

template <class T>
__device__ inline T fromFloat(float value);
template <>
__device__ inline float fromFloat<float>(float value) {
    return value;
}
template <>
__device__ inline __nv_bfloat16 fromFloat<__nv_bfloat16>(float value) {
    return __float2bfloat16_rn(value);
}

}  // namespace roofscope::kernels
