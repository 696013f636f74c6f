#!/bin/bash
# dependencies.py fails on each kind of fault, planted in a copy of the tree one at a time.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z bridge merge toolbox cli | xargs -0 cp --parents -t "$copy"
git -C "$copy" init -q
tests/lint/dependencies.py "$copy"

plant() { # FILE HEADER: the file includes it
  cp "$copy/$1" "$copy/kept"
  echo "#include \"$2\"" >>"$copy/$1"
  if tests/lint/dependencies.py "$copy" >"$copy/said"; then
    echo "not found: $1 includes $2"
    exit 1
  fi
  grep -qF "$1 includes $2: " "$copy/said"
  mv "$copy/kept" "$copy/$1"
}
plant bridge/base/map.c io/input.h                               # a folder above
plant bridge/include/tracebridge/base.h base/map.h               # a public header leads inside
plant cli/main.c base/map.h                                      # cli looks inside
plant cli/completions/zsh.c print.h                              # a folder of cli that sees more than the options
plant bridge/convert/pump.c merge/merger.h                       # the bridge knows the merger
plant bridge/fxt/reader/reader.c fxt/writer/writer.h             # a reader knows its writer
plant bridge/perfetto/writer/writer.c perfetto/reader/reader.h   # a writer its reader
plant bridge/perfetto/reader/reader.c perfetto/writer/encode/padding.h # a reader a part of its writer
plant bridge/perfetto/writer/encode/padding.c perfetto/writer/writer.h # a part of a writer its hub
plant bridge/perfetto/reader/reader.c chrome_json/reader/reader.h # a format another
plant bridge/base/map.c elsewhere/header.h                       # a folder that the order does not know
# an entry of the list that nothing needs
sed 's|^KNOWN = .*|KNOWN = {("bridge/base/map.c", "io/input.h")}|' tests/lint/dependencies.py >"$copy/dependencies.py"
python3 "$copy/dependencies.py" "$copy" >"$copy/said" && exit 1
grep -qF "bridge/base/map.c no longer includes io/input.h" "$copy/said"
