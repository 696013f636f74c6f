#!/bin/bash
# Builds and runs the bench: tests/bench/run.sh [options of tracebridge_bench, see --help]. Inputs and outputs live in a
# temporary directory, which needs some gigabytes, and are removed whatever happens: below $TMPDIR, else in /dev/shm
# where it has the room (so that no disk is measured), else in /tmp.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD_DIR:-$root/build}
# shellcheck source=third_party/debian.sh
source "$root/third_party/debian.sh"
install_packages "${build_packages[@]}" libsimdjson-dev >&2
cmake -S "$root" -B "$build" -G Ninja -DTRACEBRIDGE_BENCH=ON >/dev/null
cmake --build "$build" --target tracebridge_bench >/dev/null
place=${TMPDIR:-/tmp}
if [[ -z ${TMPDIR:-} && $(df --output=avail -B1M /dev/shm 2>/dev/null | tail -n 1) -gt 8000 ]]; then place=/dev/shm; fi
work=$(mktemp -d -p "$place")
trap 'rm -rf "$work"' EXIT
"$build/tests/bench/tracebridge_bench" "$@" "$work"
