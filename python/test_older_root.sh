#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# python/test_older_root.sh WHEEL [ROOT]: tests the wheel's programs in a root of Debian 11 (glibc
# 2.31), which debootstrap makes unless one is given. Its Python (3.9) is too old for the package,
# so the test starts the executable and loads the injected library directly, as the package would.
# Run as root. Exits with 77 if there is no such root.
set -euo pipefail
wheel=$(realpath "$1")
root=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -z $root ]]; then
    root=$work/root
    # shellcheck disable=SC2016 # apt's own variable
    mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | head -1)
    debootstrap --variant=minbase --include=python3 bullseye "$root" "$mirror" >"$work/log" 2>&1 ||
        { tail -n 3 "$work/log" && exit 77; }
fi
place=$root/opt/roofscope-wheel
rm -rf "$place"
mkdir -p "$place"
python3 -m zipfile -e "$wheel" "$place"
chmod +x "$place"/roofscope/_native/bin/*
inside() {
    # shellcheck disable=SC2016
    unshare --mount bash -c 'mount -t proc proc "$1/proc" && exec chroot "$1" /usr/bin/env -i \
        PATH=/usr/bin:/bin LANG=C.UTF-8 bash -c "$2"' inside "$root" "cd /opt/roofscope-wheel/roofscope/_native && $1"
}
inside 'ldd --version | head -1'
inside 'bin/roofscope --version && bin/roofscope report sample >/tmp/report && grep -m1 H100 /tmp/report'
inside 'bin/roofscope doctor >/tmp/doctor; grep "ok *Collector library" /tmp/doctor'
inside 'python3 -c "import ctypes; print(ctypes.CDLL(\"lib/libroofscope_inject.so\").roofscope_measure_prepare)"'
rm -rf "$place"
echo 'the wheel starts on glibc 2.31'
