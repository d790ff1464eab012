#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes hidden_ranges.inc from the Unicode data files (Debian: unicode-data).

    profile/unicode/make_hidden_ranges.py [/usr/share/unicode] > profile/unicode/hidden_ranges.inc

A character is hidden if it is invisible or has no defined appearance: Default_Ignorable_Code_Point,
the categories Cc, Cf, Co, Cs, Zl and Zp except the marks that visibly enclose digits
(Prepended_Concatenation_Mark), noncharacters, and characters drawn as blank: the blank Braille
pattern (U+2800), the Khitan filler (U+16FE4), the empty note head (U+1D159).
"""
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode")


def lines(name):
    text = (folder / name).read_text(encoding="utf-8")
    version = re.search(r"-(\d+\.\d+\.\d+)\.txt", text)
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line:
            yield line.split(";")
    if version:
        versions.add(version.group(1))


def points(name, wanted):
    for first, value, *_ in lines(name):
        if value.strip() in wanted:
            low, _, high = first.strip().partition("..")
            yield from range(int(low, 16), int(high or low, 16) + 1)


versions = set()
hidden = {0x2800, 0x16FE4, 0x1D159}
hidden.update(points("DerivedCoreProperties.txt", {"Default_Ignorable_Code_Point"}))
first = None
for code, name, category, *_ in lines("UnicodeData.txt"):
    if category in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}:
        point = int(code, 16)
        if name.endswith("First>"):
            first = point
        hidden.update(range(first if name.endswith("Last>") else point, point + 1))
hidden.difference_update(points("PropList.txt", {"Prepended_Concatenation_Mark"}))
hidden.update(points("PropList.txt", {"Noncharacter_Code_Point"}))

ranges = []
for point in sorted(hidden):
    if ranges and ranges[-1][1] == point - 1:
        ranges[-1][1] = point
    else:
        ranges.append([point, point])
print(f"// Unicode {', '.join(sorted(versions))}: written by make_hidden_ranges.py, not by hand.")
for low, high in ranges:
    print(f"{{0x{low:X}, 0x{high:X}}},")
