#!/usr/bin/env bash
# From a clone to a table of results: installs the pack, builds a tiny model with random weights, and runs two groups of tasks on
# the bundled samples with the plain lm_eval command. Uses the active environment if it has PyTorch, else makes .venv.
# Needs Python 3.10 or later.
set -euo pipefail
cd "$(dirname "$0")/.."
root="$PWD"

refuse() { echo "quickstart: $1" >&2; exit 1; }
case "$(uname -s)" in MINGW* | MSYS* | CYGWIN*) refuse "on Windows, run this in WSL" ;; esac

has_torch() { "$1" -c 'import torch' >/dev/null 2>&1; }

active="${VIRTUAL_ENV:-${CONDA_PREFIX:-}}"
if [ -n "$active" ] && has_torch "$active/bin/python"; then
    environment="$active"
    constraints=()
    echo "Installing the pack into the active environment, $environment, which has PyTorch. Missing packages take about 100 MB."
else
    python="${PYTHON:-python3}"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
        refuse "$python is older than Python 3.10; name a newer one: PYTHON=python3.12 bash scripts/quickstart.sh"
    environment="$root/.venv"
    constraints=(--constraint constraints.txt)
    if { [ "$(uname -sm)" = "Darwin x86_64" ] || [[ "$(ldd --version 2>&1)" = *musl* ]]; } && ! has_torch .venv/bin/python; then
        refuse "pip has no PyTorch for Intel Macs and Alpine; use another machine or container, or an environment that has PyTorch 2.5 or later"
    fi
    .venv/bin/python -m pip --version >/dev/null 2>&1 || "$python" -m venv .venv  # also completes one that was interrupted
    # The smallest build: on Linux, pip's comes with CUDA, which nothing here uses. uv knows where the one for CPUs is.
    if ! has_torch .venv/bin/python; then
        cpu_build() { .venv/bin/uv pip install --python .venv --torch-backend cpu "$(grep '^torch==' constraints.txt)" "$@"; }
        if [ "$(uname -s)" = Linux ] && .venv/bin/python -m pip install --quiet uv && cpu_build --dry-run 2>/dev/null; then
            echo "Installing PyTorch for CPUs into .venv: some 200 MB, a minute on a fast connection."
            cpu_build
        else
            echo "Installing the pack and PyTorch into .venv. On Linux, pip's PyTorch comes with CUDA: some 3 GB, minutes on a fast connection."
            echo "To avoid that, activate an environment that has PyTorch, and run this again."
        fi
    fi
fi
bin="$environment/bin"
if ! [ -x "$bin/lm-eval-sea" ] || ! [ -x "$bin/lm_eval" ]; then
    "$bin/python" -m pip install --disable-pip-version-check --progress-bar on ${constraints[@]+"${constraints[@]}"} --editable .
fi
[ -f tiny_model/config.json ] || "$bin/python" scripts/make_tiny_model.py tiny_model

# lm-eval finds the tasks of an installed wheel by itself, and would warn of every one that it finds twice.
include=(--include_path "$root/lm_eval_sea/tasks")
if compgen -G "$environment/lib/python*/site-packages/lm_eval/tasks/lm_eval_sea" >/dev/null; then include=(); fi
command=(
    "$bin/lm_eval" --model hf --model_args "pretrained=$root/tiny_model" --device cpu
    ${include[@]+"${include[@]}"} --tasks sea_belebele_to_ppl,sea_m3exam_litilo_gen
    --output_path "$root/results/quickstart" --log_samples
)
cat <<EOT

The bundled samples lie in lm_eval_sea/samples, laid out like the hub, so the command runs in that folder:

cd $(printf '%q' "$root/lm_eval_sea/samples")
$(printf '%q ' "${command[@]}")

EOT
(cd lm_eval_sea/samples && "${command[@]}")
echo
"$bin/lm-eval-sea" show results/quickstart
cat <<EOT

The numbers mean nothing: the model is random and the samples are few. Next:

  your model, real data    $bin/lm-eval-sea run --model hf-shared-prefix --model_args pretrained=MODEL --tasks sea_belebele_to_ppl \\
                               --output_path results/mine --log_samples
  what there is            $bin/lm-eval-sea ls
  a page of results        $bin/python -m pip install --editable '$root[report]' && $bin/lm-eval-sea report results/mine --out page
EOT
