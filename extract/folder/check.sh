#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Part of the folder of a captured launch: replays it, or judges a kernel in its place.
usage() {
    cat <<'TEXT'
usage: ./check                          is the original's result the program's?
       ./check candidate.cu [options]   compiles it and judges it; also a .cubin
options: --json, --cache warm|cold, --tolerance R, --type f32|f64|f16|bf16|bytes,
         --kernel NAME, --grid X Y Z, --block X Y Z, --cluster X Y Z, --shared BYTES
In the source: // roofscope: grid 64 32 block 256       and   // roofscope: nvcc -std=c++20
exit code: 0 better, 1 not better, 2 not compared, 3 wrong results
TEXT
}
case $0 in
*/*) here=${0%/*} ;;
*) here=. ;;
esac
here=$(cd "$here" && pwd) || exit 2
fail() { echo "check: $1" >&2; exit 2; }

# Both in this folder, so that an entry "." of PATH finds nothing of the user's.
is_built() {
    cd "$here" && [ -x .build/replay ] && [ -z "$(find replay.cpp -newer .build/replay)" ]
}
build() {
    cd "$here" && mkdir -p .build && ${CXX:-c++} -std=c++20 -O2 -o .build/replay replay.cpp -ldl
}
driver=$here/.build/replay
(is_built) || (build) ||
    fail "replay.cpp could not be compiled: it needs g++ 10 or later (CXX names another)"

case "${1-}" in
-h | --help) usage; exit 0 ;;
'') exec "$driver" verify --folder "$here" ;;
*.cubin)
    candidate=$1; shift
    exec "$driver" check "$candidate" --folder "$here" "$@" ;;
*.cu)
    source=$1; shift
    [ -r "$source" ] || fail "$source: cannot be read"
    nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    command -v "$nvcc" >/dev/null || fail "nvcc was not found; NVCC names it, or give a .cubin"
    arch=$(cat "$here/arch") || exit 2
    flags=$(sed -n 's|^.*// roofscope: nvcc ||p' "$source" | tr '\n' ' ')
    # Words of the comment are meant to be several arguments.
    # shellcheck disable=SC2086
    "$nvcc" -cubin -arch="$arch" -O3 -lineinfo $flags -o "$here/.build/candidate.cubin" \
        "$source" || fail "$source does not compile"
    exec "$driver" check "$here/.build/candidate.cubin" --folder "$here" --source "$source" "$@" ;;
*) usage >&2; exit 64 ;;
esac
