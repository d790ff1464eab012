#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the profiles of this folder on the GPU of this machine: profile/samples/record.sh BIN OUT
# BIN holds roofscope and roofscope-kernels; the files are named after the GPU's model.
set -eu
bin=$1 out=$2
gpu=$("$bin/roofscope" doctor --json |
      python3 -c 'import json,sys; print([c["detail"] for c in json.load(sys.stdin)["checks"] if c["id"]=="gpu"][0])')
model=$(printf '%s' "$gpu" | sed -E 's/^NVIDIA //; s/,.*//' | tr 'A-Z ' 'a-z_')
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"

# Every bundled rung at its default shape, three launches each.
"$bin/roofscope" kernels run --out "$out/${model}_bundled.roofscope.json.gz"
# The decode ladder at every listed batch and type.
"$bin/roofscope" kernels run "lightning_attention_decode/*" --all-shapes --repeat 1 \
    --out "$out/${model}_lightning_shapes.roofscope.json.gz"
# Closed and generated kernels: cuBLAS, PyTorch, Triton.
(cd "$here/../../tests/gpu" && "$bin/roofscope" record \
    --out "$out/${model}_torch_triton.roofscope.json.gz" -- python3 torch_triton.py) || {
    code=$?
    [ "$code" = 77 ] && rm -f "$out/${model}_torch_triton.roofscope.json.gz"
    [ "$code" = 77 ] || exit "$code"
}
ls -l "$out"
