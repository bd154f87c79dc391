#!/usr/bin/env bash
# What templates_elsewhere writes for this machine passes here, also from another place; with one value changed it does not.
#   tests/emulated/check_itself.sh PROGRAM FOLDER      (the folder is made, and removed)
set -euo pipefail
program=$1
folder=$2
rm -rf "$folder" "$folder.moved"
trap 'rm -rf "$folder" "$folder.moved"' EXIT
fail() { echo "check_itself.sh: $*" >&2; exit 1; }

"$program" write "$folder" --target native --shapes 1
mv "$folder" "$folder.moved"
"$program" run "$folder.moved" || fail "what was written for this machine does not pass on it"

# The sign and exponent of an element of the first job's output.
expected=$(find "$folder.moved/tasks" -name 'uniform.expected.*' | sort | head -n 1)
[ -n "$expected" ] || fail "no expected values were written"
printf '\x7f' | dd of="$expected" bs=1 seek=7 conv=notrunc status=none
code=0
said=$("$program" run "$folder.moved") || code=$?
[ $code -eq 1 ] || fail "a wrong expected value ends with exit code $code instead of 1"
grep -q 'wrong-result' <<<"$said" || fail "a wrong expected value is not named: $said"
grep -q '^FAILED: .* 1 failed$' <<<"$said" || fail "the sums do not count the one failure: $said"
