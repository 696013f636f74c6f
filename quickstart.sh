#!/bin/bash
# The first command: installs what the build needs and is missing (Debian), builds program and library into build/, and
# converts a real trace with the program. Tests are built by ./test.sh.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=third_party/debian.sh
source third_party/debian.sh

install_packages "${build_packages[@]}"
cmake --preset program >/dev/null
cmake --build build

trace=tests/data/real/clang-time-trace.json
echo
echo "\$ build/tracebridge convert $trace -o build/first.perfetto-trace"
build/tracebridge convert "$trace" -o build/first.perfetto-trace
cat <<'NEXT'

Look at it: open https://ui.perfetto.dev and drop build/first.perfetto-trace on the page (it stays in your browser),
or query it with Perfetto's trace processor:
  trace_processor_shell -Q 'select name, dur from slice order by dur desc limit 10' build/first.perfetto-trace
The program is build/tracebridge; build/tracebridge help says what it can. Next: ./test.sh builds and runs the tests.
NEXT
