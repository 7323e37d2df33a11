#!/usr/bin/env bash
# From a clone to a table of results: makes the virtual environment .venv, installs the pack, builds a tiny model with random
# weights, and runs two groups of tasks on the bundled samples with the plain lm_eval command. Needs Python 3.10 or later.
set -euo pipefail
cd "$(dirname "$0")/.."

python="${PYTHON:-python3}"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "quickstart: $python is older than Python 3.10; name a newer one: PYTHON=python3.12 bash scripts/quickstart.sh" >&2
    exit 1
}
[ -x .venv/bin/python ] || "$python" -m venv .venv
echo "Installing the pack into .venv …"
.venv/bin/python -m pip install --quiet --constraint constraints.txt --editable .
[ -f tiny_model/config.json ] || .venv/bin/python scripts/make_tiny_model.py tiny_model

root="$PWD"
command=(
    "$root/.venv/bin/lm_eval" --model hf --model_args "pretrained=$root/tiny_model" --device cpu
    --include_path "$root/lm_eval_sea/tasks" --tasks sea_belebele_to_ppl,sea_m3exam_litilo_gen
    --output_path "$root/results/quickstart" --log_samples
)
cat <<EOF

The bundled samples lie in lm_eval_sea/samples, laid out like the hub, so the command runs in that folder.
For real numbers run it anywhere else, with your model in pretrained=:

cd $(printf '%q' "$root/lm_eval_sea/samples")
$(printf '%q ' "${command[@]}")

EOF
(cd lm_eval_sea/samples && "${command[@]}")
echo
echo "The numbers mean nothing: the model is random and the samples are few. Results and every prompt: results/quickstart"
