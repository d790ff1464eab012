#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels.cu for several chips and writes what nvdisasm prints to listings.json.

    NVDISASM=path/to/nvdisasm ./record.py

Per chip and kernel the instructions as [offset, line, text, waits, result, operands]. Jumps have the
offset of their target. The last three are the scoreboards of the instruction's encoding: those that
it waits for (a mask), the one that its result frees, and the one that reading its operands frees
(7: none). They are the truth of what waits for what, which the text alone does not show.
"""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

CHIPS = ["sm_80", "sm_90", "sm_100", "sm_120"]
HERE = Path(__file__).parent


def scoreboards(upper: int) -> list:
    """Waits, result and operands from the upper half of a 128-bit encoding (Volta and later)."""
    return [upper >> 52 & 0x3F, upper >> 46 & 7, upper >> 49 & 7]


def listing(text: str) -> dict:
    kernels, name, line, rows, labels, pending = {}, None, 0, [], {}, []

    def close():
        while rows and rows[-1][2].startswith("NOP"):
            rows.pop()
        for row in rows:
            row[2] = re.sub(
                r"`\((\.L\w+)\)", lambda m: f"0x{labels[m[1]]:x}" if m[1] in labels else m[0], row[2]
            )
        if name and rows:
            kernels[name] = rows

    for raw in text.splitlines():
        if match := re.fullmatch(r"\.text\.(\w+):", raw):
            close()
            name, line, rows, labels, pending = match[1], 0, [], {}, []
        elif match := re.search(r"//## File .*, line (\d+)", raw):
            line = int(match[1])
        elif match := re.fullmatch(r"(\.L\w+):", raw):
            pending.append(match[1])
        elif match := re.fullmatch(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s+/\* 0x\w+ \*/", raw):
            offset = int(match[1], 16)
            labels.update(dict.fromkeys(pending, offset))
            pending = []
            rows.append([offset, line, match[2]])
        elif match := re.fullmatch(r"\s+/\* 0x([0-9a-f]{16}) \*/", raw):
            rows[-1] += scoreboards(int(match[1], 16))
    close()
    return kernels


def main() -> None:
    disassembler = os.environ.get("NVDISASM", "nvdisasm")
    chips = {}
    with tempfile.TemporaryDirectory() as folder:
        for chip in CHIPS:
            cubin = Path(folder) / f"{chip}.cubin"
            subprocess.run(
                ["nvcc", f"-arch={chip}", "-lineinfo", "-cubin", "-o", cubin, HERE / "kernels.cu"],
                check=True,
            )
            printed = subprocess.run(
                [disassembler, "-c", "-g", "-hex", cubin], check=True, capture_output=True, text=True
            )
            chips[chip] = listing(printed.stdout)
    version = subprocess.run([disassembler, "--version"], capture_output=True, text=True).stdout
    nvcc = subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout
    release = re.compile(r"V[\d.]+")
    lines = ["{", f' "nvcc": {json.dumps(release.search(nvcc)[0])},']
    lines.append(f' "nvdisasm": {json.dumps(release.search(version)[0])},')
    lines.append(' "chips": {')
    for chip, kernels in chips.items():
        lines.append(f'  "{chip}": {{')
        for kernel, rows in kernels.items():
            body = ",\n".join("    " + json.dumps(row) for row in rows)
            end = "" if kernel == list(kernels)[-1] else ","
            lines.append(f'   "{kernel}": [\n{body}]{end}')
        lines.append("  }" + ("" if chip == CHIPS[-1] else ","))
    lines.append(" }\n}\n")
    (HERE / "listings.json").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
