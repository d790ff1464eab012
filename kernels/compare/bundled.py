# SPDX-License-Identifier: Apache-2.0
"""The bundled kernels from Python, through libroofscope-kernels-compare.so."""
import ctypes

_ERROR_BYTES = 512


class Library:
    """The shared library; `open` prepares a rung on a case."""

    def __init__(self, path):
        self._c = ctypes.CDLL(path)
        text, size = ctypes.c_char_p, ctypes.c_size_t
        self._c.roofscopeCaseOpen.argtypes = [text, text, ctypes.c_uint64, text, size]
        self._c.roofscopeCaseOpen.restype = ctypes.c_void_p
        self._c.roofscopeCaseLaunch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, text, size]
        self._c.roofscopeCaseMinimumBytes.argtypes = [ctypes.c_void_p]
        self._c.roofscopeCaseMinimumBytes.restype = ctypes.c_double
        self._c.roofscopeCaseClose.argtypes = [ctypes.c_void_p]

    def open(self, rung, case, seed=1):
        return _Case(self._c, rung, case, seed)


class _Case:
    def __init__(self, library, rung, case, seed):
        self._c = library
        self._error = ctypes.create_string_buffer(_ERROR_BYTES)
        self._handle = library.roofscopeCaseOpen(rung.encode(), case.encode(), seed, self._error,
                                                 _ERROR_BYTES)
        if not self._handle:
            raise RuntimeError(f"{rung} on {case}: {self._error.value.decode()}")
        self.minimum_bytes = library.roofscopeCaseMinimumBytes(self._handle)

    def launch(self, stream):
        """Queues one launch on a CUDA stream handle; the next launch uses the next input copy."""
        if self._c.roofscopeCaseLaunch(self._handle, stream, self._error, _ERROR_BYTES):
            raise RuntimeError(self._error.value.decode())

    def close(self):
        self._c.roofscopeCaseClose(self._handle)
        self._handle = None
