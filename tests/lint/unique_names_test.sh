#!/bin/bash
# unique_names.py fails on each kind of name that is defined twice, planted in a copy of the tree one at a time.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z bridge merge toolbox cli | xargs -0 cp --parents -t "$copy"
git -C "$copy" init -q
tests/lint/unique_names.py "$copy"

plant() { # FILE TEXT NAME: the file has the text, which defines the name a second time
  cp "$copy/$1" "$copy/kept"
  printf '%s\n' "$2" >>"$copy/$1"
  if tests/lint/unique_names.py "$copy" >"$copy/said"; then
    echo "not found: $3 in $1"
    exit 1
  fi
  grep -qF "$3 is defined 2 times: " "$copy/said"
  mv "$copy/kept" "$copy/$1"
}
spare() { # FILE TEXT: nothing is wrong with the text in the file
  cp "$copy/$1" "$copy/kept"
  printf '%s\n' "$2" >>"$copy/$1"
  tests/lint/unique_names.py "$copy"
  mv "$copy/kept" "$copy/$1"
}
plant merge/merge.c 'struct tb_map { int i; };' 'struct tb_map'
plant cli/main.c 'enum tb_tokenizer_status { HERE };' 'enum tb_tokenizer_status'
plant bridge/io/path.c $'struct tb_str tb_arena_copy(struct tb_arena *arena,\n    struct tb_str text) {\n}' \
  'tb_arena_copy()'
plant bridge/base/map.c $'size_t\ntb_json_length(void)\n{ return 0; }\nsize_t tb_json_length(void) { return 1; }' \
  'tb_json_length()'
plant bridge/perfetto/writer/encode/padding.c $'TB_API int tb_status_text(int a, int (*b)(void)) {' 'tb_status_text()'
plant bridge/io/inflate_isal.c 'struct tb_map { int i; };' 'struct tb_map' # spared for other names
spare merge/merge.c $'static int tb_arena_copy(void) {\n  return 0;\n}'
spare merge/merge.c $'/* struct tb_map { */\nint tb_arena_copy(void);\nstruct tb_map;'
