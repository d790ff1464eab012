#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a Python candidate for `check`. Part of the folder of a captured launch.

The candidate is a function `candidate` with the kernel's parameters. Pointers become PyTorch
tensors, CuPy arrays if only CuPy was imported, or else a `Buffer`. An annotation gives a type and
shape: "f32[64, 128]", "i32", "bf16[:]". `replay.so` does the rest, as for a compiled kernel.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import importlib
import importlib.util
import inspect
import json
import os
import re
import struct
import sys
import traceback
from pathlib import Path

#: For each name: bytes, `struct` format, CUDA array interface type, PyTorch name.
TYPES = {
    name: (size, code, interface, torch)
    for name, size, code, interface, torch in (
        ("bool", 1, "?", "|b1", "bool"),
        ("i8", 1, "b", "|i1", "int8"),
        ("u8", 1, "B", "|u1", "uint8"),
        ("i16", 2, "h", "<i2", "int16"),
        ("u16", 2, "H", "<u2", "uint16"),
        ("i32", 4, "i", "<i4", "int32"),
        ("u32", 4, "I", "<u4", "uint32"),
        ("i64", 8, "q", "<i8", "int64"),
        ("u64", 8, "Q", "<u8", "uint64"),
        ("f16", 2, "e", "<f2", "float16"),
        ("f32", 4, "f", "<f4", "float32"),
        ("f64", 8, "d", "<f8", "float64"),
        # Only PyTorch has these types; the array interface lacks them.
        ("bf16", 2, "", "", "bfloat16"),
        ("f8e4m3", 1, "", "", "float8_e4m3fn"),
        ("f8e5m2", 1, "", "", "float8_e5m2"),
    )
}
#: The assumed type of a scalar of unknown type, by size in bytes.
BY_SIZE = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}
ANNOTATION = re.compile(r"(\w+)\*?\s*(?:\[([-\d,:\s]*)\])?")


class NotComparable(Exception):
    """The function does not fit the launch."""


class Buffer:
    """A view of the launch's memory: `pointer`, `bytes`, `type`, `shape`. CuPy, Numba and others
    use it through its CUDA array interface."""

    def __init__(self, pointer: int, size: int, kind: str, shape: tuple[int, ...]) -> None:
        self.pointer, self.bytes, self.type, self.shape = pointer, size, kind, shape

    def __int__(self) -> int:
        return self.pointer

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        return self.interface(self.type, self.shape)

    def interface(self, kind: str, shape: tuple[int, ...]) -> dict[str, object]:
        interface = TYPES[kind][2]
        if not interface:
            raise NotComparable(f"{kind} needs PyTorch")
        # None: no need to synchronise, since everything runs on the current stream.
        data = (self.pointer, False)
        return {"shape": shape, "typestr": interface, "data": data, "version": 3, "stream": None}


class _Bytes:
    """A Buffer as plain bytes, which PyTorch can view as any of its types."""

    def __init__(self, buffer: Buffer, size: int) -> None:
        self.__cuda_array_interface__ = buffer.interface("u8", (size,))


def shape_of(text: str | None, elements: int) -> tuple[int, ...]:
    """The shape in an annotation; "" and ":" mean all elements from the address on."""
    words = [word.strip() for word in (text or ":").split(",")]
    if words in ([":"], [""]):
        return (elements,)
    shape = [int(word) for word in words]
    known = 1
    for length in shape:
        known *= length if length != -1 else 1
    if -1 in shape:
        shape[shape.index(-1)] = elements // max(known, 1)
    size = 1
    for length in shape:
        size *= length
    if size < 0 or size > elements or min(shape) < 0:
        raise NotComparable(f"[{text}] needs {size} elements, and there are {elements}")
    return tuple(shape)


