#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# night.sh TRACEBRIDGE [CASES]: random traces of fresh seeds, a thousand cases of JSON at a time (and as many of the
# other kinds as go with these), until there were CASES (10000). Prints what run.mjs prints; the exit status is 1 where
# any case failed.
program=${1:?usage: night.sh TRACEBRIDGE [CASES]} cases=${2:-10000} failed=0
here=$(dirname "$0")
while [ "$cases" -gt 0 ]; do
  round=$((cases < 1000 ? cases : 1000))
  node "$here/run.mjs" "$program" --cases "$round" || failed=1
  cases=$((cases - round))
  echo "$(date -u +%H:%M:%S) $cases to go"
done
exit $failed
