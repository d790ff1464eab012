# SPDX-License-Identifier: Apache-2.0
"""Results of `roofscope try` in the ledger of `roofscope loop`.

The ledger keeps them in its optional list `trials`. A trial's later result replaces the earlier.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from roofscope import _packets
from roofscope._executable import RoofscopeError
from roofscope._profile import Profile
from roofscope._try_result import NO_HELP, SAID

#: What the ledger keeps of a trial, and the types of the values.
_KEPT: dict[str, type] = {
    "name": str,
    "outcome": str,
    "sentence": str,
    "suggested_by": list,
    "settles": list,
}


def _is_trial(trial: Any) -> bool:
    return (
        isinstance(trial, dict)
        and all(isinstance(trial.get(key), kind) for key, kind in _KEPT.items())
        and all(isinstance(rule, str) for rule in trial["suggested_by"] + trial["settles"])
        and trial["outcome"] in SAID
    )


def are_trials(value: Any) -> bool:
    """Whether the value is a valid list of trials for a ledger."""
    return isinstance(value, list) and all(map(_is_trial, value))


def read_results(path: Path) -> list[dict[str, Any]]:
    """The trials that ran, from a file that `roofscope try --out` wrote.

    RoofscopeError (65, 66) if it is not such a file.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RoofscopeError(f"{path}: no such file (roofscope try --out writes it)", 66) from error
    except (OSError, ValueError, RecursionError) as error:
        raise RoofscopeError(f"{path}: cannot be read as results of trials: {error}", 65) from error
    if not isinstance(data, dict) or data.get("format") != "roofscope-try":
        raise RoofscopeError(f"{path}: no results of roofscope try", 65)
    schema = data.get("schema")
    if not isinstance(schema, list) or schema[:1] != [1]:
        raise RoofscopeError(f"{path}: written by a newer roofscope", 65)
    trials = data.get("trials")
    if not isinstance(trials, list) or not are_trials(trials):
        raise RoofscopeError(f"{path}: its trials are damaged", 65)
    ran = [one for one in trials if one["outcome"] not in ("not-tried", "not-applied")]
    return [{key: one[key] for key in _KEPT} for one in ran]


def own(profile: Profile) -> list[dict[str, Any]]:
    """What `roofscope try` has noted for this recording."""
    return [
        {
            "name": trial.name,
            "outcome": trial.outcome,
            "sentence": trial.text,
            "suggested_by": list(trial.suggested_by),
            "settles": list(trial.settles),
        }
        for trial in (profile.program.trials if profile.program else ())
    ]


def add(ledger: dict[str, Any], trials: list[dict[str, Any]]) -> None:
    """Adds results to the ledger, in place of earlier ones of the same trials."""
    new = {trial["name"]: trial for trial in trials}
    kept = [one for one in ledger.get("trials", []) if one["name"] not in new]
    ledger["trials"] = kept + list(new.values())


def ruled_out(ledger: dict[str, Any]) -> set[str]:
    """Rules whose advice was tried in vain: no trial of exactly this edit helped."""
    helps: dict[str, bool] = {}
    for trial in ledger.get("trials", []):
        for rule in trial["settles"]:
            helps[rule] = helps.get(rule, False) or trial["outcome"] not in NO_HELP
    return {rule for rule, helped in helps.items() if not helped}


def said_of(ledger: dict[str, Any], rule: str) -> list[str]:
    """Sentences about trials that made an action of this rule faster."""
    return [
        _packets.plain(trial["sentence"], 200)
        for trial in ledger.get("trials", [])
        if rule in trial["suggested_by"] and trial["outcome"] not in NO_HELP
    ]


def all_said(ledger: dict[str, Any]) -> list[str]:
    """A sentence about each trial."""
    return [_packets.plain(trial["sentence"], 200) for trial in ledger.get("trials", [])]
