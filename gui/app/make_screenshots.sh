#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of docs/screenshots from a recorded profile:
#   gui/app/make_screenshots.sh BUILD_DIR PROFILE OUT_DIR [KERNEL [BASELINE]]
# KERNEL: part of the name of the kernel to select; the longest one by default. BASELINE: an older
# profile, for the pictures of a comparison. Needs no display; the pictures in Chinese need a font
# that has it (Debian: fonts-noto-cjk) and are left out where the program was built without Chinese. source-light.png needs counters
# per instruction: roofscope-gui profile/samples/h200_triton_source.roofscope.json.gz --kernel
# add_kernel --details source --size 1440x900 --theme light --screenshot source-light.png
set -euo pipefail

if [[ $# -lt 3 || $# -gt 5 ]]; then
    echo "usage: $0 BUILD_DIR PROFILE OUT_DIR [KERNEL [BASELINE]]" >&2
    exit 64
fi
gui="$1/bin/roofscope-gui"
profile="$2"
out="$3"
select=()
[[ $# -ge 4 ]] && select=(--kernel "$4")
if [[ ! -x "$gui" ]]; then
    echo "$gui is not there: build the target roofscope-gui first" >&2
    exit 69
fi
mkdir -p "$out"
export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"

for theme in light dark; do
    "$gui" "$profile" --screenshot "$out/window-$theme.png" --size 1440x900 --theme "$theme" \
        "${select[@]}"
    [[ $# -eq 5 ]] && "$gui" "$profile" --baseline "$5" --screenshot "$out/compare-$theme.png" \
        --size 1440x900 --theme "$theme" "${select[@]}"
    "$gui" "$profile" --export "$out/roofline-$theme.svg" --size 960x600 --theme "$theme"
done
"$gui" "$profile" --export "$out/memory.png" --plot memory "${select[@]}"
QT_SCALE_FACTOR=2 "$gui" "$profile" --screenshot "$out/window-hidpi.png" --size 1280x800 "${select[@]}"
"$gui" --screenshot "$out/empty.png" --size 1280x800
if "$gui" --lang zh --screenshot "$out/empty-zh.png" --size 1280x800; then
    for theme in light dark; do
        "$gui" "$profile" --lang zh --screenshot "$out/window-zh-$theme.png" --size 1440x900 \
            --theme "$theme" "${select[@]}"
    done
    [[ $# -eq 5 ]] && "$gui" "$profile" --lang zh --baseline "$5" \
        --screenshot "$out/compare-zh-light.png" --size 1440x900 "${select[@]}"
    "$gui" "$profile" --lang zh --export "$out/roofline-zh-light.svg" --size 960x600
    QT_SCALE_FACTOR=2 "$gui" "$profile" --lang zh --screenshot "$out/window-zh-hidpi.png" \
        --size 1280x800 "${select[@]}"
fi
ls -l "$out"
