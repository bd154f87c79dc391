#!/usr/bin/env bash
# Sets up, builds in release mode and opens a sample in the window; without a display: its figures in the terminal and the
# comparison as a picture.
#   ./run.sh [--yes] [--no-window] [SAMPLE]      SAMPLE: a folder of projects/ (default: conv3x3)
set -euo pipefail
cd "$(dirname "$0")"
. resources/setup/setup.sh

yes=0
sample=conv3x3
window=1
for argument in "$@"; do
    case "$argument" in
        --yes|-y) yes=1 ;;
        --no-window) window=0 ;;
        -h|--help) sed -n '2,4p' "$0" | cut -c3-; exit 0 ;;
        *) sample=$argument ;;
    esac
done
if [ ! -d "projects/$sample" ]; then
    echo "There is no sample '$sample'. Samples: $(cd projects && echo */ | tr -d /)" >&2
    exit 2
fi

nw_install_missing "$yes"
nw_build release nestw nestwright nestwright-builder nestwright-runner

if [ "$window" -eq 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec build/release/bin/nestwright "projects/$sample"
fi

nestw=build/release/bin/nestw
picture=build/$sample-compare.png
"$nestw" info "projects/$sample"
"$nestw" ops "projects/$sample"
"$nestw" compare "projects/$sample"
QT_QPA_PLATFORM=offscreen build/release/bin/nestwright --render compare "projects/$sample" -o "$picture"
echo "The comparison as a picture: $picture"
