#!/bin/bash
# note_codes.py fails on a note or finding that its page lacks, has of another level, twice or has alone, each planted
# in a copy.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp --parents bridge/include/tracebridge/{merge,verify}.h docs/merging/reference.md docs/VERIFY.md "$copy"
tests/lint/note_codes.py "$copy"

plant() { # SED-SCRIPT FILE MESSAGE
  cp "$copy/$2" "$copy/kept"
  sed -i "$1" "$copy/$2"
  if tests/lint/note_codes.py "$copy" >"$copy/said"; then
    echo "not found: $3"
    exit 1
  fi
  grep -qF "$3" "$copy/said"
  mv "$copy/kept" "$copy/$2"
}
plant '/^| .clock_step./d' docs/merging/reference.md 'no row clock_step, warning'
plant '/^| .suspend./s/info/warning/' docs/merging/reference.md 'no row suspend, info'
plant '/^| .suspend./p' docs/merging/reference.md 'has suspend twice'
plant '/X(SUSPEND, /d' bridge/include/tracebridge/merge.h 'has a row suspend, info, which'
plant '/^| .overlap./d' docs/VERIFY.md 'no row overlap, error'
plant '/X(OVERLAP, /d' bridge/include/tracebridge/verify.h 'has a row overlap, error, which'
plant 's/X(SUSPEND, INFO/X(SUSPEND, WARNING/' bridge/include/tracebridge/merge.h 'no row suspend, warning'