def wanted(annotation: object, known: str | None) -> tuple[str | None, str | None]:
    """Type and shape of a parameter: from its annotation, or else as known from the launch."""
    if not isinstance(annotation, str):
        return known, None
    if "." in annotation:
        return known, None  # an ordinary annotation as text: "torch.Tensor"
    found = ANNOTATION.fullmatch(annotation.strip("\"' "))
    if not found or found[1] not in TYPES:
        types = ", ".join(TYPES)
        raise NotComparable(f'"{annotation}": a type ({types}), and perhaps a shape, as "f32[4, 8]"')
    return found[1], found[2]


class Launch:
    """The captured launch and its arguments."""

    def __init__(self, folder: Path) -> None:
        facts = json.loads((folder / "launch.json").read_text(encoding="utf-8"))
        self.parameters = facts["parameters"]
        variables = {one["region"]: one["name"] for one in facts["variables"]}
        self.regions = [
            (int(region["address"], 16), region["bytes"])
            for i, region in enumerate(facts["memory"])
            if i not in variables
        ]
        self.variables = {
            name: facts["memory"][region]["bytes"] for region, name in variables.items()
        }

    def left(self, address: int) -> int | None:
        """How many captured bytes begin at this address; None if it is not captured memory."""
        for start, size in self.regions:
            if start <= address < start + size:
                return start + size - address
        return None

    def value(self, i: int, annotation: object) -> object:
        """The argument that the function gets for parameter `i` of the kernel."""
        parameter = self.parameters[i]
        raw = bytes.fromhex(parameter["value"])
        known = parameter.get("type")
        kind, shape = wanted(annotation, known.rstrip("*") if known else None)
        if len(raw) == 8:
            address = int.from_bytes(raw, "little")
            size = self.left(address)
            if size is not None and not (kind in ("i64", "u64") and shape is None and not known):
                kind = kind or "u8"
                return Buffer(address, size, kind, shape_of(shape, size // TYPES[kind][0]))
            if address == 0 and known and known.endswith("*"):
                return None
        if len(raw) not in BY_SIZE:
            return raw  # a structure
        kind = kind or BY_SIZE[len(raw)]
        size, code, _, _ = TYPES[kind]
        if size != len(raw):
            raise NotComparable(f"parameter {i} has {len(raw)} bytes, not the {size} of {kind}")
        if kind == "bf16":
            raw, code = b"\0\0" + raw, "f"
        return struct.unpack("<" + code, raw)[0] if code else raw


class Frameworks:
    """The framework that the candidate uses, for tensors and streams."""

    def __init__(self) -> None:
        if "triton" in sys.modules:
            # Triton takes tensors, but imports PyTorch only at its first launch.
            with contextlib.suppress(ImportError):
                importlib.import_module("torch")
        self.torch = sys.modules.get("torch")
        self.cupy = None if self.torch else sys.modules.get("cupy")

    def given(self, value: object) -> object:
        if not isinstance(value, Buffer):
            return value
        if self.torch:
            size = TYPES[value.type][0]
            for length in value.shape:
                size *= length
            bytes_ = self.torch.as_tensor(_Bytes(value, size), device="cuda")
            typed = bytes_.view(getattr(self.torch, TYPES[value.type][3]))
            return typed.reshape(value.shape)
        return self.cupy.asarray(value) if self.cupy else value

    @contextlib.contextmanager
    def on(self, stream: int):
        """Makes `stream` the current stream of the framework."""
        if self.torch and stream:
            with self.torch.cuda.stream(self.torch.cuda.ExternalStream(stream)):
                yield
        elif self.cupy and stream:
            with self.cupy.cuda.ExternalStream(stream):
                yield
        else:
            yield


class Candidate:
    """The candidate function with its arguments; loaded when it first runs."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.source, self.launch = source, Launch(folder)
        self.library = self.module = self.call = None

    def load(self) -> None:
        """Imports the candidate's file and thereby its libraries."""
        sys.path.insert(0, str(self.source.resolve().parent))
        spec = importlib.util.spec_from_file_location("roofscope_candidate", self.source)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        self.module = module

    def bind(self) -> None:
        """Finds the function and builds its arguments."""
        tell("loaded 1")
        function = getattr(self.module, "candidate", None)
        if not callable(function):
            raise NotComparable(f"{self.source.name} has no function candidate()")
        self.frameworks = Frameworks()
        parameters = list(inspect.signature(function).parameters.values())
        own = [p for p in parameters if p.kind != p.KEYWORD_ONLY]
        if len(own) != len(self.launch.parameters):
            raise NotComparable(
                f"candidate() takes {len(own)} parameters, the kernel {len(self.launch.parameters)}"
            )
        values = []
        for i, parameter in enumerate(own):
            annotation = None if parameter.annotation is parameter.empty else parameter.annotation
            values.append(self.frameworks.given(self.launch.value(i, annotation)))
        more = {p.name for p in parameters if p.kind == p.KEYWORD_ONLY}
        if unknown := [p for p in more - {"stream", "variables"}]:
            raise NotComparable(f"candidate() asks for {unknown[0]}: known are stream, variables")
        fixed = {"variables": self.variables()} if "variables" in more else {}
        if "stream" in more:
            self.call = lambda stream: function(*values, **fixed, stream=stream)
        else:
            self.call = lambda stream: function(*values, **fixed)

    def variables(self) -> dict[str, Buffer]:
        """The captured __device__ and __constant__ variables of the kernel, as bytes."""
        found = {}
        for name, size in self.launch.variables.items():
            address = self.library.roofscope_replay_variable(name.encode())
            if address:
                found[name] = Buffer(address, size, "u8", (size,))
        return {name: self.frameworks.given(value) for name, value in found.items()}

    def run(self, stream: int) -> None:
        if self.module is None:
            self.load()
        if self.call is None:
            self.bind()
        with self.frameworks.on(stream):
            self.call(stream)


def tell(fact: str) -> None:
    """Sends a fact to `replay`, like its own workers (kFact)."""
    raw = fact.encode()
    os.write(3, struct.pack("=IIQQ", 4, 0, 0, len(raw)) + raw)


def main(words: list[str]) -> int:
    faulthandler.enable()
    folder = Path(words[words.index("--folder") + 1])
    # Keep stdout for the verdict; send what the candidate prints to stderr.
    verdict = os.dup(1)
    os.dup2(2, 1)
    os.set_inheritable(verdict, False)
    # The pipe to `replay`: processes that the candidate starts must not keep it open.
    os.set_inheritable(3, False)
    # Libraries have thousands of kernels; load only those that are used.
    os.environ["CUDA_MODULE_LOADING"] = "LAZY"
    candidate = Candidate(Path(words[1]), folder)
    if "--early" in words:
        candidate.load()
    # Unless --early, this precedes the candidate's libraries, which could take the addresses.
    library = candidate.library = ctypes.CDLL(str(folder / ".build/replay.so"))
    library.roofscope_replay_variable.restype = ctypes.c_ulonglong

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_int)
    def launch(stream, why, size):
        try:
            candidate.run(stream or 0)
            return 0
        except NotComparable as error:
            text = str(error)
        except BaseException as error:  # SystemExit, too: only we decide on the verdict
            traceback.print_exc()
            said = str(error).strip().splitlines()
            text = f"the candidate raised {type(error).__name__}" + (f": {said[0]}" if said else "")
        raw = text.encode("utf-8", "replace")[: size - 1]
        ctypes.memmove(why, raw, len(raw))
        return 1

    words = [*words, "--verdict-file", str(verdict)]
    encoded = (ctypes.c_char_p * len(words))(*(os.fsencode(word) for word in words))
    return library.roofscope_replay_work(len(words), encoded, launch)


if __name__ == "__main__":
    try:
        code = main(sys.argv[2:])
    except Exception as error:
        print(f"candidate_runner.py: {error}", file=sys.stderr)
        code = 2  # not compared
    sys.stdout.flush()
    # Skip the exit handlers of libraries, which may wait for a failed GPU.
    os._exit(code)
