#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# deb_package.sh BUILD [--clean-root]: makes the .deb files of a build and looks at what they hold. With
# --clean-root they are installed into a new Debian root, started, and removed again.
set -euo pipefail
build=$(realpath "$1")
clean_root=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "failed: $*" >&2
    exit 1
}

command -v dpkg-shlibdeps >/dev/null || { echo 'dpkg-dev is not installed' && exit 77; }
(cd "$build" && cpack -G DEB -B "$work" >"$work/log" 2>&1) || { cat "$work/log" && exit 1; }
packages=("$work"/*.deb)

for package in "${packages[@]}"; do dpkg-deb -x "$package" "$work/root"; done
for file in bin/roofscope share/man/man1/roofscope.1 share/roofscope/sample.roofscope.json.gz \
    share/bash-completion/completions/roofscope share/roofscope/python/roofscope/__main__.py; do
    [[ -s $work/root/usr/$file ]] || fail "no /usr/$file"
done
bash -n "$work/root/usr/share/bash-completion/completions/roofscope"
[[ ! -e $work/root/usr/include ]] || fail 'headers do not belong to the program'
(cd "$work" && root/usr/bin/roofscope report sample >sample.txt && grep -q H200 sample.txt) ||
    fail 'no report of the sample'
(cd "$work" && root/usr/bin/roofscope show program sample >packet.txt && grep -q "^# Program" packet.txt) ||
    fail 'no packet'
! find "$work/root" -name __pycache__ | grep -q . || fail 'Python left files behind'
if [[ -e $build/bin/roofscope-gui ]]; then
    for file in bin/roofscope-gui share/man/man1/roofscope-gui.1 share/mime/packages/roofscope.xml \
        share/applications/roofscope-gui.desktop share/icons/hicolor/scalable/apps/roofscope.svg; do
        [[ -s $work/root/usr/$file ]] || fail "no /usr/$file"
    done
fi
[[ -n $clean_root ]] || exit 0

# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016 # apt's own variable
mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | head -1)
debootstrap --variant=minbase --include=python3 "$suite" "$work/debian" "$mirror" >"$work/log" 2>&1 ||
    { tail -n 3 "$work/log" && exit 77; }
cp /etc/apt/apt.conf.d/* "$work/debian/etc/apt/apt.conf.d/" 2>/dev/null || true
cp "${packages[@]}" "$work/debian/root/"
inside() { # with a /proc of its own, which goes with the command
    # shellcheck disable=SC2016
    unshare --mount bash -c 'mount -t proc proc "$1/proc" && exec chroot "$1" /usr/bin/env -i \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 bash -c "$2"' inside "$work/debian" "$1"
}
inside 'apt-get update -q && apt-get install -y -q --no-install-recommends /root/*.deb' >"$work/log" 2>&1 ||
    { tail -n 5 "$work/log" && fail 'not installed'; }
inside 'cd /tmp && roofscope report sample | grep -m1 H200 && roofscope show program sample | head -1'
inside 'cd /tmp && roofscope doctor | grep "Collector library"'
if [[ -e $build/bin/roofscope-gui ]]; then
    inside 'QT_QPA_PLATFORM=offscreen roofscope-gui --version'
    inside 'roofscope view --help >/dev/null'
fi
inside 'apt-get purge -y -q "roofscope*"' >"$work/log" 2>&1 || fail 'not removed'
inside 'find /usr /etc | grep -i roofscope' && fail 'files are left'
echo 'installed, started and removed in a clean root'
