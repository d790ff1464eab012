# SPDX-License-Identifier: Apache-2.0
"""roofscope in Python: open a profile, read its kernels, findings and actions, compare two.

Every number comes from the roofscope executable; this package analyses nothing.

>>> import roofscope
>>> profile = roofscope.open("sample")
>>> profile.kernels[0].verdict.limiter
'DRAM'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofscope._comparison import (
        Change,
        ComparedGroup,
        ComparedKernel,
        ComparedProgram,
        ComparedSide,
        Comparison,
        KernelPromise,
        Promise,
    )
    from roofscope._executable import RoofscopeError, executable
    from roofscope._measure import MeasureError, MeasureWarning, Range, measure, measured
    from roofscope._plots import Plot
    from roofscope._profile import Profile
    from roofscope._profile import (
        open as open,
    )
    from roofscope._records import (
        Action,
        Duration,
        Evidence,
        Finding,
        Function,
        HostFunction,
        Kernel,
        Movement,
        Place,
        Program,
        TrialResult,
        Unseen,
        Verdict,
    )
    from roofscope._review import Check, Review, review
    from roofscope._scan import ScanResult, scan

    range = Range

    __version__: str

__all__ = [
    "Action",
    "Change",
    "Check",
    "ComparedGroup",
    "ComparedKernel",
    "ComparedProgram",
    "ComparedSide",
    "Comparison",
    "Duration",
    "Evidence",
    "Finding",
    "Function",
    "HostFunction",
    "Kernel",
    "KernelPromise",
    "MeasureError",
    "MeasureWarning",
    "Movement",
    "Place",
    "Plot",
    "Profile",
    "Program",
    "Promise",
    "Review",
    "RoofscopeError",
    "ScanResult",
    "TrialResult",
    "Unseen",
    "Verdict",
    "executable",
    "measure",
    "measured",
    "review",
    "scan",
]
#: Not in __all__, because `from roofscope import *` must not hide Python's own functions.
_LIKE_BUILTINS = ("open", "range")
#: The modules that define the names.
_MODULES = ("executable", "profile", "records", "comparison", "plots", "scan", "measure", "review")


def __getattr__(name: str) -> Any:
    """Imports a name on first use: most commands only start the executable and need none."""
    if name == "__version__":
        value: Any = import_module("roofscope._executable").version()
    elif name == "range":
        value = import_module("roofscope._measure").Range
    elif name in __all__ or name in _LIKE_BUILTINS:
        modules = (import_module(f"roofscope._{m}") for m in _MODULES)
        value = next(getattr(module, name) for module in modules if hasattr(module, name))
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__, *_LIKE_BUILTINS]
