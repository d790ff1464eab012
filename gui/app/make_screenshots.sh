#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of docs/gui.md from the recordings in profile/samples and tests/frameworks/recorded:
#   gui/app/make_screenshots.sh BUILD_DIR [OUT_DIR [NAME...]]
# OUT_DIR defaults to docs/screenshots. NAMEs choose pictures ("window-light"); "look" adds every view
# in both themes and languages, at 100 % and 200 %, for a visual check after a change.
# Needs no display. Chinese needs a font with Chinese characters (Debian: fonts-noto-cjk); its pictures
# are left out if the program was built without Chinese.
set -euo pipefail

if [[ $# -lt 1 ]]; then
    echo "usage: $0 BUILD_DIR [OUT_DIR [NAME...]]" >&2
    exit 64
fi
root="$(cd "$(dirname "$0")/../.." && pwd)"
gui="$1/bin/roofscope-gui"
out="${2:-$root/docs/screenshots}"
shift $(($# < 2 ? $# : 2))
names=("$@")
if [[ ! -x "$gui" ]]; then
    echo "$gui is not there: build the target roofscope-gui first" >&2
    exit 69
fi
mkdir -p "$out"
export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"

sample() { printf '%s/profile/samples/h200_%s.roofscope.json.gz' "$root" "$1"; }
# Recordings with copies, CPU calls and the source lines that make them.
recorded() { printf '%s/tests/frameworks/recorded/%s.roofscope.json.gz' "$root" "$1"; }
bundled=("$(sample bundled)" --kernel lightningDecodeSharedConflict)
# The same program, recorded twice.
compared=("$(sample triton_source)" --baseline "$(sample torch_triton)" --kernel AUnaryFunctor)
source=("$(sample triton_source)" --kernel add_kernel --details source)
timeline=("$(recorded torch_copies)" --details timeline)
over_time=("$root/tests/data/over_time/h200_phases.roofscope.json.gz" --kernel alternating --details over-time)
ranks=("$(sample torchrun)" --details timeline)
ranges=("$(sample torch_ranges)" --details ranges)

wanted() {
    [[ ${#names[@]} -eq 0 ]] && return 0
    local name
    for name in "${names[@]}"; do [[ $name == "$1" ]] && return 0; done
    return 1
}
# shot NAME [OPTION...]: saves the window as OUT_DIR/NAME.png
shot() {
    local name="$1"
    shift
    wanted "$name" || return 0
    "$gui" "$@" --screenshot "$out/$name.png"
}

chinese=yes
"$gui" --lang zh --screenshot "$out/.probe.png" 2> /dev/null || chinese=
rm -f "$out/.probe.png"

size=(--size 1440x900)
shot overview-light "$(recorded torch_copies)" "${size[@]}" --theme light
shot window-light "${bundled[@]}" "${size[@]}" --theme light
shot window-dark "${bundled[@]}" "${size[@]}" --theme dark
shot compare-light "${compared[@]}" "${size[@]}" --theme light
shot compare-dark "${compared[@]}" "${size[@]}" --theme dark
shot source-light "${source[@]}" "${size[@]}" --theme light
shot timeline "${timeline[@]}" --size 1440x1200 --theme light
shot over-time "${over_time[@]}" "${size[@]}" --theme light
shot timeline-ranks "${ranks[@]}" "${size[@]}" --theme light
shot ranges "${ranges[@]}" "${size[@]}" --theme light
shot occupancy "$(sample bundled)" --kernel causalLowOccupancy --details launch "${size[@]}" --theme light
shot empty --size 1280x800 --theme light
if wanted memory; then
    "$gui" "${bundled[@]}" --export "$out/memory.png" --plot memory
fi
[[ -n $chinese ]] && shot window-zh-light "${bundled[@]}" --lang zh "${size[@]}" --theme light

look() {
    local lang="$1" theme="$2" scale="$3" tab
    local options=(--lang "$lang" --theme "$theme")
    # The size of the window; QT_SCALE_FACTOR multiplies the picture's.
    if [[ $scale == 2 ]]; then options+=(--size 1280x800); else options+=("${size[@]}"); fi
    names=()
    export QT_SCALE_FACTOR="$scale"
    local end="$lang-$theme-${scale}00"
    shot "look-overview-$end" "$(recorded torch_copies)" "${options[@]}"
    shot "look-overview-ranks-$end" "$(sample torchrun)" "${options[@]}"
    for tab in counters launch memory issues; do
        shot "look-$tab-$end" "${bundled[@]}" --details "$tab" "${options[@]}"
    done
    shot "look-compare-$end" "${compared[@]}" "${options[@]}"
    shot "look-source-$end" "${source[@]}" "${options[@]}"
    shot "look-over-time-$end" "${over_time[@]}" "${options[@]}"
    shot "look-timeline-$end" "${timeline[@]}" "${options[@]}"
    shot "look-ranges-$end" "${ranges[@]}" "${options[@]}"
    shot "look-empty-$end" "${options[@]}"
}
if [[ ${#names[@]} -gt 0 ]] && wanted look; then
    look en light 1
    look en dark 2
    if [[ -n $chinese ]]; then
        look zh dark 1
        look zh light 2
    fi
fi
ls -l "$out"
