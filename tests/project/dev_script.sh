#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests ./dev in a separate folder with fake apt-get, cmake, python3 and so on: what it installs,
# what it never does, and what it says if it cannot.
set -uo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/cmake" "$work/bin"
cp "$source_dir/dev" "$work/tree/"
failures=0
# shellcheck disable=SC2034 # check() shows it
output=$work/out
# shellcheck source=tests/project/checks.sh disable=SC1091
source "$source_dir/tests/project/checks.sh"
# shellcheck disable=SC2317 # called through check()
said() { grep -q -- "$1" "$work/out"; }
# shellcheck disable=SC2317 # called through check()
called() { grep -q -- "$1" "$work/calls"; }
# shellcheck disable=SC2317 # called through check()
not_called() { ! called "$1"; }
# shellcheck disable=SC2317 # called through check()
exited_with() { [[ $code == "$1" ]]; }

# A PATH with what the script itself needs, and fake tools that record their calls.
for tool in bash env dirname id uname mktemp rm mkdir sed tail head tr cat nproc ln mv cp grep; do
    ln -s "$(command -v "$tool")" "$work/bin/$tool"
done
stand_in() { # name, exit code
    printf '#!/bin/bash\necho "%s $*" >>"%s/calls"\nexit %d\n' "$1" "$work" "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
run_dev() {
    : >"$work/calls"
    (cd / && env -i PATH="$work/bin" HOME="$work" "$@") >"$work/out" 2>&1 </dev/null
    code=$?
}
dev=$work/tree/dev
for tool in g++ ninja cmake Xvfb xauth; do stand_in "$tool" 0; done
# Header libraries, so that the test does not depend on this machine's.
mkdir -p "$work"/tree/.deps/include/{nlohmann,CLI,fmt,catch2}
touch "$work"/tree/.deps/include/{zlib.h,nlohmann/json.hpp,CLI/CLI.hpp,fmt/format.h}

run_dev "$dev" help
check 'help exits 0' exited_with 0
for command in setup build test demo lint format translations clean doctor; do
    check "help names $command" said "  *$command "
done

run_dev "$dev" frobnicate
check 'an unknown command fails' exited_with 1
check 'and is named' said 'unknown command: frobnicate'

# ccache and python3 are not on this PATH: optional packages.
stand_in apt-get 0
stand_in apt-cache 0
stand_in sudo 0
run_dev "$dev" setup
check 'setup exits 0' exited_with 0
check 'what is missing is installed' called 'apt-get .*install .*ccache'
check 'what is there is not' not_called 'install.* cmake'
check 'nothing asks questions' called 'apt-get -y -q'

run_dev ROOFSCOPE_NO_INSTALL=1 "$dev" setup
check 'without installing, setup exits 0' exited_with 0
check 'nothing is installed' not_called 'apt-get'
check 'and it says what was left out' said 'not installed .*ccache'

# Unavailable optional packages do not stop it.
stand_in apt-get 100
run_dev "$dev" setup
check 'a failing apt-get does not stop setup when only optional parts are missing' exited_with 0

# An unavailable required tool does.
rm "$work/bin/ninja"
run_dev "$dev" setup
check 'a required tool that cannot be installed stops setup' exited_with 1
check 'and is named' said 'needed and not found: ninja-build'
run_dev ROOFSCOPE_NO_INSTALL=1 "$dev" setup
check 'also without installing' exited_with 1
rm "$work/bin/apt-get"
run_dev "$dev" setup
check 'another distribution: it says what is needed' said 'package manager: ninja-build'
stand_in ninja 0

# Without a CUDA toolkit, and if wheels cannot be downloaded: builds without CUDA and says so.
stand_in cmake 1
stand_in python3 1
run_dev "$dev" setup
check 'unreachable wheels do not stop setup' exited_with 0
check 'it says what is not built' said 'without collector and kernels'
check 'nothing half-fetched is left' test ! -e "$work/tree/.deps/cuda"

[[ $failures == 0 ]] && echo 'dev script: all checks passed'
exit $((failures > 0))
