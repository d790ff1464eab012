# SPDX-License-Identifier: Apache-2.0
"""How `roofscope loop` judges actions about the program."""

from types import SimpleNamespace
from typing import Any

import pytest

from roofscope import _loop_judge


@pytest.mark.parametrize(
    ("after", "left", "state"),
    [(0.007, [], "kept"), (0.0101, [], "broken"), (0.007, ["uneven-ranks"], "partly")],
)
def test_an_action_of_no_class_of_the_account_is_judged_by_the_window(
    after: float, left: list[str], state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = abs(after / 0.010 - 1) > 0.025
    program = {"comparable": True, "promises": [], "changed": changed}
    program |= {"seconds_before": 0.010, "seconds_after": after}
    monkeypatch.setattr(_loop_judge, "_comparison", lambda *_: {"program": program})
    actions = [SimpleNamespace(rule=rule, subject=None) for rule in left]
    profile = SimpleNamespace(program=SimpleNamespace(actions=actions))
    action = {"kernel": None, "rule": "uneven-ranks", "bound_ns": 4e6}
    assert _loop_judge.judge(action, profile, profile, None)["state"] == state  # type: ignore[arg-type]


def test_of_two_actions_of_one_rule_the_one_that_was_tried_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    promise = {"rule": "host-bound", "id": "program/host-bound-aaaa", "subject": "aaaa11"}
    promise |= {"bound_seconds": 0.004, "saved_seconds": 0.003, "estimate": False}
    promise |= {"outcome": "kept"}
    program = {"comparable": True, "changed": True, "promises": [promise]}
    program |= {"seconds_before": 0.010, "seconds_after": 0.007}
    monkeypatch.setattr(_loop_judge, "_comparison", lambda *_: {"program": program})

    def state(subject: str | None, rule: str = "host-bound") -> str:
        def profile(*subjects: str) -> Any:
            actions = [SimpleNamespace(rule=rule, subject=one) for one in subjects]
            return SimpleNamespace(program=SimpleNamespace(actions=actions))

        action = {"kernel": None, "rule": rule, "subject": subject, "bound_ns": 4e6}
        outcome = _loop_judge.judge(action, profile("aaaa11", "bbbb22"), profile("bbbb22"), None)
        return str(outcome["state"])

    assert state("aaaa11") == "kept"
    assert state("bbbb22") == "broken"  # it is still there
    assert state(None) == "kept"  # an older ledger knows the rule only
    # Actions without a class of the account have no promise: one is gone, and the window shows what
    # that saved.
    assert state("aaaa11", "unfused-elementwise") == "kept"
    assert state("bbbb22", "unfused-elementwise") == "broken"


def _profile(rule: str, subjects: tuple[str, ...]) -> Any:
    actions = [SimpleNamespace(rule=rule, subject=one) for one in subjects]
    return SimpleNamespace(program=SimpleNamespace(actions=actions))


@pytest.mark.parametrize(
    ("before", "after", "promised", "state"),
    [
        # The program got faster: the action that is gone was done, and a third one came up.
        (("aaaa11", "bbbb22"), ("cccc33", "bbbb22"), (), "kept"),
        # Both are, and only one is left: which one, `compare` says.
        (("aaaa11", "bbbb22"), ("cccc33",), ("aaaa11",), "kept"),
        (("aaaa11", "bbbb22"), ("cccc33",), ("bbbb22",), "broken"),
        # None is left.
        (("aaaa11", "bbbb22"), (), ("aaaa11", "bbbb22"), "kept"),
        # Another one of the rule was found; it does not hide that the first is gone.
        (("aaaa11", "bbbb22"), ("bbbb22", "cccc33"), ("aaaa11",), "kept"),
    ],
)
def test_actions_of_one_rule_are_told_apart_though_their_subjects_change(
    before: tuple[str, ...],
    after: tuple[str, ...],
    promised: tuple[str, ...],
    state: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    promise = {"rule": "pageable-copy", "bound_seconds": 0.004, "saved_seconds": 0.003}
    promise |= {"estimate": False, "outcome": "kept"}
    program = {"comparable": True, "changed": True, "seconds_before": 0.01, "seconds_after": 0.007}
    program["promises"] = [promise | {"subject": one} for one in promised]
    monkeypatch.setattr(_loop_judge, "_comparison", lambda *_: {"program": program})
    action = {"kernel": None, "rule": "pageable-copy", "subject": "aaaa11", "bound_ns": 4e6}
    sides = (_profile("pageable-copy", one) for one in (before, after))
    assert _loop_judge.judge(action, *sides, None)["state"] == state
    if not promised:
        # Otherwise it is the same action, which is about another function now.
        program["seconds_after"] = 0.01
        sides = (_profile("pageable-copy", one) for one in (before, after))
        assert _loop_judge.judge(action, *sides, None)["state"] == "broken"
