#!/bin/bash
# Builds and runs the bench: tests/bench/run.sh [options of tracebridge_bench, see --help]. Inputs and outputs live in a
# temporary directory below $TMPDIR (/tmp), which needs some gigabytes, and are removed whatever happens.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD_DIR:-$root/build}
[[ -f $build/CMakeCache.txt ]] || cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" --target tracebridge_bench >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/tests/bench/tracebridge_bench" "$@" "$work"
