# SPDX-License-Identifier: Apache-2.0
"""`roofscope ci`: writes a workflow that records and gates, and posts the gate's one comment.

This module only makes text. docs/ci.md shows it; python/tests/test_ci.py runs its blocks.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roofscope._arguments import CommandParser
from roofscope._ci_comment import post
from roofscope._executable import RoofscopeError

_PROFILE = "app.roofscope.json.gz"


@dataclass(frozen=True)
class Job:
    """What the user asks for."""

    wheel: str  #: a file, an address or "roofscope==1.0"
    cuda: str  #: 12, 13 or none: which libcupti to install
    program: str | None  #: the command line to record
    profile: str | None  #: else a recording in the repository
    sources: str | None  #: a folder: if it changes, the recording must change, too
    build: str | None
    baseline: str
    rules: str | None
    runner: str


@dataclass(frozen=True)
class Step:
    """A step of a workflow."""

    name: str
    run: str
    always: bool = False  #: also after a step that failed


def _required(job: Job) -> str:
    """What pip installs, quoted for a shell."""
    wheel = job.wheel
    if job.cuda == "none" or job.profile:
        return shlex.quote(wheel)
    extra = f"[cuda{job.cuda}]"
    if "://" in wheel:
        return shlex.quote(f"roofscope{extra} @ {wheel}")
    if wheel.endswith(".whl"):
        return shlex.quote(wheel + extra)
    return shlex.quote(re.sub(r"^roofscope(?!\[)", f"roofscope{extra}", wheel))


def _install(job: Job, folder: str, use: str) -> Step:
    # A runner may have no Python, or one that cannot make environments.
    return Step(
        "Install roofscope",
        f"""\
        python3 -m venv "{folder}" || {{
          apt-get update && apt-get install -y python3-venv && python3 -m venv "{folder}"
        }}
        "{folder}/bin/pip" install {_required(job)}
        {use}""",
    )


def _recorded(program: str) -> str:
    """The command line after "record … --", which starts a program, not a shell."""
    return f"env {program}" if re.match(r"[A-Za-z_]\w*=", program) else program


def labels(runner: str) -> list[str]:
    """The runner's labels or tags: "gpu", "a, b" or "[a, b]"."""
    words = runner.strip().removeprefix("[").removesuffix("]").split(",")
    return [word.strip() for word in words if word.strip()]


def _record(job: Job) -> list[Step]:
    steps = [Step("Can counters be read here?", "roofscope doctor")]
    if job.build:
        steps.append(Step("Build", job.build))
    steps.append(
        Step(
            "Record",
            f"roofscope record --effort quick --per-kernel 3 --out {_PROFILE} -- "
            + _recorded(job.program or ""),
        )
    )
    return steps


def _newer(job: Job, target: str) -> list[Step]:
    """Fails if the sources changed, but not the recording of them in the repository."""
    if not (job.profile and job.sources):
        return []
    sources, profile = shlex.quote(job.sources), shlex.quote(job.profile)
    return [
        Step(
            "The recording must be as new as the sources",
            f"""\
            if ! git diff --quiet "{target}"... -- {sources} &&
               git diff --quiet "{target}"... -- {profile}; then
              echo {shlex.quote(f"{job.sources} changed, but {job.profile} did not")}
              exit 2
            fi""",
        )
    ]


def _gate(job: Job, target: str, after: str) -> Step:
    """Runs the gate and writes each format; the step ends with the gate's exit code."""
    profile = shlex.quote(job.profile or _PROFILE)
    baseline, rules = shlex.quote(job.baseline), ""
    if job.rules:
        rules = f" --rules {shlex.quote(job.rules)}"
    if job.profile:
        # Take the baseline from the target branch: else one commit could change the recording and
        # the baseline unseen.
        old = f'git show "{target}":{baseline} > roofscope-base.baseline'
        first, baseline = f"{old}\n", "roofscope-base.baseline"
    else:
        first = f"""\
            if [ ! -f {baseline} ]; then
              roofscope gate {profile} --baseline {baseline} --update
              echo {shlex.quote(f"{job.baseline} is new: commit it from the artifact")}
              exit 2
            fi
"""
    return Step(
        "Gate",
        textwrap.dedent(first)
        + textwrap.dedent(f"""\
            code=0
            roofscope gate {profile} --baseline {baseline}{rules} || code=$?
            for file in gate.md gate.sarif gate.xml; do
              roofscope gate {profile} --baseline {baseline}{rules} --out "$file" || true
            done
            {after}
            exit "$code\""""),
    )


def _steps(job: Job, folder: str, use: str, target: str, after: str) -> list[Step]:
    return [
        _install(job, folder, use),
        *(_newer(job, target) if job.profile else _record(job)),
        _gate(job, target, after),
    ]


