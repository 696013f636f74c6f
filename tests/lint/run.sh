#!/bin/bash
# Style and static analysis. LINT_TIDY=0 leaves out clang-tidy, the slow one.
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
shellcheck -x -s bash "${scripts[@]}" || complain "shellcheck"
tests/lint/printing.sh || complain "a name may reach a terminal as it is"
tests/lint/dependencies.py || complain "a dependency points the wrong way"
tests/lint/source_lists.py || complain "a list of files does not name its folder's files"
tests/lint/source_lists_test.sh || complain "source_lists.py does not find what it is to find"
tests/lint/columns.py || complain "a line past 120 columns, or a declaration that its comment breaks"
tests/lint/columns_test.sh || complain "columns.py does not find what it is to find"
tests/lint/dependencies_test.sh || complain "dependencies.py does not find what it is to find"
tests/lint/words.py || complain "a word that docs/GLOSSARY.md replaces"
tests/lint/words_test.sh || complain "words.py does not find what it is to find"
tests/lint/unique_names.py || complain "a name is defined twice"
tests/lint/unique_names_test.sh || complain "unique_names.py does not find what it is to find"
tests/lint/format_names.py || complain "a file asks which format another is of"
tests/lint/format_names_test.sh || complain "format_names.py does not find what it is to find"
tests/lint/layout.py || complain "a file, folder or library is out of its place"
tests/lint/layout_test.sh || complain "layout.py does not find what it is to find"
tests/lint/one_of_each.py || complain "an idea has a second place"
tests/lint/one_of_each_test.sh || complain "one_of_each.py does not find what it is to find"
tests/lint/note_codes.py || complain "docs/merging/reference.md does not list the notes of a merge"
tests/lint/note_codes_test.sh || complain "note_codes.py does not find what it is to find"

{ cmake --preset release -DTRACEBRIDGE_BENCH=ON && cmake --build build --target tracebridge_generate; } >/dev/null ||
  complain "cmake"
cppcheck --project=build/compile_commands.json -ibuild --suppressions-list=tests/lint/cppcheck.txt --inline-suppr \
  --enable=warning,performance,portability --std=c11 --error-exitcode=1 --quiet -j "$jobs" \
  --cppcheck-build-dir="$(mkdir -p build/cppcheck && echo build/cppcheck)" || complain "cppcheck"

if [[ ${LINT_TIDY:-1} != 0 ]]; then
  mkdir -p build/tidy # clang-tidy does not know every option of gcc's
  sed 's/ -mmemset-strategy=[^ ]*//' build/compile_commands.json >build/tidy/compile_commands.json
  git ls-files 'bridge/*.c' 'merge/*.c' 'cli/*.c' |
    xargs -P "$jobs" -n 4 clang-tidy -p build/tidy --quiet --warnings-as-errors='*' 2>/dev/null || complain "clang-tidy"
fi
[[ $bad == 0 ]] && echo "lint: clean (${#sources[@]} sources, ${#scripts[@]} scripts)"
exit "$bad"
