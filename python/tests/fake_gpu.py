# SPDX-License-Identifier: Apache-2.0
"""Helpers for test programs: kernels on the fake GPU (tests/fake_gpu)."""

import ctypes
import gzip
import json
import os
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ["ROOFSCOPE_FAKE_GPU"])
_launches = ctypes.CDLL(str(FOLDER / "libfake_launches.so"))
_names: list[ctypes.Array[ctypes.c_char]] = []  # a kernel's handle is the address of its name


def kernel(name: str) -> Any:
    """A kernel as a function(blocks, ns): launches that many blocks, running for ns nanoseconds."""
    kept = ctypes.create_string_buffer(name.encode())
    _names.append(kept)
    return lambda blocks, ns: _launches.fake_launch(ctypes.addressof(kept), blocks, ns)


_launches.fake_launch.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint64]


def subscriber() -> int:
    """The current CUPTI subscriber; 0 for none."""
    cupti = ctypes.CDLL(str(FOLDER / "libfake_cupti.so"))
    return ctypes.c_void_p.in_dll(cupti, "roofscope_fake_subscriber").value or 0


def traced() -> bool:
    """Whether CUPTI times kernels."""
    cupti = ctypes.CDLL(str(FOLDER / "libfake_cupti.so"))
    return ctypes.c_bool.in_dll(cupti, "roofscope_fake_timed").value


def content(path: Path) -> Any:
    """The parsed content of a profile file."""
    return json.loads(gzip.decompress(path.read_bytes()))
