# SPDX-License-Identifier: Apache-2.0
"""`roofscope ci comment`: the gate's one comment on a pull or merge request."""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from roofscope._executable import RoofscopeError

#: Marks the gate's comment, so that a later run changes it instead of adding one.
MARK = "<!-- roofscope gate -->"
#: GitHub allows 65,536 characters.
_LONGEST_COMMENT = 60_000
_PATIENCE = 30


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is meant for one server only."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _ask(method: str, address: str, headers: dict[str, str], body: Any = None) -> Any:
    """The JSON that a server answers; RoofscopeError (75, 77) if it refuses."""
    if not address.startswith(("https://", "http://")):
        raise RoofscopeError(f"ci comment: {address} is no address of a server", 64)
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, method=method)
    for name, value in {"Content-Type": "application/json", **headers}.items():
        request.add_header(name, value)
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=_PATIENCE) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise RoofscopeError(
            f"ci comment: the server answered {error.code} {error.reason}", 77
        ) from None
    except (OSError, ValueError) as error:
        raise RoofscopeError(f"ci comment: {address} does not answer: {error}", 75) from None


def _needed(*names: str) -> list[str]:
    values = [os.environ.get(name, "") for name in names]
    for name, value in zip(names, values, strict=True):
        if not value:
            raise RoofscopeError(
                f"ci comment: this is for a job of GitHub or GitLab: {name} is not set", 64
            )
    return values


def _pull_request() -> int:
    """The number of GitHub's pull request."""
    found = re.fullmatch(r"refs/pull/(\d+)/merge", os.environ.get("GITHUB_REF", ""))
    if not found:
        raise RoofscopeError("ci comment: this is no run for a pull request", 64)
    return int(found[1])


class _Comments(NamedTuple):
    """The comments on one pull or merge request."""

    all: str  # address of the list
    one: str  # address of a comment, without "/" and its id
    headers: dict[str, str]
    change: str  # the method that changes one
    #: Whether we wrote a comment. The mark is no proof: anybody who may comment can write it.
    ours: Callable[[dict[str, Any]], bool]


def _post(comments: _Comments, text: str) -> None:
    """Changes our comment in the list, or adds it."""
    headers = comments.headers
    page = 1
    while True:
        found = _ask("GET", f"{comments.all}?per_page=100&page={page}", headers)
        for comment in found:
            if str(comment.get("body", "")).startswith(MARK) and comments.ours(comment):
                _ask(comments.change, f"{comments.one}/{comment['id']}", headers, {"body": text})
                return
        if len(found) < 100:
            break
        page += 1
    _ask("POST", comments.all, headers, {"body": text})


def _is_bot(comment: dict[str, Any]) -> bool:
    return bool(comment["user"]["type"] == "Bot")


def post(path: Path) -> int:
    """`roofscope ci comment`: posts a file, or changes what an earlier run posted."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RoofscopeError(f"{path}: {error.strerror}", 66) from error
    if len(text) > _LONGEST_COMMENT:
        text = text[:_LONGEST_COMMENT] + "\n\n(cut: the artifact has all of it)\n"
    text = f"{MARK}\n{text}"
    if os.environ.get("GITLAB_CI"):
        address, project, number = _needed("CI_API_V4_URL", "CI_PROJECT_ID", "CI_MERGE_REQUEST_IID")
        (token,) = _needed("ROOFSCOPE_TOKEN")
        notes = f"{address}/projects/{project}/merge_requests/{number}/notes"
        headers = {"PRIVATE-TOKEN": token}
        me = _ask("GET", f"{address}/user", headers)["id"]
        _post(
            _Comments(notes, notes, headers, "PUT", lambda note: note["author"]["id"] == me), text
        )
        return 0
    address, repository, token = _needed("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN")
    issues = f"{address}/repos/{repository}/issues"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    pull = f"{issues}/{_pull_request()}/comments"
    _post(
        _Comments(pull, f"{issues}/comments", headers, "PATCH", _is_bot),
        text,
    )
    return 0
