#!/usr/bin/env bash
# Every reference model against its kept outputs: threads 1 and 2, every target this machine can run; then the light ones.
#   tests/run_seeded.sh DATA_FOLDER [NESTW]     (DATA_FOLDER holds onnx-seeded and onnx-light)
set -u
data=$1
nestw=${2:-$(cd "$(dirname "$0")/.." && pwd)/build/release/bin/nestw}
failed=0
for model in "$data"/onnx-seeded/*.onnx; do
    stem=${model%.onnx}
    arguments=()
    for k in 0 1 2 3; do
        [ -f "${stem}_output_$k.pb" ] && arguments+=(--expect "${stem}_output_$k.pb")
        [ -f "${stem}_input_$k.pb" ] && arguments+=(--input "${stem}_input_$k.pb")
    done
    case "$stem" in *bert*) arguments+=(--bind batch=2) ;; *) arguments+=(--input arange) ;; esac
    for target in x86-64-v2 x86-64-v3 x86-64-v4 native; do
        for threads in 1 2; do
            start=$(date +%s.%N)
            if said=$("$nestw" run "$model" "${arguments[@]}" --protocol none --target "$target" --threads "$threads" 2>&1); then
                verdict=ok
            elif [[ $said == *"cannot run"* || $said == *"lacks"* ]]; then
                verdict="not run: $(tail -n 1 <<<"$said")"
            else
                verdict="FAILED: $(tail -n 2 <<<"$said" | tr '\n' ' ')"
                failed=1
            fi
            printf '%-24s %-10s threads %s  %5.1f s  %s\n' "$(basename "$stem")" "$target" "$threads" \
                "$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN{print b-a}')" "$verdict"
        done
    done
done
for model in "$data"/onnx-light/*.onnx; do
    stem=${model%.onnx}
    if said=$("$nestw" run "$model" --input arange --protocol none 2>&1); then
        verdict="ok: $(tail -n 1 <<<"$said")"
    else
        verdict="FAILED: $(tail -n 2 <<<"$said" | tr '\n' ' ')"
        failed=1
    fi
    printf '%-24s %s\n' "$(basename "$stem")" "$verdict"
done
exit $failed
