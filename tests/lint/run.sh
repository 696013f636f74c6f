#!/bin/bash
# Style and static analysis. LINT_TIDY=0 leaves out clang-tidy, the slow one; LINT_TIDY=deep lets its analyzer follow
# three times as many states of a function, in twice the time.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
jobs=${JOBS:-$(nproc)}
bad=0
complain() {
  echo "lint: $*"
  bad=1
}

mapfile -t sources < <(git ls-files '*.c' '*.h' '*.cpp')
mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
clang-format --dry-run -Werror "${sources[@]}" || complain "clang-format: run clang-format -i on the files above"
printf '%s\n' "${scripts[@]}" | xargs -P "$jobs" -n 40 shellcheck -x -s bash || complain "shellcheck"

# Checks of our own, and what each complains of; X_test.sh plants what X is to find. Several run at a time.
own_checks() {
  cat <<'CHECKS'
tests/lint/printing.sh	a name may reach a terminal as it is
tests/lint/dependencies.py	a dependency points the wrong way
tests/lint/source_lists.py	a list of files does not name its folder's files
tests/lint/source_lists_test.sh	source_lists.py does not find what it is to find
tests/lint/columns.py	a line past 120 columns, or a declaration that its comment breaks
tests/lint/columns_test.sh	columns.py does not find what it is to find
tests/lint/dependencies_test.sh	dependencies.py does not find what it is to find
tests/lint/words.py	a word that docs/GLOSSARY.md replaces
tests/lint/words_test.sh	words.py does not find what it is to find
tests/lint/unique_names.py	a name is defined twice
tests/lint/unique_names_test.sh	unique_names.py does not find what it is to find
tests/lint/format_names.py	a file asks which format another is of
tests/lint/format_names_test.sh	format_names.py does not find what it is to find
tests/lint/layout.py	a file, folder or library is out of its place
tests/lint/layout_test.sh	layout.py does not find what it is to find
tests/lint/one_of_each.py	an idea has a second place
tests/lint/one_of_each_test.sh	one_of_each.py does not find what it is to find
tests/lint/loss_codes.py	a loss has no code, or a page does not list the codes
tests/lint/loss_codes_test.sh	loss_codes.py does not find what it is to find
tests/lint/note_codes.py	a page does not list the notes of a merge, or the findings of verify
tests/lint/note_codes_test.sh	note_codes.py does not find what it is to find
CHECKS
}
# shellcheck disable=SC2317 # xargs calls it
own_check() { # LINE
  local check=${1%%$'\t'*} said
  said=$("$check" 2>&1) && return
  printf '%s\nlint: %s: %s\n' "$said" "$check" "${1#*$'\t'}"
  return 1
}
export -f own_check
# shellcheck disable=SC2016 # the inner shell expands it
own_checks | xargs -P "$jobs" -d '\n' -n 1 bash -c 'own_check "$0"' || bad=1

{ cmake --preset release -DTRACEBRIDGE_BENCH=ON && cmake --build build --target tracebridge_generate; } >/dev/null ||
  complain "cmake"
cppcheck --project=build/compile_commands.json -ibuild --suppressions-list=tests/lint/cppcheck.txt --inline-suppr \
  --enable=warning,performance,portability --std=c11 --error-exitcode=1 --quiet -j "$jobs" \
  --cppcheck-build-dir="$(mkdir -p build/cppcheck && echo build/cppcheck)" || complain "cppcheck"

if [[ ${LINT_TIDY:-1} != 0 ]]; then
  mkdir -p build/tidy # clang-tidy does not know every option of gcc's, which is an error where warnings are
  sed -E 's/ -(mmemset-strategy=[^ ]*|Werror)//g' build/compile_commands.json >build/tidy/compile_commands.json
  depth=(--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=75000)
  [[ ${LINT_TIDY:-1} != deep ]] || depth=()
  git ls-files 'bridge/*.c' 'merge/*.c' 'toolbox/*.c' 'cli/*.c' |
    xargs -P "$jobs" -n 4 clang-tidy -p build/tidy --quiet --warnings-as-errors='*' "${depth[@]}" 2>/dev/null ||
    complain "clang-tidy"
fi
[[ $bad == 0 ]] && echo "lint: clean (${#sources[@]} sources, ${#scripts[@]} scripts)"
exit "$bad"
