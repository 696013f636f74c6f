#!/bin/bash
# variants.sh CC: builds program and library as somebody would who has neither what the tests need nor libarchive.
# Nothing of libarchive is left in what is built and installed; traces are read, and merge says that it cannot read an
# archive. Then the portable program, which needs libc alone.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "variants: $*" >&2
  exit 1
}

without=(-DBUILD_TESTING=OFF -DTRACEBRIDGE_ARCHIVE=OFF -DTRACEBRIDGE_ISAL=OFF)
hidden=(-DCMAKE_DISABLE_FIND_PACKAGE_cmocka=ON -DNODE=NODE-NOTFOUND)
{
  cmake -S "$root" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
    -DCMAKE_C_COMPILER="$1" \
    "${without[@]}" "${hidden[@]}"
  cmake --build "$work/build"
  cmake --install "$work/build" --prefix "$work/prefix"
} >"$work/log" 2>&1 || { tail -n 40 "$work/log"; fail "the build failed"; }

[[ ! -e $work/build/tests ]] || fail "tests were built"
program=$work/prefix/bin/tracebridge
for file in "$program" "$(find "$work/prefix" -name 'libtracebridge.so.0')"; do
  readelf -d "$file" >"$work/needed"
  grep -q 'NEEDED.*libz\.' "$work/needed" || fail "$file does not name what it needs"
  ! grep -q 'NEEDED.*libarchive' "$work/needed" || fail "$file needs libarchive"
done
! grep -rq -e '-larchive' "$work/prefix" --include=*.pc || fail "the pkg-config file names libarchive"

trace=$root/tests/data/real/clang-time-trace.json
"$program" convert "$trace" -o "$work/out.perfetto-trace" 2>"$work/said" || fail "convert: $(cat "$work/said")"
tar -C "${trace%/*}" -cf "$work/traces.tar" "${trace##*/}"
status=0
"$program" merge "$work/traces.tar" -o "$work/merged.perfetto-trace" 2>"$work/said" || status=$?
[[ $status == 1 ]] || fail "merge of an archive: exit status $status: $(cat "$work/said")"
grep -q "without libarchive; unpack it first" "$work/said" || fail "merge said: $(cat "$work/said")"
echo "built without libarchive and without tests: reads, and refuses archives"

{
  cmake -S "$root" -B "$work/build" -U 'TRACEBRIDGE_*_LIBRARY' -DTRACEBRIDGE_PORTABLE=ON
  cmake --build "$work/build" --target tracebridge
} >"$work/log" 2>&1 || { tail -n 40 "$work/log"; fail "the build of the portable program failed"; }
needed=$(readelf -d "$work/build/tracebridge" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
others=$(grep -vE '^(libc|libm)\.so' <<<"$needed") || true
[[ -z $others ]] || fail "the portable program needs $others"
"$work/build/tracebridge" convert -q "$trace" -o "$work/portable.perfetto-trace"
cmp "$work/out.perfetto-trace" "$work/portable.perfetto-trace"
echo "portable: needs libc alone"
