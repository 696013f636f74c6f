#!/bin/bash
# The second command: builds and runs every test. ./test.sh runs all stages; ./test.sh STAGE... only those; QUICK=1 ./test.sh
# only what a change needs most (release, lint).
#   release   gcc, as users get it: unit, golden, fuzz corpus, install, conformance with Perfetto's trace processor
#   clang     the same tests, built by the other compiler, warnings are errors
#   asan      the same tests under the address and undefined-behaviour sanitizers, warnings are errors
#   fuzz      each fuzz target for FUZZ_SECONDS (4)
#   lint      clang-format, clang-tidy, cppcheck, shellcheck, direction of dependencies
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=third_party/debian.sh
source third_party/debian.sh
jobs=${JOBS:-$(nproc)}
stages=("$@")
if [[ ${#stages[@]} -eq 0 ]]; then
  stages=(release clang asan fuzz lint)
  [[ -z ${QUICK:-} ]] || stages=(release lint)
fi

prepare() {
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then install_packages nodejs npm; fi
  tests/conformance/fetch.sh >/dev/null
}

build_and_test() { # PRESET
  local build=build-$1
  [[ $1 != release ]] || build=build
  cmake --preset "$1" >/dev/null
  cmake --build "$build" -j "$jobs" || return 1
  ctest --test-dir "$build" -j "$jobs" --output-on-failure >"$build/ctest.log" || {
    grep -vE '^ *[0-9]+/[0-9]+ .*Passed|^ *Start ' "$build/ctest.log"
    return 1
  }
  tail -n 3 "$build/ctest.log"
}

run_stage() {
  case $1 in
    release | clang | asan) build_and_test "$1" ;;
    fuzz) tests/fuzz/run.sh "${FUZZ_SECONDS:-4}" ;;
    lint) tests/lint/run.sh ;;
    *)
      echo "no stage $1" >&2
      return 2
      ;;
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
