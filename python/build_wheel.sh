#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds dist/roofscope-*.whl for every Linux with glibc 2.28 or later: compiled by the clang of the
# `ziglang` wheel with its own C++ library, checked by auditwheel. Takes 12 to 19 CPU minutes.
# Without the bundled kernels, since nvcc's host compiler would bring in this machine's C library.
# Arguments are passed to pip. Exits with 77 if the compiler or the tools cannot be downloaded.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.deps/wheel-venv
"$venv/bin/auditwheel" --version >/dev/null 2>&1 || {
    # Scripts of a venv contain the absolute path of its interpreter, so one copied from another
    # checkout is useless.
    rm -rf "$venv"
    python3 -m venv "$venv" || exit 77
    "$venv/bin/pip" install -q 'scikit-build-core>=0.10' ziglang auditwheel wheel || exit 77
}
ROOFSCOPE_ZIG=$(echo "$PWD/$venv"/lib/python3*/site-packages/ziglang/zig)
export ROOFSCOPE_ZIG PATH="$PWD/$venv/bin:$PATH"

# Link only the needed headers: the system's include folder also has its C library's headers, which
# do not fit an older glibc.
deps=$PWD/.deps/wheel-deps
mkdir -p "$deps"
for name in nlohmann CLI fmt zlib.h zconf.h; do
    for folder in .deps/include /usr/include /usr/local/include; do
        [[ ! -e $folder/$name ]] || { ln -sfn "$(realpath "$folder/$name")" "$deps/$name" && break; }
    done
done
for library in .deps/include/libz.a .deps/lib/libz.a "/usr/lib/$(uname -m)-linux-gnu/libz.a" /usr/lib64/libz.a; do
    [[ ! -e $library ]] || { ln -sfn "$(realpath "$library")" "$deps/libz.a" && break; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip wheel . --no-build-isolation --no-deps -w "$work" \
    "-Ccmake.define.CMAKE_CXX_COMPILER=$PWD/python/toolchain/zig-c++" \
    "-Ccmake.define.ROOFSCOPE_DEPS_DIR=$deps" -Ccmake.define.ROOFSCOPE_BUILD_KERNELS=OFF "$@"

# Check that the binaries are hardened and do not contain paths of this machine.
python3 -m zipfile -e "$work"/*.whl "$work/unpacked"
native=$work/unpacked/roofscope/_native
for binary in "$native/bin/roofscope" "$native/lib/libroofscope_inject.so"; do
    wrong=""
    # Through files: under pipefail, `readelf | grep -q` fails if grep finishes before readelf.
    readelf -hldW "$binary" >"$work/headers"
    readelf --dyn-syms -W "$binary" >"$work/symbols"
    grep -q 'Type: *DYN' "$work/headers" || wrong+=" no-pie"
    grep -q 'BIND_NOW\|FLAGS_1.*NOW' "$work/headers" || wrong+=" lazy-binding"
    grep -q GNU_RELRO "$work/headers" || wrong+=" no-relro"
    ! grep -q 'GNU_STACK.*RWE' "$work/headers" || wrong+=" executable-stack"
    # zig links its own __stack_chk_fail and __memcpy_chk, so no dynamic symbol shows them. What
    # remains is the guard that each function reads, and the checked calls that only glibc has.
    guards=$(objdump -d --no-show-raw-insn "$binary" | grep -c '%fs:0x28' || true)
    [[ $(uname -m) != x86_64 || $guards -gt 100 ]] || wrong+=" no-stack-guards"
    grep -q '_chk@GLIBC' "$work/symbols" || wrong+=" no-fortify"
    for path in "$PWD" "$work"; do
        ! grep -aqF "$path" "$binary" || wrong+=" names-$path"
    done
    [[ -z $wrong ]] || {
        echo "error: $(basename "$binary"):$wrong" >&2
        exit 1
    }
done

platform="manylinux_2_28_$(uname -m)"
auditwheel show "$work"/*.whl
auditwheel show "$work"/*.whl | tr '\n' ' ' | grep -Eq "manylinux_2_([0-9]|1[0-9]|2[0-8])_|manylinux(1|2010|2014)_" || {
    echo "error: auditwheel finds symbols or libraries that $platform does not have" >&2
    exit 1
}
wheel tags --remove --platform-tag="$platform" "$work"/*.whl
mkdir -p dist
cp "$work"/*"$platform.whl" dist/
size=$(stat -c %s dist/*"$platform.whl" | sort -n | tail -1)
[[ $size -lt 20000000 ]] || {
    echo "error: $size bytes, more than 20 MB" >&2
    exit 1
}
ls -l dist/*"$platform.whl"
