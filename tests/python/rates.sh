#!/bin/bash
# rates.sh BUILD FILE...: how fast the package's columns are against a reader in C, of the same installed library.
# tests/bench/run.sh --inputs makes large files.
set -euo pipefail
build=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/python/install.sh
source "$here/install.sh"
install_package "$build" "$work"
read -ra flags < <(pkg-config --cflags --libs tracebridge)
cc -O2 "$here/count.c" "${flags[@]}" -Wl,-rpath,"$(pkg-config --variable=libdir tracebridge)" -o "$work/count"
"$python" -B "$here/rates.py" "$work/count" "$@"
