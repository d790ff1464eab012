// SPDX-License-Identifier: Apache-2.0
__global__ void slow_scale(const float* in, float* out, int n) {}
