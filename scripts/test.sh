#!/usr/bin/env bash
# Installs what the tests need into .venv and runs them all; further arguments go to pytest.
# With SEA_HUB_MIRROR=<folder laid out like the hub> they run on real rows too.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -x .venv/bin/python ] || "${PYTHON:-python3}" -m venv .venv
.venv/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[test]'
# The page of reports is tested in Chromium; where there is none and it cannot be installed those tests are skipped.
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update -qq && apt-get install -y -qq chromium fonts-noto-core fonts-noto-cjk; } >/dev/null 2>&1 ||
        echo "test.sh: Chromium could not be installed; the tests of the report's page are skipped" >&2
fi
exec .venv/bin/python -m pytest "$@"
