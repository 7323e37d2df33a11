#!/usr/bin/env bash
# Runs the tests that need vLLM, on CPUs, in an environment of their own; further arguments go to pytest.
# The environment is .venv-vllm, or the folder that VLLM_ENVIRONMENT names.
set -euo pipefail
cd "$(dirname "$0")/.."

folder="${VLLM_ENVIRONMENT:-.venv-vllm}"
bash scripts/vllm_environment.sh "$folder"
folder="$(cd "$folder" && pwd)"
# What vLLM and torch compile stays with the environment.
export VLLM_CACHE_ROOT="$folder/cache" VLLM_CONFIG_ROOT="$folder/cache" TORCHINDUCTOR_CACHE_DIR="$folder/cache/inductor"
# vLLM leaves its sockets in the folder for temporary files.
TMPDIR="$(mktemp -d)"
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
PYTHONPATH="$PWD" "$folder/bin/python" -m pytest tests/models/vllm "$@"
