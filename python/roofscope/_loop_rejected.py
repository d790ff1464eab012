# SPDX-License-Identifier: Apache-2.0
"""What `roofscope loop` does not propose again, and why: skipped actions and those that were tried.

The ledger's list `skipped` has the ids as the user gave them. What else is known about them is in
its optional list `skips`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roofscope import _packets
from roofscope._executable import RoofscopeError
from roofscope._profile import Profile
from roofscope._records import Finding


@dataclass(frozen=True, slots=True)
class Rejected:
    """An action that is not proposed again."""

    id: str
    subject: str | None
    findings: frozenset[str]  #: see plain_ids(); empty if it is not about kernels
    why: str


def plain_ids(findings: list[str] | tuple[str, ...]) -> frozenset[str]:
    """Ids of findings without launch shapes, which an id has only if its kernel has several."""
    parts = (one.partition("/") for one in findings)
    return frozenset(f"{kernel.partition('-')[0]}/{rule}" for kernel, _, rule in parts)


def parts_of(profile: Profile, found: Finding) -> tuple[str, ...]:
    """The ids of the kernels' findings that a proposal consists of."""
    if found.kernel is not None:
        return (found.id,)
    actions = profile.program.actions if profile.program else ()
    return next((action.findings for action in actions if action.id == found.id), ())


def is_among(found: Finding, tried: list[tuple[str, str | None]]) -> bool:
    """Whether a finding is one of those that were tried.

    The id of an action is that of its rule, with a suffix if the rule has several actions. How many
    there are may differ between recordings; then the subject tells them apart. Older ledgers have
    no subjects, so there all actions of a rule count as the same one.
    """
    if found.kernel is not None or found.subject is None:
        return any(found.id == identity for identity, _ in tried)
    if any(found.id == one and subject in (None, found.subject) for one, subject in tried):
        return True
    plain = f"program/{found.rule}"
    for identity, subject in tried:
        if found.id == plain and identity.startswith(f"{plain}-"):
            known = subject or identity.removeprefix(f"{plain}-").partition("x")[0]
            if found.subject.startswith(known):
                return True
        if identity == plain and (subject is None or subject == found.subject):
            return True
    return False


def _findings(action: dict[str, Any]) -> frozenset[str]:
    """The findings of an action of the ledger; ledgers of earlier versions name only a kernel."""
    own = [action["id"]] if action.get("kernel") else []
    return plain_ids(action.get("findings") or own)


def of_skips(ledger: dict[str, Any]) -> list[Rejected]:
    """What the user skipped."""
    actions = {step["action"]["id"]: step["action"] for step in ledger["steps"] if step["action"]}
    actions |= {skip["id"]: skip for skip in ledger.get("skips", [])}
    return [
        Rejected(one, of.get("subject"), _findings({"id": one} | of), "skipped")
        for one, of in ((one, actions.get(one, {})) for one in ledger["skipped"])
    ]


def not_again(ledger: dict[str, Any]) -> list[Rejected]:
    """All that is not proposed again. A partly kept action may be proposed again."""
    tried = [
        Rejected(
            step["action"]["id"],
            step["action"].get("subject"),
            _findings(step["action"]),
            f"step {step['number']}: {_packets.plain(step['outcome']['state'])}",
        )
        for step in ledger["steps"]
        if step["action"] and step["outcome"] and step["outcome"]["state"] != "partly"
    ]
    return of_skips(ledger) + tried


def why_not(found: Finding, parts: tuple[str, ...], rejected: list[Rejected]) -> str | None:
    """Why a proposal that consists of these findings is not made again; None if it may be made.

    An action over several kernels is the same one if it is about fewer of them now."""
    own = plain_ids(parts)
    for one in rejected:
        if is_among(found, [(one.id, one.subject)]) or (own and own <= one.findings):
            return one.why
    return None


def is_skipped(action: dict[str, Any], ledger: dict[str, Any]) -> bool:
    """Whether an action of the ledger was skipped, by its own id or by that of a finding of it."""
    own = _findings(action)
    return any(
        action.get("id") == one.id or (own and own <= one.findings) for one in of_skips(ledger)
    )


def are_skips(value: Any) -> bool:
    """Whether the value is a valid list `skips` of a ledger."""
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and isinstance(one.get("id"), str)
        and isinstance(one.get("subject"), str | None)
        and isinstance(one.get("of"), str | None)
        and are_ids(one.get("findings"))
        for one in value
    )


def are_ids(value: Any) -> bool:
    """Whether the value is a list of ids."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _known(ledger: dict[str, Any], profile: Profile | None) -> dict[str, dict[str, Any]]:
    """All that can be skipped, by id. A finding that is part of an action stands for all of it."""
    known: dict[str, dict[str, Any]] = {}
    wholes: list[dict[str, Any]] = []
    for step in ledger["steps"]:
        if action := step["action"]:
            whole = {
                "id": action["id"],
                "subject": action.get("subject"),
                "findings": action.get("findings") or [],
                "of": None,
            }
            wholes.append(whole)
    if profile is not None:
        for action in profile.program.actions if profile.program else ():
            ids = list(action.findings)
            of = {"id": action.id, "subject": action.subject, "findings": ids, "of": None}
            wholes.append(of)
        for found in [f for kernel in profile.kernels for f in kernel.findings]:
            known[found.id] = {"id": found.id, "subject": None, "findings": [found.id], "of": None}
        for found in _packets.in_order(profile):
            known.setdefault(found.id, {"id": found.id, "subject": found.subject, "findings": []})
    for whole in wholes:
        for part in whole["findings"]:
            known[part] = whole | {"id": part, "subject": None, "of": whole["id"]}
    return known | {whole["id"]: whole for whole in wholes}


def skip(ledger: dict[str, Any], identity: str, profile: Profile | None) -> None:
    """Never proposes an action again. Raises RoofscopeError (64) for an id that nothing has."""
    known = _known(ledger, profile)
    if identity not in known:
        raise RoofscopeError(
            f"--skip {identity}: no action of the ledger or of its last recording has this id "
            '(see "roofscope loop show")',
            64,
        )
    if identity not in ledger["skipped"]:
        ledger["skipped"].append(identity)
        kept = [one for one in ledger.get("skips", []) if one["id"] != identity]
        ledger["skips"] = [*kept, {"of": None} | known[identity]]


def take_back(ledger: dict[str, Any], identity: str) -> None:
    """Lets an action be proposed again. Raises RoofscopeError (64) if it was not skipped."""
    if identity not in ledger["skipped"]:
        raise RoofscopeError(f"loop undo --skip {identity}: this id was not skipped", 64)
    ledger["skipped"].remove(identity)
    ledger["skips"] = [one for one in ledger.get("skips", []) if one["id"] != identity]


def all_said(ledger: dict[str, Any]) -> str | None:
    """ "never proposed: k1/rule (all of program/rule), …"; None if nothing was skipped."""
    of = {one["id"]: one["of"] for one in ledger.get("skips", [])}
    said = [
        _packets.plain(one, 120)
        + (f" (all of {_packets.plain(of[one], 120)})" if of.get(one) else "")
        for one in ledger["skipped"]
    ]
    return "never proposed: " + ", ".join(said) if said else None
