#!/bin/bash
# loss_codes.py fails on a reason for a loss without a code, and on a code that the page lacks, has twice or has alone,
# each planted in a copy.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp --parents -r bridge merge toolbox docs/LIBRARY.md "$copy"
tests/lint/loss_codes.py "$copy"

plant() { # SED-SCRIPT FILE MESSAGE
  cp "$copy/$2" "$copy/kept"
  sed -i "$1" "$copy/$2"
  if tests/lint/loss_codes.py "$copy" >"$copy/said"; then
    echo "not found: $3"
    exit 1
  fi
  grep -qF "$3" "$copy/said"
  mv "$copy/kept" "$copy/$2"
}
plant 's/"an event of unknown type"/"an event of another mind"/' bridge/fxt/reader/events.c 'of another mind'
plant 's/LOSS_TIME\[\] = .*/LOSS_TIME[] = "an event of yesterday";/' bridge/perfetto/reader/track_event_importer.c \
  'an event of yesterday'
plant '/{"comes late"/d' bridge/base/losses.c 'order of an event that comes late'
plant '/^| .late. |/d' docs/LIBRARY.md 'does not list late'
plant '/^| .late. |/p' docs/LIBRARY.md 'does not list late'
plant '/^  X(LATE, /d' bridge/include/tracebridge/base.h 'lists late, which'
