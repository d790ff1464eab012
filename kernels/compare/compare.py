#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares times of the bundled kernels with Triton and PyTorch versions of the same operators, in
one process on one GPU, and writes the result as JSON. With --profile it instead launches each of
them a few times in NVTX ranges, for `roofscope record`:

    python3 kernels/compare/compare.py --library build/lib/libroofscope-kernels-compare.so \\
        --out kernels/compare/results/nvidia_h200.json
    roofscope record --out compare.roofscope.json.gz -- python3 kernels/compare/compare.py \\
        --library … --profile kernels/compare/results/nvidia_h200.json

Needs PyTorch with CUDA and Triton. Exits with 1 if an implementation's result is wrong, with 77 if
a requirement is missing."""

import argparse
import datetime
import json
import sys

try:
    import torch
    import triton
except ImportError as problem:
    print(f"skipped: {problem}", file=sys.stderr)
    sys.exit(77)

from bundled import Library
from measure import capture, graph_seconds, race, rotation_sets
from operators import ALL
from operators.operator_base import Case

COPY_CASE = "bytes=1073741824,u8"  # 1 GiB: 20 times the L2 of an H200
TUNE_ROUNDS = 5


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def distance(actual, expected):
    """The largest relative L2 distance between corresponding tensors of two results."""
    worst = 0.0
    for x, y in zip(as_tuple(actual), as_tuple(expected), strict=True):
        x, y = x.double(), y.double()
        worst = max(worst, ((x - y).norm() / y.norm()).item())
    return worst


class OperatorBenchmark:
    """One operator on one case: its implementations as functions of the turn's number."""

    def __init__(self, operator, text, library):
        self.operator, self.case = operator, Case(text)
        self.rung = operator.rung(self.case)
        self.bundled = library.open(self.rung, text)
        self.sets = rotation_sets(self.bundled.minimum_bytes)
        first = operator.inputs(self.case)
        self.inputs = [first] + [tuple(t.clone() for t in first) for _ in range(self.sets - 1)]
        self.outputs = [operator.outputs(self.case, first) for _ in range(self.sets)]

    def ours(self, turn):
        self.bundled.launch(torch.cuda.current_stream().cuda_stream)

    def eager(self, turn):
        return self.operator.eager(self.case, *self.inputs[turn % self.sets])

    def compiled(self):
        torch._dynamo.reset()  # a separate case, not a recompilation of the last one
        function = torch.compile(
            lambda *inputs: self.operator.compilable(self.case, *inputs), dynamic=False
        )
        return lambda turn: function(*self.inputs[turn % self.sets])

    def triton(self, config):
        return lambda turn: self.operator.triton(
            self.case, config, self.inputs[turn % self.sets], self.outputs[turn % self.sets]
        )

    def fastest_triton(self):
        """The fastest configuration, or None if there is no Triton form."""
        best = None
        for config in self.operator.triton_configs(self.case):
            try:
                graph, kept = capture(self.triton(config), self.sets)
            except triton.runtime.errors.OutOfResources:
                continue
            graph.replay()
            seconds = min(graph_seconds(graph) for _ in range(TUNE_ROUNDS))
            if best is None or seconds < best[0]:
                best = (seconds, config)
        return best and best[1]

    def check(self, compiled, config):
        """Names of implementations with wrong results, and their distances."""
        expected, wrong = self.eager(0), {}
        limit = self.operator.tolerance(self.case)
        results = {"compiled": compiled(0)} if compiled else {}
        if config:
            self.triton(config)(0)
            results["triton"] = self.outputs[0]
        for name, result in results.items():
            off = distance(result, expected)
            if not off <= limit:
                wrong[name] = off
        return wrong

    def close(self):
        self.bundled.close()


