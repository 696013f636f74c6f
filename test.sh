#!/bin/bash
# The second command: builds and runs the tests (the stage release). ./test.sh all runs every stage, as the continuous
# integration does; ./test.sh STAGE... only those:
#   release   gcc, optimised: unit, golden, conformance with Perfetto's trace processor. In build-quick/ not across
#             files, which would take minutes more to build. As part of all in build/, as users get the program: also
#             what takes long, the fuzz corpus, an installed copy, and the tests of the tests; warnings are errors then
#   asan      by the other compiler, clang, under its address and undefined-behaviour sanitizers, warnings are errors:
#             the tests that these can change
#   fuzz      each fuzz target, of that build, for FUZZ_SECONDS (4)
#   lint      clang-format, clang-tidy, cppcheck, shellcheck, direction of dependencies
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=third_party/debian.sh
source third_party/debian.sh
jobs=${JOBS:-$(nproc)}
stages=("${@:-release}")
release=(quick -DTRACEBRIDGE_TESTS=usual)
if [[ ${stages[*]} == all ]]; then
  stages=(release asan fuzz lint)
  release=(release -DTRACEBRIDGE_TESTS=all -DTRACEBRIDGE_WERROR=ON)
  export TRACEBRIDGE_FULL=1 # a test that lacks what it needs (a browser) fails and is not skipped
fi
for stage in "${stages[@]}"; do
  case $stage in
    release | asan | fuzz | lint) ;;
    *)
      echo "test.sh: no stage $stage: all, release, asan, fuzz, lint" >&2
      exit 2
      ;;
  esac
done

prepare() {
  local packages=("${build_packages[@]}" "${test_packages[@]}")
  [[ ${stages[*]} == release ]] || packages+=("${lint_packages[@]}")
  [[ -z ${TRACEBRIDGE_FULL:-} ]] || packages+=("${browser_packages[@]}" "${shell_packages[@]}" "${package_packages[@]}"
    "${python_packages[@]}")
  install_packages "${packages[@]}"
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then install_packages nodejs npm; fi
  tests/conformance/fetch.sh >/dev/null
  # tests start it a thousand times: not by a script that looks for it first, as version managers have
  PATH=$(dirname "$(python3 -c 'import sys; print(sys.executable)')"):$PATH
}

build_and_test() { # PRESET [OPTION...]
  local build=build-$1
  [[ $1 != release ]] || build=build
  cmake --preset "$@" >/dev/null
  cmake --build "$build" -j "$jobs" || return 1
  ctest --test-dir "$build" -j "$jobs" --output-on-failure >"$build/ctest.log" || {
    grep -vE '^ *[0-9]+/[0-9]+ .*Passed|^ *Start ' "$build/ctest.log"
    return 1
  }
  tail -n 3 "$build/ctest.log"
}

run_stage() {
  case $1 in
    release) build_and_test "${release[@]}" ;;
    asan) build_and_test asan ;;
    fuzz) tests/fuzz/run.sh "${FUZZ_SECONDS:-4}" ;;
    lint) tests/lint/run.sh ;;
  esac
}

prepare
failed=()
for stage in "${stages[@]}"; do
  echo "== $stage"
  SECONDS=0
  run_stage "$stage" || failed+=("$stage")
  echo "== $stage: ${SECONDS} s"
done
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "FAILED: ${failed[*]}"
  exit 1
fi
echo "All stages passed: ${stages[*]}"
