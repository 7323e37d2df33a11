#!/usr/bin/env bash
# Measures on one GPU, in under 40 minutes, what only a GPU can show about the backends: `bash scripts/gpu_check.sh`.
# Writes gpu_check.json, one line of JSON per step, and prints a table; send both with an issue. Each step runs in its own
# process, so that a failure stops no other. On a machine without a GPU: `bash scripts/gpu_check.sh --small` (some minutes; its
# times mean nothing). PYTHON names another interpreter, which needs the pack, and vLLM for the step of that name.
set -uo pipefail
cd "$(dirname "$0")"

python="${PYTHON:-python3}"
save="${GPU_CHECK_FILE:-$OLDPWD/gpu_check.json}"
rm -f "$save"
model="$(mktemp -d)"  # 14 GB, made by the first step
trap 'rm -rf "$model"' EXIT
for step in environment kernels batches passes attention long_prefix memory generation agreement exactness vllm; do
    echo "gpu_check: $step" >&2
    timeout 600 "$python" gpu_check.py "$step" --model "$model" --save "$save" "$@" ||
        echo "{\"step\": \"$step\", \"failed\": \"exit status $?; 124: longer than 10 minutes\"}" >>"$save"
done
"$python" gpu_check.py table --save "$save"