def copied_bytes(contest):
    """The bytes of a copy that moves as much as the operator must, in whole 16-byte accesses."""
    return max(16, int(contest.bundled.minimum_bytes / 2) // 16 * 16)


def timed(contest, library, rounds):
    config = contest.fastest_triton()
    compiled, problem = contest.compiled(), None
    try:
        compiled(0)
    except Exception as failure:  # torch.compile fails in many ways; the table tells how
        compiled, problem = None, f"{type(failure).__name__}: {str(failure).splitlines()[0][:200]}"
    wrong = contest.check(compiled, config)
    steps = {"roofscope": contest.ours, "eager": contest.eager}
    copy = None
    if contest.operator.kind == "memory":
        copy = library.open("patterns/copy_16b", f"bytes={copied_bytes(contest)},u8")
        steps["copy"] = lambda turn: copy.launch(torch.cuda.current_stream().cuda_stream)
    if compiled:
        steps["compiled"] = compiled
    if config:
        steps["triton"] = contest.triton(config)
    seconds = race(steps, contest.sets, rounds)
    if copy:
        copy.close()
    return {
        "operator": contest.operator.name,
        "kind": contest.operator.kind,
        "case": contest.case.text,
        "rung": contest.rung,
        "minimum_bytes": contest.bundled.minimum_bytes,
        "input_sets": contest.sets,
        "triton_config": config,
        "compile_problem": problem,
        "wrong": wrong,
        "notes": contest.operator.notes,
        "seconds": seconds,
    }


def copy_ceiling(library, rounds):
    """Bytes per second of the better of two plain copies, measured like everything else."""
    bundled = library.open("patterns/copy_16b", COPY_CASE)
    source = torch.empty(2**30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    steps = {
        "patterns/copy_16b": lambda turn: bundled.launch(torch.cuda.current_stream().cuda_stream),
        "torch copy_": lambda turn: target.copy_(source),
    }
    seconds = race(steps, 1, rounds)
    bundled.close()
    return {
        "bytes": 2 * 2**30,
        "seconds": seconds,
        "bytes_per_s": 2 * 2**30 / min(s["median"] for s in seconds.values()),
    }


def profile(contest, config, launches):
    compiled = contest.compiled()
    steps = {contest.rung: contest.ours, "eager": contest.eager, "compiled": compiled}
    if config:
        steps["triton"] = contest.triton(config)
    for name, step in steps.items():
        try:
            step(0)  # compiles, outside of any range
        except Exception as failure:
            print(f"{contest.operator.name}: {name} left out: {failure}", file=sys.stderr)
            continue
        for turn in range(launches):
            torch.cuda.nvtx.range_push(f"compare/{contest.operator.name}/{name}")
            step(turn)
            torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", required=True, help="libroofscope-kernels-compare.so")
    parser.add_argument("--out", help="where the times go, as JSON")
    parser.add_argument(
        "--profile",
        metavar="JSON",
        help="launch in NVTX ranges, with the configurations of this result",
    )
    parser.add_argument("--operator", action="append", help="only this one; may be repeated")
    parser.add_argument("--rounds", type=int, default=25, help="turns per implementation (25)")
    parser.add_argument("--launches", type=int, default=2, help="per range with --profile (2)")
    arguments = parser.parse_args()
    if bool(arguments.out) == bool(arguments.profile):
        parser.error("give one of --out and --profile")
    return arguments


def main():
    arguments = parse_arguments()
    if not torch.cuda.is_available():
        print("skipped: no GPU", file=sys.stderr)
        return 77
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    library = Library(arguments.library)
    operators = [o for o in ALL if not arguments.operator or o.name in arguments.operator]

    if arguments.profile:
        with open(arguments.profile, encoding="utf-8") as file:
            configs = {
                (r["operator"], r["case"]): r["triton_config"] for r in json.load(file)["results"]
            }
        for operator in operators:
            contest = OperatorBenchmark(operator, operator.cases[0], library)
            profile(contest, configs.get((operator.name, operator.cases[0])), arguments.launches)
            contest.close()
        return 0

    results = []
    ceiling = copy_ceiling(library, arguments.rounds)
    for operator in operators:
        for text in operator.cases:
            contest = OperatorBenchmark(operator, text, library)
            results.append(timed(contest, library, arguments.rounds))
            contest.close()
            best = results[-1]["seconds"]
            print(
                operator.name,
                text,
                {n: f"{s['median'] * 1e6:.1f} µs" for n, s in best.items()},
                results[-1]["wrong"] or "",
                file=sys.stderr,
                flush=True,
            )
            torch.cuda.empty_cache()
    document = {
        "format": "roofscope-kernels-compare",
        "gpu": torch.cuda.get_device_name(),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "versions": {
            "torch": torch.__version__,
            "triton": triton.__version__,
            "cuda": torch.version.cuda,
            "python": sys.version.split()[0],
        },
        "rounds": arguments.rounds,
        "copy": ceiling,
        "results": results,
    }
    with open(arguments.out, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    return 1 if any(r["wrong"] for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
