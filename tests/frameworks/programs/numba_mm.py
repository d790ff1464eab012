# SPDX-License-Identifier: Apache-2.0
"""Numba-CUDA: a matrix product with one thread per element."""
import numpy as np
from numba import cuda


@cuda.jit
def mm(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


a = np.ones((512, 512), dtype=np.float32)
da, dc = cuda.to_device(a), cuda.device_array((512, 512), dtype=np.float32)
for _ in range(5):
    mm[(32, 32), (16, 16)](da, da, dc)
cuda.synchronize()
print(dc.copy_to_host().sum())