def github_steps(job: Job) -> list[Step]:
    """The steps that GitHub's runner executes between the workflow's actions."""
    folder = "$RUNNER_TEMP/roofscope"
    steps = _steps(
        job,
        folder,
        f'echo "{folder}/bin" >> "$GITHUB_PATH"',
        "origin/$GITHUB_BASE_REF",
        'cat gate.md >> "$GITHUB_STEP_SUMMARY"',
    )
    return [*steps, Step("Comment", "roofscope ci comment gate.md", always=True)]


def gitlab_steps(job: Job) -> list[Step]:
    """What GitLab's runner executes, in one shell."""
    folder = "$CI_PROJECT_DIR/.roofscope"
    return _steps(
        job,
        folder,
        f'export PATH="{folder}/bin:$PATH"',
        "origin/$CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
        "roofscope ci comment gate.md || true",
    )


def _block(text: str, indentation: int) -> str:
    """The text as a block of YAML, which needs no quotes."""
    return textwrap.indent(textwrap.dedent(text).strip("\n"), " " * indentation)


_HEAD = "# Written by `roofscope ci init`; yours to change."


def github(job: Job) -> str:
    """The workflow for GitHub Actions."""
    where = "ubuntu-latest" if job.profile else f"[{', '.join(labels(job.runner))}]"
    lines = [
        _HEAD,
        "name: performance",
        "on: pull_request",
        "permissions:",
        "  contents: read",
        "  pull-requests: write # the comment",
        "  security-events: write # SARIF",
        "jobs:",
        "  roofscope:",
        f"    runs-on: {where}",
        "    steps:",
        "      - uses: actions/checkout@v4",
        *(["        with:", "          fetch-depth: 0"] if job.profile else []),
    ]
    for step in github_steps(job):
        lines.append(f"      - name: {step.name}")
        if step.always:
            lines += [
                "        if: always() && hashFiles('gate.md') != ''",
                "        continue-on-error: true # a fork's token may not comment",
                "        env:",
                "          GITHUB_TOKEN: ${{ github.token }}",
            ]
        lines += ["        run: |", _block(step.run, 10)]
    kept = [job.baseline, "gate.*"] + ([] if job.profile else [_PROFILE])
    lines += [
        "      - name: Upload SARIF",
        "        if: always() && hashFiles('gate.sarif') != ''",
        "        continue-on-error: true # needs code scanning",
        "        uses: github/codeql-action/upload-sarif@v3",
        "        with:",
        "          sarif_file: gate.sarif",
        "      - name: Keep the files",
        "        if: always()",
        "        uses: actions/upload-artifact@v4",
        "        with:",
        "          name: roofscope",
        "          path: |",
        *(f"            {name}" for name in kept),
    ]
    return "\n".join(lines) + "\n"


def gitlab(job: Job) -> str:
    """The job for GitLab CI."""
    kept = [job.baseline, "gate.*"] + ([] if job.profile else [_PROFILE])
    lines = [
        _HEAD,
        "roofscope:",
        "  stage: test",
        *([] if job.profile else [f"  tags: [{', '.join(labels(job.runner))}]"]),
        "  rules:",
        "    - if: $CI_PIPELINE_SOURCE == 'merge_request_event'",
        *(["  variables:", "    GIT_DEPTH: 0"] if job.profile else []),
        "  script:",
    ]
    if job.profile:
        branch = "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"
        fetch = f'git fetch origin "+refs/heads/{branch}:refs/remotes/origin/{branch}"'
        lines += ["    # Fetch the target branch", "    - |", _block(fetch, 6)]
    for step in gitlab_steps(job):
        lines += [f"    # {step.name}", "    - |", _block(step.run, 6)]
    lines += [
        "  artifacts:",
        "    when: always",
        "    paths:",
        *(f"      - {name}" for name in kept),
        "    reports:",
        "      junit: gate.xml",
    ]
    return "\n".join(lines) + "\n"


_INCLUDE = f"{_HEAD}\ninclude:\n  - local: .gitlab/roofscope.yml\n"


def _checked(text: str | None, option: str) -> str | None:
    """The value, if the workflow's text can hold it; else RoofscopeError (64)."""
    if text is None:
        return None
    if not text.strip() or not text.isprintable() or "${{" in text:
        raise RoofscopeError(
            f"ci init: {option}: give one line of printable characters without ${{{{", 64
        )
    return text


def files(job: Job, systems: list[str], folder: Path) -> dict[Path, str]:
    """The files to write below this folder."""
    made: dict[Path, str] = {}
    if "github" in systems:
        made[folder / ".github/workflows/roofscope.yml"] = github(job)
    if "gitlab" in systems:
        made[folder / ".gitlab/roofscope.yml"] = gitlab(job)
        if not (folder / ".gitlab-ci.yml").exists():
            made[folder / ".gitlab-ci.yml"] = _INCLUDE
    return made


