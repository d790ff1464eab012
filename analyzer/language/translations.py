# SPDX-License-Identifier: Apache-2.0
"""The texts of the sources, and their entries in `*/translations/CODE.json`.

    translations.py check ROOT    what is wrong: unknown texts, other gaps (a test)
    translations.py list ROOT     what is still to translate (./dev lint)
    translations.py update ROOT   brings the files in line with the sources (./dev translations)

A text without a translation is shown in English and is no fault: whoever changes an English
sentence need not write the others. See docs/languages.md.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODULES = ("profile", "analyzer", "gate", "reports", "cli", "gui")
FACTS = ("name", "english", "language", "locale", "spaces", "marks")
MARKS = ("stop", "comma", "list_comma", "semicolon", "colon", "gap")
# A changed text takes over the translation of an old text that is at least this similar.
SIMILAR = 0.6

# Index of a call's English argument. Of two, the first is the singular, the second the plural.
CALLS = {
    "say": (1,),
    "tell": (1,),
    "tellOf": (2,),
    "sayCount": (2, 3),
    "tellCount": (2, 3),
    "wordsOf": (0,),
}
LOOKS = ("tell", "tellOf", "tellCount")

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")
      | (?P<str>"(?:[^"\\\n]|\\.)*")
      | (?P<char>'(?:[^'\\\n]|\\.)+')
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\d[\w.']*)
      | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
ESCAPES = {"n": "\n", "t": "\t"}


@dataclass(frozen=True)
class Key:
    """What identifies a translation."""

    english: str
    context: str = ""

    def __str__(self) -> str:
        return f'"{self.english}"' + (f" ({self.context})" if self.context else "")


@dataclass
class Use:
    """A text in the sources: the first place that uses it, and how its gaps are written."""

    place: str
    kind: str  # "fmt": {} and {:.0f}; "looks": {} and marks; "names": {name}
    needed: bool = True  # a singular is not: languages may have one form for all numbers


@dataclass
class Token:
    kind: str
    text: str
    line: int


class Source:
    """A C++ file as tokens, with the ends of its brackets."""

    def __init__(self, path: Path) -> None:
        self.tokens: list[Token] = []
        self.ends: dict[int, int] = {}
        line = 1
        opened: list[int] = []
        for match in TOKEN.finditer(path.read_text(encoding="utf-8")):
            kind, text = match.lastgroup or "", match.group()
            kind = "raw" if match.group("raw") else kind
            if kind != "skip":
                if text in ("(", "[", "{"):
                    opened.append(len(self.tokens))
                elif text in (")", "]", "}") and opened:
                    self.ends[opened.pop()] = len(self.tokens)
                self.tokens.append(Token(kind, text, line))
            line += text.count("\n")

    def text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def arguments(self, bracket: int) -> list[range]:
        """The tokens of each argument between a bracket and its end."""
        found, begin, at, end = [], bracket + 1, bracket + 1, self.ends.get(bracket, bracket)
        while at < end:
            if self.text(at) == ",":
                found.append(range(begin, at))
                begin = at + 1
            at = self.ends.get(at, at) + 1
        if begin < end:
            found.append(range(begin, end))
        return found

    def literal(self, argument: range) -> str | None:
        parts = [self.tokens[i] for i in argument]
        if not parts or any(part.kind != "str" for part in parts):
            return None
        joined = "".join(part.text[1:-1] for part in parts)
        return re.sub(r"\\(.)", lambda m: ESCAPES.get(m.group(1), m.group(1)), joined)

    def key(self, argument: range) -> Key | None:
        """A literal, or `inContext("…", "…")`."""
        if self.text(argument.start) == "inContext" and self.text(argument.start + 1) == "(":
            texts = [self.literal(part) for part in self.arguments(argument.start + 1)]
            if len(texts) == 2 and texts[0] and texts[1]:
                return Key(texts[1], texts[0])
            return None
        text = self.literal(argument)
        return Key(text) if text else None

    def said(self) -> Iterator[tuple[Key, str, bool, int]]:
        """Texts with their kind, whether they are needed, and their line."""
        for at, token in enumerate(self.tokens):
            if token.kind != "word":
                continue
            if token.text in CALLS and self.text(at + 1) == "(":
                arguments, which = self.arguments(at + 1), CALLS[token.text]
                for index in which:
                    key = self.key(arguments[index]) if index < len(arguments) else None
                    if key:
                        kind = "looks" if token.text in LOOKS else "fmt"
                        yield key, kind, index == which[-1], token.line
            elif token.text == "Words":
                named = self.tokens[at + 1].kind == "word" if at + 1 < len(self.tokens) else False
                bracket = at + 2 if named else at + 1
                if self.text(bracket) in ("(", "{"):
                    arguments = self.arguments(bracket)
                    key = self.key(arguments[0]) if len(arguments) == 1 else None
                    if key:
                        yield key, "names", True, token.line
            elif token.text == "en" and self.text(at - 1) == "." and self.text(at + 2) == "{":
                for argument in self.arguments(at + 2):  # .title = "…"
                    text = self.literal(range(argument.start + 3, argument.stop))
                    if text:
                        yield Key(text), "names", True, self.tokens[argument.start].line


def texts_of(root: Path, module: str) -> dict[Key, Use]:
    """All texts of a module in the order of its sources."""
    found: dict[Key, Use] = {}
    for path in sorted((root / module).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix in (".cpp", ".h"):
            for key, kind, needed, line in Source(path).said():
                use = found.setdefault(key, Use(f"{name}:{line}", kind, needed))
                use.needed = use.needed or needed
        elif name.startswith("profile/chips/") and path.suffix == ".json":
            for note in json.loads(path.read_text(encoding="utf-8")).get("notes", []):
                found.setdefault(Key(note), Use(name, "names"))
    return found


class Catalogue:
    """One file: its head, and its entry for each text."""

    def __init__(self, root: Path, module: str, code: str) -> None:
        self.name = f"{module}/translations/{code}.json"
        self.path, self.module, self.code = root / self.name, module, code
        self.entries: dict[Key, Any] = {}
        self.head: dict[str, Any] | None = None
        if not self.path.exists():
            return
        content = json.loads(self.path.read_text(encoding="utf-8"))
        self.head = content.get("language")
        for english, entry in content.get("texts", {}).items():
            self.entries[Key(english)] = entry
        for context, texts in content.get("in_context", {}).items():
            for english, entry in texts.items():
                self.entries[Key(english, context)] = entry

    def write(self) -> None:
        content: dict[str, Any] = {"language": self.head} if self.head else {}
        content["texts"] = {k.english: v for k, v in self.entries.items() if not k.context}
        contexts: dict[str, dict[str, Any]] = {}
        for key, entry in self.entries.items():
            if key.context:
                contexts.setdefault(key.context, {})[key.english] = entry
        if contexts:
            content["in_context"] = contexts
        self.path.parent.mkdir(exist_ok=True)
        text = json.dumps(content, ensure_ascii=False, indent=2)
        self.path.write_text(text + "\n", encoding="utf-8")


def gaps(text: str, kind: str) -> set[str]:
    """What fills a text: the names of its arguments, or their numbers with their formats."""
    if kind == "names":
        return set(re.findall(r"\{([^{}?]+)", text))
    found, counted = set(), 0
    for gap in re.findall(r"\{([^{}]*)\}", text.replace("{{", "").replace("}}", "")):
        index, _, spec = gap.partition(":")
        if not index:
            index, counted = str(counted), counted + 1
        found.add(f"{index}:{spec}")
    return found


def closed(text: str) -> bool:
    return text.count("`") % 2 == 0 and text.count("**") % 2 == 0


class Translations:
    """The sources and the files of all languages."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.uses = {module: texts_of(root, module) for module in MODULES}
        codes = sorted({path.stem for path in root.glob("*/translations/*.json")})
        self.files = {code: [Catalogue(root, m, code) for m in MODULES] for code in codes}

    def use(self, key: Key) -> Use | None:
        return next((u[key] for u in self.uses.values() if key in u), None)

    def open(self, code: str) -> list[tuple[Key, Use, Any]]:
        """Texts that a language lacks: absent, null, or translated from an older English text."""
        entries = {k: v for file in self.files[code] for k, v in file.entries.items()}
        texts = {k: use for uses in self.uses.values() for k, use in uses.items() if use.needed}
        return [
            (key, use, entries.get(key))
            for key, use in texts.items()
            if not isinstance(entries.get(key), str)
        ]

    def faults(self) -> list[str]:
        found = []
        for files in self.files.values():
            said: dict[Key, str] = {}
            for file in files:
                if file.module == "analyzer":
                    found += head_faults(file)
                for key, entry in file.entries.items():
                    use = self.uses[file.module].get(key)
                    if use is None:
                        found.append(f"{file.name}: no source says {key}")
                    elif isinstance(entry, str):
                        found += [f"{file.name}: {f} {key}" for f in entry_faults(key, entry, use)]
                        if said.setdefault(key, entry) != entry:
                            found.append(f"{file.name}: another module says otherwise: {key}")
        return found

    def update(self) -> None:
        for code, files in self.files.items():
            known = {k for file in files for k in file.entries if k in self.uses[file.module]}
            written: set[Key] = set()
            for file in files:
                uses = self.uses[file.module]
                dead = {k: v for k, v in file.entries.items() if k not in uses and v is not None}
                entries = {k: file.entries[k] for k in uses if k in file.entries}
                for key, use in uses.items():
                    if key not in known and use.needed:
                        entries[key] = before(key, dead)
                        known.add(key)
                file.entries = {k: entries[k] for k in uses if k in entries and k not in written}
                written |= set(file.entries)
                if file.entries or file.path.exists():
                    file.write()
            print(f"{code}: {len(self.open(code))} texts to translate")


