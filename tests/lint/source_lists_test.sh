#!/bin/bash
# source_lists.py fails on each kind of fault, planted in a copy of the tree one at a time.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z bridge merge toolbox cli tests/unit | xargs -0 cp --parents -t "$copy"
tests/lint/source_lists.py "$copy"

list=$copy/bridge/json/CMakeLists.txt
expect() { # FAULT: source_lists.py names it; the copy is as before afterwards
  if tests/lint/source_lists.py "$copy" >"$copy/said"; then
    echo "not found: $1"
    exit 1
  fi
  grep -qF "$1" "$copy/said"
  cp bridge/json/CMakeLists.txt "$list"
}

touch "$copy/bridge/json/unlisted.c"
expect "unlisted.c is named 0 times"
rm "$copy/bridge/json/unlisted.c"
sed -i 's/tokenizer\.c/& gone.c/' "$list"
expect "gone.c is not there"
sed -i 's/tokenizer\.c/& tokenizer.c/' "$list"
expect "tokenizer.c is named 2 times"
sed -i 's/emitter\.c/value.c/; t; s/value\.c/emitter.c/' "$list"
expect "are not in alphabetical order"
mkdir "$copy/merge/new"
touch "$copy/merge/new/unlisted.c"
expect "merge/new/CMakeLists.txt: unlisted.c is named 0 times"
rm -r "$copy/merge/new"
touch "$copy/tests/unit/json/test_unlisted.c"
expect "test_unlisted.c is named 0 times"
