#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the profiles of this folder on the GPU of this machine: profile/samples/record.sh BIN OUT
# BIN contains roofscope and roofscope-kernels; the files are named after the GPU's model. An
# existing sample is replaced only by a complete new one.
set -eu
bin=$(cd "$1" && pwd) out=$2
gpu=$("$bin/roofscope" doctor --json |
      python3 -c 'import json,sys; print([c["detail"] for c in json.load(sys.stdin)["checks"] if c["id"]=="gpu"][0])')
model=$(printf '%s' "$gpu" | sed -E 's/^NVIDIA //; s/,.*//' | tr 'A-Z ' 'a-z_')
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
# Record into a temporary folder beside the samples until each recording is complete.
new=$(mktemp -d "$out/.new-XXXXXX")
trap 'rm -rf "$new"' EXIT
# fresh NAME: where to record a sample. keep NAME: moves a good recording into place.
fresh() { printf '%s' "$new/${model}_$1.roofscope.json.gz"; }
keep() {
    python3 "$here/clean.py" "$(cd "$here/../.." && pwd)" "$(fresh "$1")"
    mv "$(fresh "$1")" "$out/"
}
# Samples carry the measured roofs of their GPU.
export ROOFSCOPE_CEILINGS_DIR=$out/ceilings
"$bin/roofscope" ceilings

# Every bundled rung at its default shape, three launches each.
"$bin/roofscope" kernels run --out "$(fresh bundled)"
keep bundled
# Atomics, which the default counters cannot show.
"$bin/roofscope" kernels run patterns/atomic_contention --groups default,atomics \
    --out "$(fresh atomics)"
keep atomics
# Which instruction feeds the tensor cores.
"$bin/roofscope" kernels run matmul/tensor_core patterns/tensor_product --groups default,tensor \
    --out "$(fresh tensor)"
keep tensor
# The decode ladder at every listed batch and type.
"$bin/roofscope" kernels run "lightning_attention_decode/*" --all-shapes --repeat 1 \
    --out "$(fresh lightning_shapes)"
keep lightning_shapes
# record_python NAME PROGRAM: records a Python program, unless it exits with 77: cannot run here.
record_python() {
    local name=$1 program=$2 code=0
    shift 2
    (cd "$here/../../tests/gpu" &&
     "$bin/roofscope" record --effort quick "$@" --out "$(fresh "$name")" -- python3 "$program") || code=$?
    if [ "$code" = 0 ]; then keep "$name"; else [ "$code" = 77 ]; fi
}
# Faults that can be located at a source line.
"$bin/roofscope" kernels run patterns/strided_copy patterns/transpose_unpadded \
    lightning_attention_decode/shared_conflict --source '.' --out "$(fresh source)"
keep source
# A CUDA graph, and several streams.
record_python torch_graph torch_graph.py
record_python torch_streams torch_streams.py
# Tensor core products by data type.
record_python torch_tensor torch_tensor.py --nvtx '*' --groups default,tensor
# Whole ranges, in which two streams run side by side.
record_python torch_ranges torch_ranges.py --range step --range branches --range head
# Two ranks that train together, if there are two GPUs: one profile each, merged.
if [ "$(nvidia-smi -L | wc -l)" -ge 2 ] && command -v torchrun > /dev/null; then
    (cd "$here/../.." && torchrun --standalone --nproc_per_node=2 --no-python "$bin/roofscope" record \
        --out "$new/rank%r.roofscope.json" -- python3 tests/gpu/torch_training.py 6)
    "$bin/roofscope" merge "$new"/rank?.roofscope.json --out "$(fresh torchrun)"
    keep torchrun
fi
record_python triton_source torch_triton.py --source 'add_kernel|SoftMax'
# Closed and generated kernels: cuBLAS, PyTorch, Triton; and chains of launches.
record_python torch_triton torch_triton.py --per-kernel all
record_python torch_chain torch_chain.py --per-kernel all
# The bundled kernels beside Triton and PyTorch versions of the same operators.
library=$bin/../lib/libroofscope-kernels-compare.so
result=$here/../../kernels/compare/results/nvidia_${model}.json
if [ -e "$library" ] && [ -e "$result" ]; then
    "$bin/roofscope" record --effort quick --per-kernel all --nvtx 'compare/*' --out "$(fresh compare)" -- \
        python3 "$here/../../kernels/compare/compare.py" --library "$library" --profile "$result"
    keep compare
fi
ls -l "$out"
