#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzz targets and prints what was run:
#   tests/fuzz/run.sh [EXECUTIONS] [TARGET…]     (default: 1000000 of each)
# Needs clang with libFuzzer (Debian: clang libclang-rt-14-dev). New inputs are kept in
# build-fuzz/corpus/, crashing ones in build-fuzz/crashes/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
executions=${1:-1000000}
targets=("${@:2}")
[[ ${#targets[@]} -gt 0 ]] ||
    targets=(arm chip extract gate import ncu_report nsys profile report rules sass spool trace trials)
cmake --preset fuzz >/dev/null
ninja -C build-fuzz "${targets[@]/#/fuzz_}" >/dev/null
status=0
for target in "${targets[@]}"; do
    found=build-fuzz/corpus/$target
    mkdir -p "$found" build-fuzz/crashes
    # A database has a page for each table.
    longest=8192
    [[ $target != nsys ]] || longest=16384
    # Small inputs first. A reader may take at most 1 GB and ten seconds per input. The entropic
    # choice of inputs is off, because with many features it takes most of the time.
    build-fuzz/bin/fuzz_"$target" -runs="$executions" -max_len="$longest" -rss_limit_mb=1024 -timeout=10 \
        -entropic=0 -artifact_prefix=build-fuzz/crashes/"$target"- -print_final_stats=1 -close_fd_mask=1 \
        "$found" tests/fuzz/corpus/"$target" >build-fuzz/"$target".log 2>&1 || status=1
    awk -v t="$target" '
        /stat::number_of_executed_units/ { runs = $2 }
        /stat::peak_rss_mb/ { rss = $2 }
        /^SUMMARY|ERROR: libFuzzer/ { why = $0 }
        END { printf "%-10s %9d executions, peak %4d MB, %s\n", t, runs, rss, why ? why : "no crash" }
        ' build-fuzz/"$target".log
done
exit $status
