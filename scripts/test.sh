#!/usr/bin/env bash
# Installs what the tests need into .venv and runs them all; further arguments go to pytest.
# With SEA_HUB_MIRROR=<folder laid out like the hub> they run on real rows too.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -x .venv/bin/python ] || "${PYTHON:-python3}" -m venv .venv
.venv/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[test]'
exec .venv/bin/python -m pytest "$@"
