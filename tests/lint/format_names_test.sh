#!/bin/bash
# format_names.py fails on each kind of fault, planted in a copy of the tree one at a time.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z bridge merge toolbox cli | xargs -0 cp --parents -t "$copy"
git -C "$copy" init -q
tests/lint/format_names.py "$copy"

plant() { # FILE LINE SAID: the line is added to the file
  cp "$copy/$1" "$copy/kept"
  echo "$2" >>"$copy/$1"
  if tests/lint/format_names.py "$copy" >"$copy/said"; then
    echo "not found in $1: $2"
    exit 1
  fi
  grep -qF "$1 $3" "$copy/said"
  mv "$copy/kept" "$copy/$1"
}
plant bridge/convert/reader.c 'int x = TB_FORMAT_FXT;' 'names the format FXT'                  # a front end
plant bridge/perfetto/writer/counters.c 'int x = TB_FORMAT_FXT;' 'names the format FXT'        # a writer its source
plant bridge/inspect/info.c 'int x = TB_FORMAT_PERFETTO;' 'names the format PERFETTO'          # info
# merge another than its own
plant merge/merge.c 'int x = TB_FORMAT_JSON;' 'names the format JSON'
plant cli/main.c 'int x = TB_FORMAT_JSON;' 'names the format JSON'                             # a command
plant bridge/convert/convert.c 'void *x = &tb_fxt_writer_ops;' 'names the format FXT'          # by its ops
# which format the source has
plant bridge/fxt/writer/writer.c 'int x = w->options.source;' 'reads options.source'
# an entry of the list that nothing needs any more
sed -i 's/TB_FORMAT_PERFETTO/TB_FORMAT_UNKNOWN/' "$copy/merge/write/output.c"
! tests/lint/format_names.py "$copy" >/dev/null
