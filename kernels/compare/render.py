#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Presents the result of compare.py: a Markdown table between two marks of a file, and a plot.

    python3 kernels/compare/render.py compare.json --markdown docs/kernels.md --plot docs/compare.svg

The plot needs matplotlib."""
import argparse
import json
import re

BEGIN, END = "<!-- compare: begin -->", "<!-- compare: end -->"
LIMIT = 1.02  # being slower than another implementation by more than this is a defect
OTHERS = [("triton", "Triton", "s"), ("compiled", "torch.compile", "^"), ("eager", "PyTorch", "o")]


def median(result, name):
    seconds = result["seconds"].get(name)
    return seconds and seconds["median"]


def microseconds(value):
    return "–" if value is None else f"{value * 1e6:.1f}" if value < 1e-3 else f"{value * 1e6:.0f}"


def others_cell(result, name):
    """"80.9 (1.08)": microseconds, and the ratio to the bundled kernel's."""
    value = median(result, name)
    return "–" if value is None else (
        f"{microseconds(value)} ({value / median(result, 'roofscope'):.2f})")


def copy_cell(result):
    copy = median(result, "copy")
    return "–" if copy is None else f"{100 * copy / median(result, 'roofscope'):.1f} %"


def markdown(document):
    versions = document["versions"]
    copy = document["copy"]["bytes_per_s"]
    lines = [
        f"{document['gpu']}, {document['date']}, PyTorch {versions['torch']}, Triton "
        f"{versions['triton']}, CUDA {versions['cuda']} (PyTorch's). Times are medians of "
        f"{document['rounds']} turns in µs; in brackets, times the bundled kernel's. "
        "\"Of a copy\" is the time of `patterns/copy_16b` on as many bytes as the operator must "
        f"move, as a share of the kernel's; a copy of 1 GiB ran at {copy * 1e-12:.2f} TB/s.",
        "",
        "| operator and case | bundled kernel | µs | of a copy | Triton | torch.compile | PyTorch |",
        "|---|---|---:|---:|---:|---:|---:|"]
    for r in document["results"]:
        cells = [f"{r['operator']} `{r['case']}`", f"`{r['rung'].split('/')[1]}`",
                 microseconds(median(r, "roofscope")), copy_cell(r),
                 *(others_cell(r, name) for name, _, _ in OTHERS)]
        lines.append("| " + " | ".join(cells) + " |")
    notes = {r["operator"]: r["notes"] for r in document["results"] if r["notes"]}
    lines += ["", *(f"- {operator}: {note}." for operator, note in notes.items())]
    return "\n".join(lines)


def replace_between_marks(path, text):
    with open(path, encoding="utf-8") as file:
        old = file.read()
    new, count = re.subn(re.escape(BEGIN) + ".*?" + re.escape(END),
                         lambda _: f"{BEGIN}\n{text}\n{END}", old, flags=re.S)
    if count != 1:
        raise SystemExit(f"{path}: expected the marks {BEGIN} and {END} once")
    with open(path, "w", encoding="utf-8") as file:
        file.write(new)


def plot(document, path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "roofscope", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plt
    results = document["results"]
    figure, axes = plt.subplots(figsize=(9, 0.24 * len(results) + 1.4), layout="constrained")
    colours = {"triton": "#0072b2", "compiled": "#e69f00", "eager": "#555555"}
    for name, label, marker in OTHERS:
        points = [(median(r, name) / median(r, "roofscope"), row)
                  for row, r in enumerate(results) if median(r, name)]
        axes.plot(*zip(*points), marker, label=label, color=colours[name], markersize=6,
                  markerfacecolor="none" if name == "eager" else colours[name])
    axes.axvline(1.0, color="#222222", linewidth=1.2)
    axes.set_xscale("log")
    axes.set_xticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
    axes.minorticks_off()
    axes.set_yticks(range(len(results)), [f"{r['operator']}  {r['case']}" for r in results])
    axes.invert_yaxis()
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("time / time of the bundled kernel (right of 1: the bundled kernel is faster)")
    axes.set_title(f"{document['gpu']}, {document['date']}", fontsize=10)
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.06), ncols=3, frameon=False)
    figure.savefig(path, metadata={"Date": None})


def slower(document):
    """Cases in which another implementation beats a memory-bound bundled kernel by more than the
    measuring error."""
    for r in document["results"]:
        best = min(median(r, name) for name, _, _ in OTHERS if median(r, name))
        if r["kind"] == "memory" and median(r, "roofscope") > LIMIT * best:
            yield f"{r['operator']} {r['case']}: {median(r, 'roofscope') / best:.3f} of the fastest"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="what compare.py wrote")
    parser.add_argument("--markdown", help=f"file with the marks {BEGIN} and {END}")
    parser.add_argument("--plot", help="SVG file to write")
    arguments = parser.parse_args()
    with open(arguments.result, encoding="utf-8") as file:
        document = json.load(file)
    if arguments.markdown:
        replace_between_marks(arguments.markdown, markdown(document))
    if arguments.plot:
        plot(document, arguments.plot)
    if not arguments.markdown and not arguments.plot:
        print(markdown(document))
    for line in slower(document):
        print("slower:", line)


if __name__ == "__main__":
    main()
