# SPDX-License-Identifier: Apache-2.0
"""Checks that files and functions stay short enough to be read: CONTRIBUTING.md says how long."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(sys.argv[1])
MODULES = ("analyzer", "cli", "collector", "extract", "gate", "gui", "importer", "include")
MODULES += ("kernels", "nvml", "profile", "python", "reports", "tests")
MOST_LINES, MOST_LINES_OF_TEST, MOST_LINES_OF_FUNCTION = 600, 900, 100
# Tables that have to stand in a function. Each row reads by itself.
TABLES = {
    ("analyzer/quantities/catalog.cpp", "catalog"),
    ("analyzer/source/stalls.cpp", "causes"),
    ("gui/models/kernels/kernel_column.cpp", "makeRows"),
    ("tests/frameworks/corpus_test.cpp", "corpus"),
}
CODE = (".cpp", ".h", ".cu", ".cuh")
# What may contain braces, brackets or semicolons that are no code. Replaced by as many line ends.
NO_CODE = re.compile(
    r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'  # raw strings
    r"|//[^\n]*|/\*.*?\*/"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)*'"  # characters, but not the marks in 1'000
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",  # the preprocessor
    re.DOTALL | re.MULTILINE,
)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()=]*$")
ACCESS = re.compile(r"\b(?:public|private|protected|signals|slots)\s*:(?!:)")
IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
OPERATOR = re.compile(r"\boperator\s*(?:\(\)(?=\s*\()|[^\w\s(]+)")
BEFORE_BODY = ("const", "noexcept", "override", "final", "try", "mutable")


def blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n") or ("_" if found[0].endswith(("'", '"')) else " ")


def without_brackets(text: str) -> str:
    """What is outside of all brackets; "()" stands for each pair."""
    before = ""
    text = text.replace("()", "(_)")
    while text != before:
        before, text = text, IN_BRACKETS.sub("\1", text)
    return text.replace("\1", "()")


def functions(code: str) -> Iterator[tuple[str, int, int]]:
    """Name, first line and number of lines of each function that is not within another one."""
    code = NO_CODE.sub(blank, code)
    start = 0  # of the statement
    depth = 0  # of braces in a function or value
    name = ""  # of the function; empty: a value
    for mark in re.finditer(r"[{};]", code):
        at = mark.start()
        if depth > 0:
            depth += {"{": 1, "}": -1}.get(mark[0], 0)
            if depth == 0 and name:
                head = code[start:at]
                first = code.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
                yield name, first, code.count("\n", 0, at) + 2 - first
                start = at + 1
            continue
        if mark[0] != "{":
            start = at + 1
            continue
        for access in ACCESS.finditer(code, start, at):
            start = access.end()
        head = code[start:at]
        outside = OPERATOR.sub("operator_", without_brackets(head)).strip()
        if SCOPE.search(outside):
            start = at + 1
            continue
        depth = 1
        last = re.search(r"\w+$", outside)
        of_member = re.search(r"\)\s*:(?!:)", outside) and last and last[0] not in BEFORE_BODY
        is_value = of_member or "=" in outside or head.count("(") > head.count(")")
        named = re.search(r"([\w~]+)\s*\(\)", outside)
        name = named[1] if named and not is_value else ""


def faults() -> Iterator[str]:
    unused = set(TABLES)
    for module in MODULES:
        for path in sorted((ROOT / module).rglob("*")):
            if path.suffix not in (*CODE, ".py") or not path.is_file():
                continue
            place = path.relative_to(ROOT).as_posix()
            text = path.read_text(encoding="utf-8")
            most = MOST_LINES_OF_TEST if "tests/" in place else MOST_LINES
            if (lines := text.count("\n")) > most:
                yield f"{place} has {lines} lines, at most {most} are allowed"
            if path.suffix not in CODE:
                continue
            for name, first, length in functions(text):
                if length <= MOST_LINES_OF_FUNCTION:
                    continue
                if (place, name) in TABLES:
                    unused.discard((place, name))
                    continue
                yield (
                    f"{place}:{first}: {name}() has {length} lines,"
                    f" at most {MOST_LINES_OF_FUNCTION} are allowed"
                )
    for place, name in sorted(unused):
        yield f"{place}: {name}() need not be among the tables of this test"


found = list(faults())
print("\n".join(found) or "files and functions are short enough")
sys.exit(1 if found else 0)
