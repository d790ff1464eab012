#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# python/test_wheel.sh WHEEL | BUILD_FOLDER: installs the wheel, or one made from the programs of a
# build folder, into a fresh environment and tests it there. Exits with 77 if Python cannot make one
# here.
set -euo pipefail
given=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The test must not depend on variables of the user's shell.
unset PYTHONPATH ROOFSCOPE_EXECUTABLE ROOFSCOPE_INJECT ROOFSCOPE_LANG VIRTUAL_ENV CONDA_PREFIX

[[ ! -d $given ]] || export ROOFSCOPE_FAKE_GPU=$given/lib/fake_gpu
python3 -m venv "$work/venv" 2>"$work/log" || { cat "$work/log" && exit 77; }
pip=("$work/venv/bin/pip" --disable-pip-version-check -q)
wheel=$given
if [[ -d $given ]]; then
    "${pip[@]}" wheel . --no-deps -w "$work/dist" "-Ccmake.define.ROOFSCOPE_PREBUILT=$given" \
        "-Cbuild-dir=$work/build" || { [[ -z ${CI:-} ]] && exit 77 || exit 1; }
    wheel=$(echo "$work"/dist/*.whl)
fi

start=$(date +%s%N)
"${pip[@]}" install --no-index "$wheel" # no dependencies
(cd "$work" && venv/bin/roofscope report sample >report.txt)
echo "installed, and the first report read, in $((($(date +%s%N) - start) / 1000000)) ms"
grep -q 'H100' "$work/report.txt"
# Where man and the shells look.
for file in man/man1/roofscope.1 fish/vendor_completions.d/roofscope.fish bash-completion/completions/roofscope; do
    [[ -s $work/venv/share/$file ]] || { echo "the wheel lacks $file" && exit 1; }
done
doctor=0
(cd "$work" && venv/bin/roofscope doctor >doctor.txt) || doctor=$?
grep -q "ok *Collector library *$(realpath "$work")" "$work/doctor.txt" || {
    cat "$work/doctor.txt" && exit 1
}
# Without a GPU the doctor must not succeed.
[[ -e /dev/nvidiactl || $doctor -ne 0 ]]

"${pip[@]}" install "${wheel}[mcp,scan]" pytest duckdb pandas nbclient ipykernel mypy
cd "$work" # outside of the source tree
ROOFSCOPE_TEST_INSTALLED=1 venv/bin/python -m pytest -q -p no:cacheprovider -c /dev/null \
    "$OLDPWD/python/tests"
cat >typed.py <<'PY'
import roofscope

profile = roofscope.open("sample")
name: str = profile.kernels[0].name
PY
venv/bin/mypy --strict typed.py
