#!/usr/bin/env bash
# Runs a small real model, Gemma 3 270M, on real rows, and checks that the pack tells signal from noise.
#
#   bash scripts/test_real_model.sh [MODEL]      MODEL: its folder (default: gemma-3-270m, fetched if it is not there; 1.1 GB)
#
# SEA_HUB_MIRROR names a folder of rows laid out like the hub; without it the rows come from the hub.
# REAL_MODEL_ROWS is the number of rows per task (default 100: the whole lite tasks). REAL_MODEL_RESULTS is where the runs are kept;
# a second start goes on with what is there. VLLM_ENVIRONMENT is a folder made by `scripts/vllm_environment.sh`; with it vLLM's
# backends are compared, too. Further settings: PYTHON. The model's terms of use: https://ai.google.dev/gemma/terms
set -euo pipefail
cd "$(dirname "$0")/.."
model="${1:-gemma-3-270m}"
python="${PYTHON:-python}"
[ -f "$model/config.json" ] || "$python" scripts/get_real_model.py "$model"
REAL_MODEL="$(cd "$model" && pwd)" PYTHONPATH="$PWD" exec "$python" -m pytest -n0 -m slow -v tests/real_model