def head_faults(file: Catalogue) -> list[str]:
    head = file.head or {}
    marks = head.get("marks", {})
    absent = [f for f in FACTS if f not in head] + [m for m in MARKS if m not in marks]
    return [f"{file.name}: its head lacks {', '.join(absent)}"] if absent else []


def entry_faults(key: Key, entry: str, use: Use) -> list[str]:
    faults = []
    if gaps(key.english, use.kind) != gaps(entry, use.kind):
        faults.append("other gaps than")
    if use.kind == "looks" and not closed(entry):
        faults.append("a mark is not closed in the translation of")
    return faults


def before(key: Key, dead: dict[Key, Any]) -> dict[str, str] | None:
    """The translation of the text before it changed, for the translator to adapt."""
    candidates = {k.english: v for k, v in dead.items()}
    near = difflib.get_close_matches(key.english, candidates, n=1, cutoff=SIMILAR)
    if not near:
        return None
    entry = candidates[near[0]]
    if isinstance(entry, dict):
        return entry
    return {"was": near[0], "translated": entry}


def main() -> int:
    command, root = sys.argv[1], Path(sys.argv[2])
    translations = Translations(root)
    if command == "check":
        faults = translations.faults()
        print("\n".join(faults) if faults else "translations fit the sources")
        if faults:
            print("./dev translations brings the files in line with the sources")
        return 1 if faults else 0
    if command == "list":
        for code in translations.files:
            for key, use, entry in translations.open(code):
                state = "the English has changed" if entry else "not translated"
                print(f"{use.place}: {code}: {state}: {key}")
        return 0
    translations.update()
    return 0


if __name__ == "__main__":
    sys.exit(main())
