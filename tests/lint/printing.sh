#!/bin/bash
# Names that others chose reach no terminal as they are: the program prints by cli/print.h, which escapes what arguments
# give. So no source of the program but cli/print.c, and cli/help.c and cli/completions, which show constant tables, has
# stdio print anything but a literal, or prints a format that is none; and the library prints nothing. A directory may
# be named to look at instead of the tree. tests/names/run.py looks at what comes out.
set -uo pipefail
cd "${1:-$(dirname "$0")/../..}" || exit 1
bad=0

# complain WHY FILES: prints what is on standard input, if anything.
complain() {
  local hits
  hits=$(cat)
  [[ -z $hits ]] && return 0
  echo "$1:"
  echo "$hits"
  bad=1
}

# calls NAMES BEHIND FILE...: where one of these functions is called with what BEHIND matches after its bracket.
calls() {
  local names=$1 behind=$2
  shift 2
  grep -nHE "(^|[^A-Za-z0-9_])($names)[[:space:]]*\([[:space:]]*$behind" "$@" | grep -vE ':[[:space:]]*(/?\*|//)'
}

formatted='v?f?printf|v?dprintf|f?write|perror|psignal|errx?|warnx?'
plain='f?puts(_unlocked)?|f?putc(_unlocked)?|putchar(_unlocked)?'
shopt -s globstar nullglob
program=()
for file in cli/**/*.[ch]; do
  [[ $file == cli/print.c || $file == cli/help.c || $file == cli/completions/* ]] || program+=("$file")
done
library=(bridge/**/*.[ch] merge/**/*.[ch])

complain "print by cli_print (cli/print.h), which escapes names" < <(
  calls "$formatted" '' "${program[@]}"
  calls "$plain" "(\$|[^\"' \t])" "${program[@]}"
  calls 'cli_print' '[a-z_]+, *[^" ]' "${program[@]}" # a name is no format
)
complain "the library prints nothing" < <(
  calls "v?f?printf|v?dprintf|perror|$plain" '' "${library[@]}"
)
exit "$bad"
