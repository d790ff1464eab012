# SPDX-License-Identifier: Apache-2.0
"""The part of PyTorch that the trials touch, without a GPU. It remembers its settings."""

import contextlib
import os
import time
from types import SimpleNamespace
from typing import ClassVar

__version__ = "2.0+fake"
float32, bfloat16, channels_last, contiguous_format = "float32", "bfloat16", "nhwc", "nchw"
_state = SimpleNamespace(precision="highest", autocast=False)


def get_float32_matmul_precision():
    return _state.precision


def set_float32_matmul_precision(precision):
    _state.precision = precision


backends = SimpleNamespace(cudnn=SimpleNamespace(benchmark=False, allow_tf32=False))
compiler = SimpleNamespace(is_compiling=lambda: False)


def is_autocast_enabled():
    return _state.autocast


@contextlib.contextmanager
def autocast(device, dtype):
    before, _state.autocast = _state.autocast, True
    yield
    _state.autocast = before


class Tensor:
    copies: ClassVar[list] = []  # of each copy to the GPU: whether it blocks

    def __init__(self, dims=4, dtype=float32, layout=contiguous_format, pinned=False):
        self.dims, self.dtype, self.layout, self.pinned = dims, dtype, layout, pinned

    def dim(self):
        return self.dims

    def is_floating_point(self):
        return True

    def is_pinned(self):
        return self.pinned

    def float(self):
        return Tensor(self.dims, float32, self.layout)

    def contiguous(self, memory_format=contiguous_format):
        return Tensor(self.dims, self.dtype, memory_format)

    def to(self, device, non_blocking=False):
        Tensor.copies.append(non_blocking)
        return Tensor(self.dims, self.dtype, self.layout)

    cuda = to


class Module:
    def __init__(self, *parts):
        self.parts, self.layout, self.compiled = parts, contiguous_format, None
        self.weight = Tensor()

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def parameters(self):
        return iter([self.weight])

    def modules(self):
        yield self
        for part in self.parts:
            yield from part.modules()

    def to(self, memory_format):
        self.layout = memory_format

    def compile(self, mode="default"):
        self.compiled = mode


class _ConvNd(Module):
    kernel_size = (3, 3)


class Conv2d(_ConvNd):
    pass


class ConvTranspose2d(_ConvNd):
    pass


nn = SimpleNamespace(
    Module=Module,
    Conv2d=Conv2d,
    ConvTranspose2d=ConvTranspose2d,
    modules=SimpleNamespace(conv=SimpleNamespace(_ConvNd=_ConvNd)),
)


class IterableDataset:
    pass


class DataLoader:
    def __init__(self, dataset, batch_size=1, num_workers=0, pin_memory=False, **more):
        self.dataset, self.num_workers, self.pin_memory = dataset, num_workers, pin_memory

    def __iter__(self):
        for _ in self.dataset:
            yield [Tensor(pinned=self.pin_memory)]


class Event:
    """By a clock of its own, which is twice as fast."""

    def __init__(self, enable_timing):
        self.time = None

    def record(self):
        self.time = 2e3 * time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, later):
        return later.time - self.time


utils = SimpleNamespace(
    data=SimpleNamespace(DataLoader=DataLoader, IterableDataset=IterableDataset)
)
_first = iter([True])
cuda = SimpleNamespace(
    is_initialized=lambda: "FAKE_PEAK_BYTES" in os.environ,
    synchronize=lambda: None,
    device_count=lambda: 1,
    max_memory_allocated=lambda device: int(os.environ["FAKE_PEAK_BYTES"]),
    # The first event is missing, as where the first step is captured in a graph.
    is_current_stream_capturing=lambda: next(_first, False),
    Event=Event,
)

from torch import optim  # noqa: F401
