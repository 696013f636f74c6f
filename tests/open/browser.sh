#!/bin/bash
# browser.sh PYTHON3 TRACEBRIDGE: run.py with a real viewer, which is fetched first.
set -euo pipefail
here=$(dirname "$0")
ui=$("$here/fetch_ui.sh")
exec "$1" -B "$here/run.py" "$2" . --browser "$ui"
