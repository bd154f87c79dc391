#!/usr/bin/env bash
# Sets up, builds and runs every test: the engine's under AddressSanitizer and UBSan, then all in release mode.
#   ./test.sh [--yes] [ctest arguments for the release run]
set -euo pipefail
cd "$(dirname "$0")"
. resources/setup/setup.sh

yes=0
arguments=()
for argument in "$@"; do
    case "$argument" in
        --yes|-y) yes=1 ;;
        *) arguments+=("$argument") ;;
    esac
done

nw_install_missing "$yes"
export QT_QPA_PLATFORM=offscreen
nw_build asan
failed=0
(cd build/asan && ctest -j "$nw_jobs" --output-on-failure --no-tests=error -LE 'slow|nosan') || failed=1
nw_build release
(cd build/release && ctest -j "$nw_jobs" --output-on-failure --no-tests=error ${arguments[@]+"${arguments[@]}"}) || failed=1
exit $failed
