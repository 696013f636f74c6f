#!/bin/bash
# layout.py fails on each kind of fault, planted in a copy of the tree one at a time.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
said=$(mktemp)
trap 'rm -rf "$copy" "$said"' EXIT
git ls-files -z | xargs -0 cp --parents -t "$copy"
git -C "$copy" init -q
tests/lint/layout.py "$copy"

fails() { # SAYING: the check fails on the copy, and says so
  if tests/lint/layout.py "$copy" >"$said"; then
    echo "not found: $1"
    exit 1
  fi
  grep -qF "$1" "$said"
}
plant() { # FILE LINE SAYING: the line is added to the file, which may be new
  local kept=
  [[ -e $copy/$1 ]] && kept=$(cat "$copy/$1")
  mkdir -p "$copy/$(dirname "$1")"
  echo "$2" >>"$copy/$1"
  fails "$3"
  if [[ $kept ]]; then echo "$kept" >"$copy/$1"; else rm "$copy/$1"; fi
}
plant NOTES.md text 'NOTES.md is not of the top level'
plant tools/x.py text 'tools is not of the top level'
plant docs/history/moves.tsv $'bridge/old.c\tbridge/new.c' 'bridge/old.c became bridge/new.c, which is not there'
plant bridge/fxt/other/x.c 'int x;' 'bridge/fxt/other has no README.md'
plant tests/other/x.sh 'true' 'tests/other has no README.md'
plant bridge/perfetto/writer/counters.c '#include "protos/perfetto/track_event.pb-c.h"' \
  'writer/counters.c uses protobuf-c'
plant bridge/fxt/reader/reader.h 'void f(ProtobufCMessage *m);' 'fxt/reader/reader.h uses protobuf-c'
plant bridge/perfetto/writer/sequence.c '#include "protos/perfetto/track_event.pb.h"' 'writer/sequence.c uses nanopb'
for i in $(seq 41); do echo "int x$i;" >"$copy/bridge/json/x$i.c"; done
fails 'bridge/json has'
rm "$copy"/bridge/json/x*.c
sed -i '/pb-c/d; s/ProtobufC/Other/; s/perfetto__protos__/other_/' "$copy/bridge/perfetto/reader/sched.c"
fails 'bridge/perfetto/reader/sched.c no longer uses protobuf-c'
