#!/usr/bin/env bash
# Installs what the tests need into .venv, checks style and types, and runs the quick tests: `bash scripts/test.sh`.
# --all as the first argument also runs the slow tests, and the quick tests of tasks on lm-eval's git HEAD, which is cloned unless
# LM_EVAL_NEXT=<checkout of lm-eval> names one. Further arguments go to pytest. With SEA_HUB_MIRROR=<folder laid out like the hub>
# tests also run on real rows.
set -euo pipefail
cd "$(dirname "$0")/.."
case "$(uname -s)" in MINGW* | MSYS* | CYGWIN*) echo "test.sh: on Windows, run this in WSL" >&2; exit 1 ;; esac

selection=()
if [ "${1:-}" = --all ]; then
    selection=(-m "")
    shift
fi
.venv/bin/python -m pip --version >/dev/null 2>&1 || "${PYTHON:-python3}" -m venv .venv
# The tests import a quarter of 300 MB of Python. Only that is compiled, on first import, and kept.
export PYTHONDONTWRITEBYTECODE=
.venv/bin/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[test]'
[ -z "${SEAHELM_CHECKOUT:-}" ] || .venv/bin/python -m pip install --quiet ujson omegaconf  # for SEA-HELM's own code
# The page of reports is tested in Chromium; where there is none and it cannot be installed those tests are skipped.
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update -qq && apt-get install -y -qq chromium fonts-noto-core fonts-noto-cjk; } >/dev/null 2>&1 ||
        echo "test.sh: Chromium could not be installed; the tests of the report's page are skipped" >&2
fi
if [ "${#selection[@]}" -gt 0 ] && [ -z "${LM_EVAL_NEXT:-}" ]; then
    rm -rf .venv/lm-evaluation-harness
    if GIT_TERMINAL_PROMPT=0 timeout 120 git clone --quiet --depth 1 https://github.com/EleutherAI/lm-evaluation-harness \
        .venv/lm-evaluation-harness 2>/dev/null; then
        export LM_EVAL_NEXT="$PWD/.venv/lm-evaluation-harness"
    else
        echo "test.sh: lm-eval's git HEAD could not be cloned; the tests on it are skipped" >&2
    fi
fi
.venv/bin/python -m ruff check .
.venv/bin/python -m ruff format --check .
# The newest numpy for Python 3.10 has other types.
if .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then .venv/bin/python -m mypy; fi
# A worker runs neighbouring tests, which share slow fixtures, and takes over tests of others only when it has none left.
exec .venv/bin/python -m pytest -rs --numprocesses auto --dist worksteal ${selection[@]+"${selection[@]}"} "$@"
