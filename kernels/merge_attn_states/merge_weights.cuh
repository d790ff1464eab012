// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels/cuda_failure.h"
#include "kernels/merge_attn_states/merge.h"

/// Shared device code of the rungs: weights of both parts, element types.
namespace roofscope::kernels::merge {

/// The weights of both parts; they sum to 1, or are both 0 if neither part saw a key.
struct Weights {
    float prefix = 0.0F, suffix = 0.0F;
    float most = -INFINITY, sum = 0.0F;  ///< the joint log-sum-exp is most + log(sum)

    [[nodiscard]] __device__ float lse() const { return most + logf(sum); }
};

__device__ inline Weights weigh(float prefixLse, float suffixLse) {
    if (prefixLse == INFINITY) prefixLse = -INFINITY;
    if (suffixLse == INFINITY) suffixLse = -INFINITY;
    const float most = fmaxf(prefixLse, suffixLse);
    if (most == -INFINITY) return {};  // the differences would be NaN
    const float p = __expf(prefixLse - most), s = __expf(suffixLse - most), sum = p + s;
    const float scale = __fdividef(1.0F, sum);  // sum is between 1 and 2
    return {p * scale, s * scale, most, sum};
}

__device__ inline float widen(float value) { return value; }
__device__ inline float widen(__half value) { return __half2float(value); }
__device__ inline float widen(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline void narrow(float value, float& to) { to = value; }
__device__ inline void narrow(float value, __half& to) { to = __float2half_rn(value); }
__device__ inline void narrow(float value, __nv_bfloat16& to) { to = __float2bfloat16_rn(value); }

/// One element of out.
template <class T>
__device__ T mix(const Weights& w, T prefix, T suffix) {
    T result;
    narrow(w.prefix * widen(prefix) + w.suffix * widen(suffix), result);
    return result;
}

/// Calls `launch(prefix, suffix, out)` with pointers of the element type of the case.
template <class Launch>
void withElementType(const MergeArguments& a, Launch launch) {
    const auto typed = [&]<class T>(T*) {
        launch(static_cast<const T*>(a.prefix), static_cast<const T*>(a.suffix),
               static_cast<T*>(a.out));
    };
    if (a.dtype == DType::F16)
        typed(static_cast<__half*>(nullptr));
    else if (a.dtype == DType::BF16)
        typed(static_cast<__nv_bfloat16*>(nullptr));
    else
        typed(static_cast<float*>(nullptr));
}

}  // namespace roofscope::kernels::merge
