# SPDX-License-Identifier: Apache-2.0
import triton
import triton.language as tl


@triton.jit
def away(y):
    tl.store(y + (1 << 34), 1.0)


def candidate(x: "f32", y: "f32", n: "i32"):
    away[(1,)](y)
