#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Verifies all bundled kernels on the GPU and runs each once. Exits with 77 (skipped) without a GPU.
# Usage: kernels_gpu_test.sh PATH/roofscope-kernels
set -u
program=${1:?usage: kernels_gpu_test.sh PATH/roofscope-kernels}

"$program" run empty --repeat 1 --warmup 0 >/dev/null 2>&1
status=$?
if [ "$status" -eq 69 ] && ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
    echo "skipped: no GPU"
    exit 77
fi
if [ "$status" -ne 0 ]; then
    echo "run empty exited with $status although there is a GPU"
    exit 1
fi

"$program" verify --all || exit 1
"$program" run --all-shapes --repeat 3 --warmup 1 || exit 1

# Under a profiler no times are printed, because they would be wrong.
if ROOFSCOPE_PROFILING=1 "$program" run copy_16b | grep -q 'µs'; then
    echo "run printed times under a profiler"
    exit 1
fi
