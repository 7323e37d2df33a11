#!/usr/bin/env bash
# Installs what the tests need into .venv, checks style and types, and runs the quick tests: `bash scripts/test.sh`.
# With --all first, the slow ones too. Further arguments go to pytest. With SEA_HUB_MIRROR=<folder laid out like the hub> the
# tests run on real rows too.
set -euo pipefail
cd "$(dirname "$0")/.."

selection=()
all=no
if [ "${1:-}" = --all ]; then
    selection=(-m "")
    all=yes
    shift
fi
[ -x .venv/bin/python ] || "${PYTHON:-python3}" -m venv .venv
.venv/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[test]'
# Slow tests run the tasks on the pre-release of lm-eval too, and its own tests on the folders for upstream: its source
# distribution has both. It is not installed but lies in a folder of its own.
if [ "$all" = yes ]; then
    next=lm_eval-0.5.0.dev1
    if [ ! -d ".venv/$next/lm_eval" ]; then
        .venv/bin/python -m pip download --quiet --no-deps --no-binary lm-eval --dest .venv lm-eval==0.5.0.dev1
        tar -xzf ".venv/$next.tar.gz" -C .venv
    fi
    export LM_EVAL_NEXT="$PWD/.venv/$next"
fi
# The page of reports is tested in Chromium; where there is none and it cannot be installed those tests are skipped.
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update -qq && apt-get install -y -qq chromium fonts-noto-core fonts-noto-cjk; } >/dev/null 2>&1 ||
        echo "test.sh: Chromium could not be installed; the tests of the report's page are skipped" >&2
fi
.venv/bin/python -m ruff check .
.venv/bin/python -m ruff format --check .
.venv/bin/python -m mypy
exec .venv/bin/python -m pytest -rs --numprocesses auto ${selection[@]+"${selection[@]}"} "$@"
