#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""extract_ladders.py ROOFSCOPE ROOFSCOPE_KERNELS [LADDER…]: each rung of the bundled ladders is
extracted, and judged in place of the rung before it. The speed-up of the verdict has to be that of
the rungs' own times. Rungs with other arguments cannot be compared. The ladder of rope is left out:
its rungs have parameters of the same sizes, but with other meanings."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

#: Ladders whose rungs are one kernel each, with a smaller shape than the default: their memory is
#: copied often.
LADDERS = {
    "lightning_attention_decode": (
        "B=16",
        ["naive", "shared_conflict", "shared_padded", "coalesced", "warp_per_row_vec4"]
        + ["split_heads"],
    ),
    "matmul": ("M=1024,N=1024,K=1024", ["naive", "tiled_shared", "register_tiled_vec4"]),
    "softmax": (
        "rows=4096,cols=4096",
        ["block_per_row_shared", "block_shuffle", "online_vec4"],
    ),
    "merge_attn_states": ("T=16384", ["scalar16", "vec16B"]),
    "gelu": ("n=16777216", ["fused_scalar", "fused_vec4"]),
    "patterns": ("n=4096", ["transpose_unpadded", "transpose_padded"]),
    "copies": ("bytes=67108864", ["copy_1b", "copy_2b", "copy_4b", "copy_8b", "copy_16b"]),
}
#: How far a verdict's speed-up may be from that of the times in the program: two of them vary.
NEAR = 0.15
#: Ladders whose rungs add in another order, and the type of their results; the others give the same
#: bytes.
ROUNDED = {
    "lightning_attention_decode": "bf16",
    "matmul": "f32",
    "softmax": "f32",
    "merge_attn_states": "bf16",
}


def run(*words):
    return subprocess.run(words, check=False, capture_output=True, text=True, timeout=120)


def extract(roofscope, kernels, rung, shape, folder):
    words = [kernels, "run", rung, *(["--shape", shape] if shape else [])]
    # The original is replayed when it is first compared.
    done = run(
        *[roofscope, "extract", "--quiet", "--no-check", "--kernel", ".", "--nvtx", f"{rung}/*"],
        *["--out", folder, "--", *words],
    )
    return done.returncode, done.stderr.strip()


def judge(folder, candidate, numbers):
    """The verdict on another folder's kernel, launched as there."""
    launch = json.loads((candidate / "launch.json").read_text())
    words = ["--kernel", launch["symbol"], "--shared", str(launch["dynamic_shared_bytes"])]
    words += ["--type", numbers, "--tolerance", "0.02"] if numbers else []
    for name in ("grid", "block", "cluster"):
        if launch[name]:
            words += [f"--{name}", *map(str, launch[name])]
    cubin = candidate / launch["modules"][0]
    # All folders have the same driver: compile it once.
    built = folder.parent / ".build"
    if built.exists():
        shutil.copytree(built, folder / ".build")
        (folder / ".build/replay").touch()
    done = run(folder / "check", cubin, "--json", *words)
    if not built.exists() and (folder / ".build").exists():
        shutil.copytree(folder / ".build", built)
    if not done.stdout.startswith("{"):
        return {"verdict": f"exit code {done.returncode}", "reason": done.stderr.strip()}
    return json.loads(done.stdout)


def climb(ladder, roofscope, kernels, there):
    """Prints a line for each step; returns how many steps are bad, and how many were compared."""
    shape, rungs = LADDERS[ladder]
    family = "patterns" if ladder == "copies" else ladder
    bad = compared = 0
    before = None
    for rung in rungs:
        folder = there / f"{ladder}-{rung}"
        code, said = extract(roofscope, kernels, f"{family}/{rung}", shape, folder)
        if code != 0:
            print(f"BAD {ladder}/{rung}: extract ended with {code}: {said[-300:]}", flush=True)
            bad, before = bad + 1, None
            continue
        if before:
            verdict = judge(before, folder, ROUNDED.get(ladder))
            times = [json.loads((f / "launch.json").read_text())["program_ns"] for f in (before, folder)]
            own = times[0] / times[1]
            step = f"{before.name} → {rung}: {verdict['verdict']}"
            if verdict["verdict"] == "not compared" and "parameters differ" in verdict["reason"]:
                print(f"--  {step}, other arguments", flush=True)
            elif not verdict.get("ratio"):
                print(f"BAD {step}: {verdict['reason'][-300:]}", flush=True)
                bad += 1
            else:
                compared += 1
                found = 1 / verdict["ratio"]
                right = abs(found / own - 1) <= NEAR
                bad += not right
                print(
                    f"{'ok ' if right else 'BAD'} {step}, {found:.2f}×; in the program {own:.2f}×; "
                    f"{verdict['reason']}",
                    flush=True,
                )
        before = folder
    return bad, compared


def main():
    roofscope, kernels, *ladders = sys.argv[1:]
    bad = compared = 0
    for ladder in ladders or LADDERS:
        with tempfile.TemporaryDirectory() as there:
            more, steps = climb(ladder, roofscope, kernels, Path(there))
            bad, compared = bad + more, compared + steps
    print(f"{compared} steps compared, {bad} bad")
    return 1 if bad or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
