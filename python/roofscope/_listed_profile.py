# SPDX-License-Identifier: Apache-2.0
"""A recording as `loop` and `try` read it: its lists of kernels, findings and actions."""

from __future__ import annotations

import functools
import os
from typing import Any, BinaryIO

from roofscope import _report_json
from roofscope._executable import RoofscopeError, run_parsed
from roofscope._profile import Profile, Window


class ListedProfile(Profile):
    """Its kernels have no quantities, and findings no evidence. Large ones would take gigabytes."""

    @functools.cached_property
    def data(self) -> dict[str, Any]:
        """As of `Profile`."""
        if not self.path.exists():
            raise RoofscopeError(f"no such profile: {self.path}", 66)

        def parse(text: BinaryIO) -> dict[str, Any]:
            return _report_json.read(text, lambda _: False, moves=True)

        return run_parsed(parse, "report", self.path, f"--window={self.window}")


def listed(path: str | os.PathLike[str], window: Window = "auto") -> ListedProfile:
    """Reads the recording at once; RoofscopeError if there is none, or if it is not one."""
    profile = ListedProfile(path, window)
    _ = profile.data
    return profile