def _root(folder: Path) -> Path:
    """The folder that GitHub and GitLab look for workflows in: that of the repository."""
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)


def _init(options: Any) -> int:
    if bool(options.program) == bool(options.profile):
        raise RoofscopeError(
            "ci init: give either the program to record (example: roofscope ci init --wheel "
            "roofscope==0.1.0 -- python3 train.py) or --profile",
            64,
        )
    if options.sources and not options.profile:
        raise RoofscopeError("ci init: --sources needs --profile", 64)
    for name in ("wheel", "program", "profile", "sources", "build", "baseline", "rules", "runner"):
        _checked(getattr(options, name), f"--{name}")
    if not labels(options.runner):
        raise RoofscopeError("ci init: --runner: no label", 64)
    if (root := _root(Path.cwd())) != Path.cwd():
        raise RoofscopeError(
            f"ci init: run it in {root}: only there a workflow of this repository is found", 64
        )
    job = Job(
        wheel=options.wheel,
        cuda=options.cuda,
        program=options.program,
        profile=options.profile,
        sources=options.sources,
        build=options.build,
        baseline=options.baseline,
        rules=options.rules,
        runner=options.runner,
    )
    made = files(job, options.wanted or ["github", "gitlab"], Path.cwd())
    if options.dry_run:
        for path, text in made.items():
            print(f"{path.relative_to(Path.cwd())}:\n\n{text}")
        return 0
    there = [
        path
        for path, text in made.items()
        if path.exists() and path.read_text(encoding="utf-8", errors="replace") != text
    ]
    if there and not options.force:
        raise RoofscopeError(f"{there[0]} is there already (--force replaces it)", 73)
    for path, text in made.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise RoofscopeError(f"{path}: {error.strerror}", 73) from error
        print(f"wrote {path.relative_to(Path.cwd())}")
    if "gitlab" in (options.wanted or ["gitlab"]) and Path.cwd() / ".gitlab-ci.yml" not in made:
        print("add to .gitlab-ci.yml:\ninclude:\n  - local: .gitlab/roofscope.yml")
    return 0


def _parsers() -> tuple[CommandParser, dict[str, CommandParser]]:
    """The parser of the command, and those of its subcommands."""
    parser = CommandParser(
        prog="roofscope ci",
        description="Performance checks in continuous integration.",
        epilog="Example: roofscope ci init --wheel roofscope==0.1.0 "
        "--program 'build/app --benchmark'",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    init = commands.add_parser(
        "init",
        help="write a workflow for GitHub Actions and GitLab CI",
        description="Writes a workflow that installs roofscope, records, gates, uploads SARIF and "
        "keeps one comment.",
        epilog="Example: roofscope ci init --wheel roofscope==0.1.0 -- build/app --benchmark",
    )
    init.add_argument("--wheel", required=True, help="what pip installs: file, address or name")
    init.add_argument(
        "--program", help="command line to record, on a runner with a GPU; or give it after --"
    )
    init.add_argument("--profile", help="judge this recording of the repository; needs no GPU")
    init.add_argument("--sources", help="with --profile: the folder that the recording is of")
    init.add_argument("--build", help="command line that builds the program")
    init.add_argument("--baseline", default="perf.baseline", help="default: %(default)s")
    init.add_argument("--rules", help="rules file of roofscope gate")
    init.add_argument(
        "--cuda",
        choices=["12", "13", "none"],
        default="13",
        help="whose libcupti to install; none: the program or a toolkit has one (default: 13)",
    )
    init.add_argument(
        "--runner", default="[self-hosted, gpu]", help="labels or tags (default: %(default)s)"
    )
    init.add_argument(
        "--for",
        dest="wanted",
        action="append",
        choices=["github", "gitlab"],
        help="only this one (default: both)",
    )
    init.add_argument("--dry-run", action="store_true", help="only show the files")
    init.add_argument("--force", action="store_true", help="replace files that are there")
    comment = commands.add_parser(
        "comment",
        help="post a file as the pull request's one comment",
        description="Posts a file as a comment of the pull or merge request that this job is for; "
        "a later call changes it. GitHub needs GITHUB_TOKEN, GitLab ROOFSCOPE_TOKEN.",
        epilog="Example: roofscope ci comment gate.md",
    )
    comment.add_argument("file", type=Path, help="the text, as Markdown")
    return parser, {"init": init, "comment": comment}


def main(arguments: list[str]) -> int:
    """`roofscope ci`."""
    parser, commands = _parsers()
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options, unknown = parser.parse_known_args(arguments[:split])
    if unknown:
        commands[options.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    if program := arguments[split + 1 :]:  # the program, as for `record`
        if options.command != "init" or options.program:
            commands[options.command].error(f"not expected: {shlex.join(program)}")
        options.program = shlex.join(program)
    return _init(options) if options.command == "init" else post(options.file)
