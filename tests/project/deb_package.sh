#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# deb_package.sh BUILD [--clean-root]: makes the .deb files of a build and checks their contents.
# With --clean-root it also installs them into a new Debian root, starts them, and removes them
# again.
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
    share/bash-completion/completions/roofscope \
    share/fish/vendor_completions.d/roofscope.fish share/roofscope/python/roofscope/__main__.py; do
    [[ -s $work/root/usr/$file ]] || fail "no /usr/$file"
done
bash -n "$work/root/usr/share/bash-completion/completions/roofscope"
[[ ! -e $work/root/usr/include ]] || fail 'headers do not belong to the program'
(cd "$work" && root/usr/bin/roofscope report sample >sample.txt && grep -q H100 sample.txt) ||
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
inside 'cd /tmp && roofscope report sample | grep -m1 H100 && roofscope show program sample | head -1'
inside 'cd /tmp && roofscope doctor | grep "Collector library"'
for_people=(man-db bash-completion)
[[ ! -e $build/bin/roofscope-gui ]] ||
    for_people+=(xvfb xauth x11-utils libgtk-3-bin libglib2.0-bin desktop-file-utils shared-mime-info fonts-dejavu-core)
inside "DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ${for_people[*]}" \
    >"$work/log" 2>&1 || { tail -n 5 "$work/log" && exit 77; }
cat >"$work/debian/root/completed.sh" <<'SH'
. /usr/share/bash-completion/bash_completion
_completion_loader roofscope
COMP_WORDS=(roofscope rec) COMP_CWORD=1 COMP_LINE="roofscope rec" COMP_POINT=13
_roofscope roofscope rec roofscope
[[ ${COMPREPLY[*]} == record ]]
SH
inside 'bash /root/completed.sh' || fail 'the shell does not complete "roofscope rec"'
inside 'man roofscope 2>/dev/null | grep -q "^ *roofscope record"' || fail 'no manual page'
if [[ -e $build/bin/roofscope-gui ]]; then
    inside 'QT_QPA_PLATFORM=offscreen roofscope-gui --version'
    inside 'roofscope view --help >/dev/null'
    inside 'man -w roofscope-gui >/dev/null' || fail 'no manual page of the window'
    inside 'desktop-file-validate /usr/share/applications/roofscope-gui.desktop' || fail 'desktop file'
    # A file manager finds the program by file type, and the desktop file opens the profile.
    cat >"$work/debian/root/opened.sh" <<'SH'
export HOME=/root/home
mkdir -p $HOME
cp /usr/share/roofscope/sample.roofscope.json.gz /root/app.roofscope.json.gz
gzip -dc /root/app.roofscope.json.gz >/root/app.roofscope.json
for file in /root/app.roofscope.json /root/app.roofscope.json.gz; do
    gio info -a standard::content-type $file | grep -q application/x-roofscope-profile || exit 1
    gio open $file 2>/dev/null &
    for ((i = 0; i < 120; i++)); do
        xwininfo -root -tree | grep -q '"app — roofscope' && break
        sleep 0.5
    done
    xwininfo -root -tree | grep -o '"app — roofscope[^:]*' || exit 1
    for process in /proc/[0-9]*; do
        [[ $(readlink $process/exe) != /usr/bin/roofscope-gui ]] || kill ${process#/proc/}
    done
    while xwininfo -root -tree | grep -q '"app — roofscope'; do sleep 0.1; done
done
SH
    inside 'timeout 180 xvfb-run -a bash /root/opened.sh' || fail 'the desktop file opens no profile'
fi
inside 'apt-get purge -y -q "roofscope*"' >"$work/log" 2>&1 || fail 'not removed'
inside 'find /usr /etc /var/lib | grep -i roofscope' && fail 'files are left'
echo 'installed, started, completed and removed in a clean root'
