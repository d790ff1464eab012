#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Part of the folder of a captured launch: replays it, or judges a kernel in its place.
usage() {
    cat <<'TEXT'
usage: ./check                          is the original's result the program's?
       ./check candidate.cu [options]   compiles it and judges it; also a .cubin
       ./check candidate.py [options]   the same for a function candidate() in Python (start.py)
options: --json, --cache warm|cold, --tolerance R, --type f32|f64|f16|bf16|bytes,
         --kernel NAME, --grid X Y Z, --block X Y Z, --cluster X Y Z, --shared BYTES,
         --sanitize: compute-sanitizer first (memcheck, racecheck, synccheck)
In the source: // roofscope: grid 64 32 block 256       and   // roofscope: nvcc -std=c++20
In Python:     # roofscope: type f32 tolerance 1e-3
exit code: 0 better, 1 not better, 2 not compared, 3 wrong results
TEXT
}
# absolute LIST: its absolute entries. The others mean the current folder or one below it, which may
# be somebody else's.
absolute() {
    rest=$1: kept=''
    while [ -n "$rest" ]; do
        entry=${rest%%:*} rest=${rest#*:}
        case $entry in
        /*) kept=${kept:+$kept:}$entry ;;
        esac
    done
    echo "$kept"
}
PATH=$(absolute "$PATH")
# An empty PATH means the current folder, too.
PATH=${PATH:-/usr/bin:/bin}
export PATH
[ -z "${PYTHONPATH-}" ] || PYTHONPATH=$(absolute "$PYTHONPATH")
case $0 in
*/*) here=${0%/*} ;;
*) here=. ;;
esac
here=$(cd "$here" && pwd) || exit 2
fail() { echo "check: $1" >&2; exit 2; }

is_built() {
    cd "$here" && [ -x ".build/$1" ] && [ -z "$(find replay.cpp -newer ".build/$1")" ]
}
# build FILE [options]: compiles replay.cpp unless it is done.
build() {
    built=$1; shift
    (is_built "$built") ||
        (cd "$here" && mkdir -p .build &&
            ${CXX:-c++} -std=c++20 -O2 -pthread "$@" -o ".build/$built" replay.cpp -ldl) ||
        fail "replay.cpp could not be compiled: it needs g++ 10 or later (CXX names another)"
}
driver=$here/.build/replay
build replay

# sanitize [options of the driver]: runs the candidate once under each tool; ends the script with 3
# if one finds something.
sanitize() {
    tool=${COMPUTE_SANITIZER:-$(command -v compute-sanitizer ||
        echo /usr/local/cuda/bin/compute-sanitizer)}
    command -v "$tool" >/dev/null ||
        fail "compute-sanitizer was not found; COMPUTE_SANITIZER names it"
    for check in memcheck racecheck synccheck; do
        code=0
        # The driver asks for what a module may lack: such answers are no errors.
        more=$([ "$check" = memcheck ] && echo --report-api-errors no)
        # shellcheck disable=SC2086
        "$tool" --tool "$check" $more --target-processes all --error-exitcode 99 --print-limit 3 \
            "$driver" run "$@" >"$here/.build/sanitizer-$$.txt" 2>&1 || code=$?
        [ "$code" = 0 ] && continue
        cat "$here/.build/sanitizer-$$.txt" >&2
        [ "$code" = 99 ] || fail "compute-sanitizer ($check) could not run the candidate"
        found="compute-sanitizer ($check) found errors"
        if [ -n "$json" ]; then
            printf '{"verdict": "wrong", "reason": "%s"}\n' "$found"
        else
            echo "wrong: $found: see above"
        fi
        finish 3
    done
}
# Names with the process, because several checks may run in one folder.
finish() {
    rm -f "$here/.build/candidate-$$.cubin" "$here/.build/sanitizer-$$.txt"
    exit "$1"
}
# judge CANDIDATE SOURCE [options]
judge() {
    candidate=$1 source=$2 sanitizes='' json=''
    shift 2
    for option; do
        shift
        case $option in
        --sanitize) sanitizes=yes ; continue ;;
        --json) json=yes ;;
        esac
        set -- "$@" "$option"
    done
    if [ -n "$source" ]; then set -- --source "$source" "$@"; fi
    set -- "$candidate" --folder "$here" "$@"
    [ -z "$sanitizes" ] || sanitize "$@"
    code=0
    "$driver" check "$@" || code=$?
    finish "$code"
}

case "${1-}" in
-h | --help) usage; exit 0 ;;
'') exec "$driver" verify --folder "$here" ;;
*.cubin)
    candidate=$1; shift
    judge "$candidate" '' "$@" ;;
*.py)
    source=$1; shift
    [ -r "$source" ] || fail "$source: cannot be read"
    # All else stays in it: a compiler that links libstdc++ statically would give Python's libraries
    # a second set of its locales. Several checks may build at once.
    (is_built replay.so) || (cd "$here" && mkdir -p .build &&
        echo '{ global: roofscope_replay_*; local: *; };' >".build/exports-$$" &&
        mv -f ".build/exports-$$" .build/exports)
    build replay.so -shared -fPIC -Wl,--version-script=.build/exports
    judge "$source" "$source" "$@" ;;
*.cu)
    source=$1; shift
    [ -r "$source" ] || fail "$source: cannot be read"
    nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    command -v "$nvcc" >/dev/null || fail "nvcc was not found; NVCC names it, or give a .cubin"
    arch=$(cat "$here/arch") || exit 2
    flags=$(sed -n 's|^[[:space:]]*// roofscope: nvcc ||p' "$source" | tr '\n' ' ')
    # Words of the comment are meant to be several arguments.
    # shellcheck disable=SC2086
    "$nvcc" -cubin -arch="$arch" -O3 -lineinfo $flags \
        -o "$here/.build/candidate-$$.cubin" "$source" || fail "$source does not compile"
    judge "$here/.build/candidate-$$.cubin" "$source" "$@" ;;
*) usage >&2; exit 64 ;;
esac
