# SPDX-License-Identifier: Apache-2.0
"""The file in which `roofscope try` notes what it measured for a recording (docs/try.md).

"app.tried.json" beside "app.roofscope.json.gz". It names the recording by its hash, so that a
report never shows trials of another one (profile/trials/trial_results.h reads it).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from roofscope import _report_json

#: The fields of a trial that the file keeps.
_KEPT = (
    "name", "title", "outcome", "why", "per", "before_seconds", "after_seconds", "results",
    "suggested_by", "settles",
)  # fmt: skip
#: Outcomes of trials that did not run: they say nothing about the edit.
_DID_NOT_RUN = ("not-tried", "not-applied")


def place(profile: Path) -> Path:
    """The file of this recording."""
    name = profile.name
    for end in (".gz", ".json", ".roofscope"):
        if len(name) > len(end):
            name = name.removesuffix(end)
    return profile.with_name(f"{name}.tried.json")


def digest(profile: Path) -> str:
    """The SHA-256 of the file, which identifies the recording. OSError if it cannot be read."""
    found = hashlib.sha256()
    with profile.open("rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def trials_in(text: bytes | None, recording: str) -> list[Mapping[str, Any]]:
    """The trials of this recording in a file's text; none if it is damaged or missing."""
    try:
        data = json.loads((text or b"").decode())
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, dict) or data.get("recording_sha256") != recording:
        return []
    trials = data.get("trials")
    if not isinstance(trials, list):
        return []
    return [one for one in trials if isinstance(one, dict) and isinstance(one.get("name"), str)]


def noted(path: Path, recording: str, trials: Sequence[Mapping[str, Any]]) -> str | None:
    """The file's new text: these trials, and the earlier ones not run now; None if none ran."""
    new = [
        {key: trial[key] for key in _KEPT}
        for trial in trials
        if trial["outcome"] not in _DID_NOT_RUN
    ]
    if not new:
        return None
    earlier = None
    with contextlib.suppress(OSError):
        earlier = path.read_bytes()
    return joined(earlier, recording, new)


def joined(earlier: bytes | None, recording: str, new: Sequence[Mapping[str, Any]]) -> str:
    """The file's text with these trials, which replace the earlier ones of their names."""
    names = {trial["name"] for trial in new}
    kept = [one for one in trials_in(earlier, recording) if one["name"] not in names]
    data = {
        "format": "roofscope-tried",
        "schema": [1, 0],
        "recording_sha256": recording,
        "trials": [*kept, *new],
    }
    return _report_json.written(data)
