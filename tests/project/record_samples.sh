#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests profile/samples/record.sh with a fake roofscope: the programs' folder may be a relative
# path, and a failed recording keeps the existing sample.
set -uo pipefail
source_dir=$1
command -v python3 >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/tree/profile/samples" "$work/tree/tests/gpu"
cp "$source_dir"/profile/samples/{record.sh,clean.py} "$work/tree/profile/samples/"
failures=0
# shellcheck disable=SC2034 # check() shows it
output=$work/said
# shellcheck source=tests/project/checks.sh disable=SC1091
source "$source_dir/tests/project/checks.sh"
# shellcheck disable=SC2317 # called through check()
holds() { gzip -dc "$work/out/h7_$1.roofscope.json.gz" | grep -q "\"$2\""; }

# Writes a profile to the given path. Fails (after writing) for what is named in $FAILS.
cat >"$work/bin/roofscope" <<'STAND_IN'
#!/usr/bin/env bash
[[ $1 != doctor ]] || { echo '{"checks":[{"id":"gpu","detail":"NVIDIA H7, 1 GiB"}]}'; exit; }
out='' all="$*"
while (($# > 0)); do
    [[ $1 != --out ]] || out=$2
    shift
done
[[ -z $out ]] ||
    echo '{"processes":[],"devices":[],"capture":{"command":["new"]}}' | gzip >"$out"
[[ -z ${FAILS:-} || $all != *"$FAILS"* ]] || exit "$CODE"
STAND_IN
# One GPU, and neither torchrun nor the library for comparisons.
printf '#!/bin/sh\necho "GPU 0"\n' >"$work/bin/nvidia-smi"
chmod +x "$work"/bin/*

record() {
    rm -rf "$work/out"
    mkdir "$work/out"
    for name in bundled atomics torch_graph torch_chain; do
        echo '{"capture":{"command":["old"]},"processes":[],"devices":[]}' |
            gzip >"$work/out/h7_$name.roofscope.json.gz"
    done
    (cd "$work" && PATH="$work/bin:$PATH" tree/profile/samples/record.sh bin out) >"$work/said" 2>&1
    code=$?
}

record
check "everything is recorded anew" test "$code" = 0
for name in bundled atomics torch_graph torch_chain; do check "$name is new" holds "$name" new; done

FAILS=torch_graph.py CODE=77 record
check "a Python program that cannot run here is left out" test "$code" = 0
check "its old sample stays" holds torch_graph old
check "what comes behind it is recorded" holds torch_chain new

FAILS=torch_graph.py CODE=90 record
check "a measurement that was lost ends the script" test "$code" != 0
check "its old sample stays, too" holds torch_graph old

FAILS=atomic CODE=90 record
check "a bundled kernel that fails ends the script" test "$code" != 0
check "what was before it is new" holds bundled new
check "its sample is the old one" holds atomics old
check "nothing else is left" test "$(find "$work/out" -mindepth 1 | wc -l)" = 4
exit $((failures > 0))
