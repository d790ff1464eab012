# SPDX-License-Identifier: Apache-2.0
"""roofscope in Python: open a profile, read its kernels, findings and actions, compare two.

Every number comes from the roofscope executable; this package analyses nothing.

>>> import roofscope
>>> profile = roofscope.open("sample")
>>> profile.kernels[0].verdict.limiter
'L1 data pipe'
"""

from roofscope._executable import RoofscopeError, executable, version
from roofscope._measure import MeasureError, MeasureWarning, measure, measured
from roofscope._measure import Range as range
from roofscope._profile import (
    Action,
    Comparison,
    Duration,
    Evidence,
    Finding,
    Kernel,
    Movement,
    Place,
    Profile,
    Program,
    Verdict,
    open,
)
from roofscope._review import Check, Review, review
from roofscope._scan import ScanResult, scan

__version__ = version()
__all__ = [
    "Action",
    "Check",
    "Comparison",
    "Duration",
    "Evidence",
    "Finding",
    "Kernel",
    "MeasureError",
    "MeasureWarning",
    "Movement",
    "Place",
    "Profile",
    "Program",
    "Review",
    "RoofscopeError",
    "ScanResult",
    "Verdict",
    "executable",
    "measure",
    "measured",
    "open",
    "range",
    "review",
    "scan",
]
