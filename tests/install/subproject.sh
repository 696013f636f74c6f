#!/bin/bash
# subproject.sh CC: configures a project that tracebridge is a part of. Its targets have the names that an installed
# copy gives them; the project's own tests are there, whether CTest is included before tracebridge or behind it, and
# those of tracebridge only where they are asked for.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "subproject: $*" >&2
  exit 1
}

tests_of() { # NAME OPTIONS...: names of the tests, a line each
  cmake -S "$here/subproject" -B "$work/$1" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DTRACEBRIDGE="$here/../.." \
    "${@:2}" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; fail "$1: not configured"; }
  ctest --test-dir "$work/$1" -N | sed -n 's/^ *Test *#[0-9]*: //p'
}

compiler=$1
for order in first last; do
  first=OFF
  [[ $order == last ]] || first=ON
  found=$(tests_of "ctest_$order" -DCTEST_FIRST=$first)
  [[ $found == host ]] || fail "CTest included $order: the tests are: $(head -n 3 <<<"$found")"
  found=$(tests_of "ctest_$order" -DCTEST_FIRST=$first -DTRACEBRIDGE_TESTS=compiler)
  grep -qx host <<<"$found" || fail "CTest included $order: no test of the project's own"
  grep -qx unit.convert <<<"$found" || fail "CTest included $order: no tests, though TRACEBRIDGE_TESTS asks"
  found=$(tests_of "off_$order" -DCTEST_FIRST=$first -DTRACEBRIDGE_TESTS=compiler -DBUILD_TESTING=OFF)
  [[ -z $found ]] || fail "CTest included $order: tests in spite of BUILD_TESTING=OFF"
done
echo "a part of another project: its names, and no tests that nobody asked for"
