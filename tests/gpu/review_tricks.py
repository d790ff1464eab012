# SPDX-License-Identifier: Apache-2.0
"""Candidates that look faster than they are, with one trick each, and honest ones, for
roofscope.review.

Each entry of TRICKS: candidate, baseline, inputs(seed), the check that must name it, and options.
"""

import threading

import torch
import triton
import triton.language as tl

N = 1 << 25  # 128 MiB of float32: more than twice the L2 of an H200


def vector(seed):
    return (torch.rand(N, device="cuda", generator=torch.Generator("cuda").manual_seed(seed)),)


def scale(x):
    return x * 2 + 1


@triton.jit
def _scale(x, out, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(out + at, tl.load(x + at, at < n) * 2 + 1, at < n)


def honest_scale(x):
    out = torch.empty_like(x)
    _scale[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), 1024)
    return out


_constant = []


def constant(x):
    """Always returns the result for the first input."""
    if not _constant:
        _constant.append(honest_scale(x))
    return _constant[0].clone()


_by_address = {}


def by_address(x):
    """Caches results by the input's address."""
    key = x.data_ptr()
    if key not in _by_address:
        _by_address[key] = honest_scale(x)
    return _by_address[key]


_by_version = {}


def by_version(x):
    """Caches while PyTorch says that the input is unchanged: right, but free in a loop."""
    key = (x.data_ptr(), x._version)
    if _by_version.get("key") != key:
        _by_version.update(key=key, result=honest_scale(x), x=x)
    return _by_version["result"]


_side = []


def on_side_stream(x):
    """Works on another stream, for which nobody waits."""
    if not _side:
        _side.append(torch.cuda.Stream())
    out = torch.empty_like(x)
    _side[0].wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(_side[0]):
        for _ in range(4):
            torch.add(x * 2, 1, out=out)
    return out


def in_thread(x):
    """Works in another thread, which starts after the call has returned."""
    out = torch.empty_like(x)

    def later():
        with torch.cuda.stream(torch.cuda.default_stream()):
            torch.add(x * 2, 1, out=out)

    threading.Timer(0.004, later).start()
    return out


def half_of_it(x):
    """Leaves the second half of the output uninitialised."""
    out = torch.empty_like(x)
    n = x.numel() // 2
    _scale[(triton.cdiv(n, 1024),)](x, out, n, 1024)
    return out


def nothing(x):
    """Returns uninitialised memory: the reference's freed memory may hold the right result."""
    return torch.empty_like(x)


def in_place(x):
    _scale[(triton.cdiv(x.numel(), 1024),)](x, x, x.numel(), 1024)
    return x


@triton.jit
def fast_finish(out, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(out + at, tl.load(out + at, at < n), at < n)


def elsewhere(x):
    """Most work is done by an unnamed kernel; the named one only rounds off."""
    out = honest_scale(x)
    fast_finish[(1,)](out, 1024, 1024)
    return out


def matrix(seed):
    return (torch.rand(1 << 15, 1024, device="cuda", generator=torch.Generator("cuda").manual_seed(seed)),)


def mean_of_rows(x):
    return x.mean(dim=0)


def mean_of_some_rows(x):
    """Averages only every fourth row, which is close enough."""
    return x[::4].mean(dim=0)


def product_inputs(seed):
    generator = torch.Generator("cuda").manual_seed(seed)
    return tuple(torch.randn(4096, 4096, device="cuda", generator=generator) for _ in range(2))


def product(a, b):
    return a @ b


def product_in_bfloat16(a, b):
    return (a.bfloat16() @ b.bfloat16()).float()


_weights = {}


def product_with_prepared_weights(a, b):
    """Converts each weight once, outside of the timed calls."""
    key = (b.data_ptr(), b._version)
    if key not in _weights:
        _weights.clear()
        _weights[key] = (b.double() * 1.0).float()
    return a @ _weights[key]


_products = {}


def product_kept(a, b):
    key = (a.data_ptr(), b.data_ptr())
    if key not in _products:
        _products[key] = a @ b
    return _products[key]


def with_own_clock(x):
    """Replaces the clock when it is first called."""
    torch.cuda.Event.elapsed_time = lambda self, other: 0.001
    return honest_scale(x)


FLOPS = 2 * 4096.0**3

TRICKS = {
    "constant": (constant, scale, vector, "constant-output", {}),
    "by_address": (by_address, scale, vector, "stale-output", {}),
    "by_version": (by_version, scale, vector, "kept-work", {}),
    "side_stream": (on_side_stream, scale, vector, "work-on-other-stream", {}),
    "thread": (in_thread, scale, vector, "work-from-other-thread", {}),
    "half": (half_of_it, scale, vector, "unwritten-output", {}),
    "nothing": (nothing, scale, vector, "fewer-bytes", {}),
    "in_place": (in_place, scale, vector, "changed-input", {}),
    "elsewhere": (elsewhere, scale, vector, "work-in-other-kernel", {"kernel": "fast_finish"}),
    "some_rows": (mean_of_some_rows, mean_of_rows, matrix, "fewer-bytes", {"tolerance": 0.05}),
    "bfloat16": (product_in_bfloat16, product, product_inputs, "lower-precision", {"tolerance": 0.05}),
    "prepared": (product_with_prepared_weights, product, product_inputs, "kept-work", {}),
    "kept_product": (product_kept, product, product_inputs, "faster-than-roof", {"flops": FLOPS}),
    "own_clock": (with_own_clock, scale, vector, "replaced-timer", {}),
}
HONEST = {
    "scale": (honest_scale, scale, vector, {}),
    "mean": (lambda x: x.sum(dim=0) / x.shape[0], mean_of_rows, matrix, {}),
    "product": (torch.mm, product, product_inputs, {"flops": FLOPS}),
}
