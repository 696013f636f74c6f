#!/bin/bash
# fxt_dump.sh TRACEBRIDGE FXT_FROM_TEXT ARCHIVE...: what dump prints of an archive says all of it, for the archive can
# be made of it anew, byte for byte.
set -u
program=$1 maker=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for archive in "$@"; do
  "$program" dump "$archive" >"$work/text" && "$maker" "$work/text" "$work/again" && cmp "$archive" "$work/again" ||
    bad=1
done
exit $bad
