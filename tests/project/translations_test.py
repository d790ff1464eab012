# SPDX-License-Identifier: Apache-2.0
"""An English sentence can be changed without writing other languages: tests what translations.py
reports for a small tree with changing sources."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(sys.argv[1]) / "analyzer/language/translations.py"
HEAD = {
    "name": "中文",
    "english": "Chinese",
    "language": "语言",
    "locale": "zh_CN",
    "spaces": False,
    "marks": {
        "stop": "。",
        "comma": "，",
        "list_comma": "、",
        "semicolon": "；",
        "colon": "：",
        "gap": "",
    },
}
SOURCE = """
const Words kShared("shared memory");
auto text = say(l, "{} of {:.1f} launches"  // a comment with say(l, "no text")
                   " were counted", some, all) + tell(l, "`{}` is **not** shown", name);
auto count = sayCount(l, n, "{} kernel", "{} kernels");
auto left = say(l, inContext("places", "{} more"), n);
"""
TEXTS = {
    "shared memory": "共享内存",
    "{} of {:.1f} launches were counted": "{1:.1f} 次启动中统计了 {0} 次",
    "`{}` is **not** shown": "**未**显示 `{}`",
    "{} kernels": "{} 个内核",
}
CONTEXTS = {"places": {"{} more": "另外 {} 处"}}
RULE = '.en = {.title = "Bank conflicts", .edit = "Pad by {words} {words?word:words}."},'


def script(root: Path, command: str) -> tuple[int, str]:
    result = subprocess.run(
        [sys.executable, str(SCRIPT), command, str(root)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert not result.stderr, result.stderr
    return result.returncode, result.stdout


class Tree:
    """A checkout with one source and one language."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.catalogue = root / "analyzer/translations/zh.json"
        self.catalogue.parent.mkdir(parents=True)
        self.source(SOURCE)
        self.texts(TEXTS)

    def source(self, text: str) -> None:
        (self.root / "analyzer/source.cpp").write_text(text, encoding="utf-8")

    def texts(self, texts: dict[str, object], contexts: object = None) -> None:
        content = {"language": HEAD, "texts": texts, "in_context": contexts or CONTEXTS}
        self.catalogue.write_text(json.dumps(content), encoding="utf-8")

    def read(self) -> dict[str, object]:
        return json.loads(self.catalogue.read_text(encoding="utf-8"))["texts"]


def check_all(tree: Tree) -> None:
    assert script(tree.root, "check")[0] == 0
    # A language with one form for all numbers needs no singular form.
    assert script(tree.root, "list") == (0, "")

    # A new sentence without translation is listed, but is no error.
    tree.source(SOURCE + RULE)
    assert script(tree.root, "check")[0] == 0
    code, text = script(tree.root, "list")
    assert code == 0
    assert 'source.cpp:7: zh: not translated: "Bank conflicts"' in text, text
    script(tree.root, "update")
    assert tree.read()["Bank conflicts"] is None
    assert script(tree.root, "check")[0] == 0

    # A changed sentence: its translation has no source until it is kept for the new text.
    tree.texts(TEXTS)
    tree.source(SOURCE.replace("were counted", "have been counted"))
    code, text = script(tree.root, "check")
    assert code == 1 and "no source says" in text and "./dev translations" in text, text
    script(tree.root, "update")
    changed = tree.read()["{} of {:.1f} launches have been counted"]
    assert changed == {
        "was": "{} of {:.1f} launches were counted",
        "translated": "{1:.1f} 次启动中统计了 {0} 次",
    }, changed
    assert script(tree.root, "check")[0] == 0
    assert "the English has changed" in script(tree.root, "list")[1]
    # Another update loses nothing.
    before = tree.read()
    script(tree.root, "update")
    assert tree.read() == before

    # Errors: a missing gap, another format, another name, an unclosed mark.
    tree.source(SOURCE + RULE)
    for english, wrong in (
        ("{} kernels", "个内核"),
        ("{} of {:.1f} launches were counted", "{1:.2f} 次启动中统计了 {0} 次"),
        ("{} of {:.1f} launches were counted", "{:.1f} 次启动中统计了 {} 次"),
        ("Pad by {words} {words?word:words}.", "填充 {word}。"),
        ("`{}` is **not** shown", "**未显示 `{}`"),
    ):
        tree.texts(TEXTS | {english: wrong})
        code, text = script(tree.root, "check")
        assert code == 1 and english in text, (english, wrong, text)
    # English singular and plural may be one text in other languages.
    tree.texts(TEXTS | {"Pad by {words} {words?word:words}.": "填充 {words} 个字。"})
    assert script(tree.root, "check")[0] == 0
    tree.texts(TEXTS, {"places": {}, "nowhere": {"{} more": "另外 {}"}})
    assert script(tree.root, "check")[0] == 1

    # A third language is just a file.
    tree.texts(TEXTS)
    other = tree.catalogue.with_name("de.json")
    other.write_text(json.dumps({"language": HEAD | {"name": "Deutsch"}, "texts": {}}))
    script(tree.root, "update")
    assert "shared memory" in json.loads(other.read_text(encoding="utf-8"))["texts"]
    assert "de: not translated" in script(tree.root, "list")[1]
    other.write_text(json.dumps({"texts": {}}))
    assert script(tree.root, "check")[0] == 1  # without a header


with tempfile.TemporaryDirectory() as folder:
    check_all(Tree(Path(folder)))
