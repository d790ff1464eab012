#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""roofscope.review on a GPU: each trick of review_tricks.py is named, and nothing honest is.

    ROOFSCOPE_BIN=FOLDER PYTHONPATH=python tests/gpu/review_check.py [--keep FOLDER] [--only NAME…]
        [--library build/lib/libroofscope-kernels-compare.so]

FOLDER is as for measure_check.py. Honest are three functions, the PyTorch and Triton forms of the
bundled operators and, with --library, the first and last rungs of the ladders. Prints a table.
Exits with 1 if a trick was missed or something was named wrongly, with 77 without a GPU. --keep
writes what was gathered, for tests/data/review.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "kernels/compare")]
folder = os.environ.get("ROOFSCOPE_BIN")
if folder:
    os.environ["ROOFSCOPE_EXECUTABLE"] = f"{folder}/bin/roofscope"
    os.environ["ROOFSCOPE_KERNELS"] = f"{folder}/bin/roofscope-kernels"
    os.environ["ROOFSCOPE_INJECT"] = f"{folder}/lib/libroofscope_inject.so"
try:
    import torch
    import triton  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no GPU")
    sys.exit(77)

import roofscope
from review_tricks import HONEST, TRICKS

LADDERS = {  # first and last rung, and a case
    "gelu": ("fused_scalar", "fused_vec4", "n=67108864,f32"),
    "softmax": ("block_per_row_shared", "online_vec4", "rows=16384,cols=4096,f32"),
    "rope": ("fused_scalar", "fused_vec4", None),
    "merge_attn_states": ("scalar16", "vec16B", None),
    "lightning_attention_decode": ("naive", "warp_per_row_vec4", None),
    "causal_linear_attention": ("low_occupancy", "auto", None),
}


def operators():
    """PyTorch's form as the baseline, Triton's as the candidate."""
    from operators import ALL
    from operators.operator_base import Case

    for operator in ALL:
        text = operator.cases[0]
        case = Case(text)
        configs = operator.triton_configs(case)
        if not configs:
            continue

        def inputs(seed, operator=operator, case=case):
            torch.manual_seed(seed)
            return operator.inputs(case)

        def triton_form(*given, operator=operator, case=case, config=configs[0]):
            out = operator.outputs(case, given)
            operator.triton(case, config, given, out)
            return out

        def eager(*given, operator=operator, case=case):
            return operator.eager(case, *given)

        yield f"operator:{operator.name}", triton_form, eager, inputs, {"tolerance": 0.02}


def ladders(path):
    from bundled import Library

    library = Library(path)
    listed = json.loads(subprocess.check_output([os.environ["ROOFSCOPE_KERNELS"], "list", "--json"]))
    cases = {(rung["family"], rung["rung"]): rung["default_case"] for rung in listed}
    for name, (first, last, case) in LADDERS.items():
        opened = [library.open(f"{name}/{rung}", case or cases[name, last]) for rung in (first, last)]

        def launch(which, opened=opened):
            opened[which].launch(torch.cuda.current_stream().cuda_stream)

        yield (f"ladder:{name}", lambda launch=launch: launch(1), lambda launch=launch: launch(0),
               lambda seed: (), {})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--library")
    args = parser.parse_args()
    jobs = [(name, *trick) for name, trick in TRICKS.items()]
    jobs += [(f"honest:{name}", *functions, None, options) for name, (*functions, options) in HONEST.items()]
    for source in [operators] + ([lambda: ladders(args.library)] if args.library else []):
        try:
            jobs += [(name, c, b, i, None, options) for name, c, b, i, options in source()]
        except Exception as error:  # report what is missing, run the rest
            print(f"without some: {type(error).__name__}: {error}")
    bad = 0
    real = torch.cuda.Event.elapsed_time
    for name, candidate, baseline, inputs, expected, options in jobs:
        if args.only and name not in args.only:
            continue
        begun = time.monotonic()
        keep = args.keep / name.replace(":", "_") if args.keep else None
        try:
            review = roofscope.review(candidate, baseline, inputs, keep=keep, **options)
            found = [check.id for check in review.suspicious]
            open_ = [check.id for check in review.checks if check.outcome == "cannot-tell"]
            right = expected in found if expected else not found
            factors = [review.speedup, review.speedup_empty_l2, review.data["loop_optimism"]]
            said = " ".join("–" if f is None else f"{f:.2f}" for f in factors)
        except Exception as error:
            found, open_, right, said = [f"{type(error).__name__}: {error}"], [], False, ""
        torch.cuda.Event.elapsed_time = real
        torch.cuda.empty_cache()
        bad += not right
        print(f"{'ok ' if right else 'BAD'} {name:24} expected {expected or 'nothing':22} found "
              f"{', '.join(found) or 'nothing'}; open: {', '.join(open_) or '–'}; {said}; "
              f"{time.monotonic() - begun:.1f} s", flush=True)
    print(f"{bad} of {len(jobs)} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
