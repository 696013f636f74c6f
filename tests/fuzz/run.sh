#!/bin/bash
# run.sh [SECONDS] [TARGET...]: fuzzes each target (all by default) for SECONDS (20), with sanitizers, from the corpus
# and the traces of tests/data. What crashes is left in build-asan/findings and goes, made small with -minimize_crash=1,
# into tests/fuzz/corpus/<format>/.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:-20}
shift || true
cd "$root"
[[ -f build-asan/build.ninja ]] || cmake --preset asan >/dev/null
cmake --build build-asan --target fuzzers test_traces >/dev/null
targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
  for program in build-asan/tests/fuzz/fuzz_*; do
    [[ -x $program && -f $program ]] && targets+=("${program##*/fuzz_}")
  done
fi
findings=$root/build-asan/findings
mkdir -p "$findings"

# shellcheck disable=SC2317 # xargs calls it
fuzz() { # TARGET
  local target=$1 format suffix seeds failed=0 largest=65536 more=()
  case $target in
    read_json | json_*) format=json suffix=json ;;
    read_fxt | fxt_to_*) format=fxt suffix=fxt ;;
    ftrace_to_*) format=ftrace suffix=ftrace ;;
    calls) # short sequences, without what takes longer than they do
      format=calls suffix=calls largest=1024 more=(-entropic=0 -detect_leaks=0)
      ;;
    merge) format=merge suffix=fxt ;;
    *) format=perfetto suffix=perfetto-trace ;;
  esac
  seeds=$(mktemp -d)
  find "tests/fuzz/corpus/$format" tests/data build-asan/tests/data -maxdepth 2 -type f \( -path "*/corpus/*" -o \
    -name "*.$suffix" \) -size -64k \
    -exec cp --backup=numbered {} "$seeds" \; 2>/dev/null || true
  echo "fuzz $target: $seconds s"
  "build-asan/tests/fuzz/fuzz_$target" -seed=1 -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len="$largest" "${more[@]}" \
    -artifact_prefix="$findings/$target-" -print_final_stats=0 -verbosity=0 "$seeds" >"$findings/$target.log" 2>&1 ||
    failed=1
  rm -rf "$seeds"
  [[ $failed == 0 ]] && return
  # the sanitizer's report from its first line on: its end alone does not say where
  { grep -m1 -A24 'ERROR: \|runtime error: ' "$findings/$target.log" || true; tail -20 "$findings/$target.log"; } |
    cut -c1-400
  echo "fuzz $target: FAILED, see $findings"
  return 1
}
export -f fuzz
export seconds findings
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-$(nproc)}" -n 1 bash -c 'fuzz "$0"'
