#!/bin/bash
# columns.py fails on each kind of fault, planted in an empty tree one at a time.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git -C "$copy" init -q

expect() { # FILE FAULT, the text on stdin
  mkdir -p "$(dirname "$copy/$1")"
  cat >"$copy/$1"
  if tests/lint/columns.py "$copy" >"$copy/said.txt"; then
    echo "not found: $2"
    exit 1
  fi
  grep -qF "$1:$2" "$copy/said.txt"
  rm "$copy/$1"
}

tests/lint/columns.py "$copy"
printf '/* %0118d */\n' 0 | expect bridge/long.c "1: 124 columns"
printf '# %0120d\n' 0 | expect cli/CMakeLists.txt "1: 122 columns"
printf '# %0120d\n' 0 | expect tests/long.py "1: 122 columns"
printf '# %0120d\n' 0 | expect tests/long.sh "1: 122 columns"
printf '// %0119d\n' 0 | expect tests/long.mjs "1: 122 columns"
printf '// {"ph":"X","dur":%0119d}\n' 0 | expect tests/data.mjs "1: 139 columns"
printf '\140\140\140\n%%0130d\n\140\140\140\n| %0130d |\nprose %0119d\n' 0 0 | expect docs/long.md "5: 125 columns"
mkdir -p "$copy/tests"
printf 'echo '\''{"ph":"X","dur":%0119d}'\''\n' 0 >"$copy/tests/data.sh" # a line of a trace is data
tests/lint/columns.py "$copy"
printf 'struct a {\n  const struct tb_map\n      *names; /* of all */\n};\n' |
  expect cli/a.h "2: a declaration is broken"
printf 'struct a {\n  size_t\n      count; /* of all */\n};\n' | expect cli/a.h "2: a declaration is broken"
