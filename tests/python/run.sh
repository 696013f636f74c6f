#!/bin/bash
# run.sh BUILD TRACES...: the Python package on an installed copy of BUILD: what it reads of TRACES against the trace
# processor, its interface, and its README. Skipped (77) where a package of it is missing, but for TRACEBRIDGE_FULL.
set -euo pipefail
build=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/python/install.sh
source "$here/install.sh"
if ! "$python" -c 'import setuptools, wheel, pip, cffi, numpy' 2>/dev/null; then
  echo "python: cffi, numpy, pip, setuptools or wheel is missing"
  [[ -z ${TRACEBRIDGE_FULL:-} ]] && exit 77
  exit 1
fi
install_package "$build" "$work"
"$here/engine_rows.mjs" "$@" >"$work/rows.json"
"$python" -B "$here/package_test.py" "$work/rows.json"
cd "$here/../.."
PATH=$work/venv/bin:$PATH "$python" -B tests/docs/run.py "$build/tracebridge" --made "$build/tests/data" \
  bridge/python/README.md
