#!/bin/bash
# Dependencies point one way: cli -> merge -> bridge -> protos; within bridge: formats -> timeline, event -> base. cli and the
# programs in tests/install and tests/fuzz see public headers alone. protobuf/wire.h is protobuf's plain wire format: it stands on
# base alone, and all may use it. So may all read and write values as JSON text (json/emitter.h, json/text.h,
# json/value.h).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
bad=0

# forbid WHERE PATTERN WHY: no file below WHERE includes what matches PATTERN.
forbid() {
  local hits
  [[ -e $1 ]] || return 0
  hits=$(grep -rnE "^ *# *include \"($2)" "$1" --include='*.c' --include='*.h' |
    grep -vE '"(perfetto/wire|json/json_(emit|text|value))\.h"')
  [[ -z $hits ]] && return 0
  echo "$3:"
  echo "$hits"
  bad=1
}

formats='json|fxt|perfetto'
forbid bridge 'merge/|cli/' "bridge must not know merge or cli"
forbid merge 'cli/' "merge must not know cli"
forbid bridge/base "event/|timeline/|($formats)/" "base stands on nothing"
forbid bridge/event "timeline/|($formats)/" "event stands on base alone"
forbid bridge/timeline "($formats)/" "timeline must not know the formats"
forbid bridge/json 'fxt/|perfetto/' "formats must not know each other"
forbid bridge/fxt 'json/' "formats must not know each other"
forbid bridge/perfetto 'json/|fxt/' "formats must not know each other"
forbid cli 'base/|event/|timeline/|merge/|protos/|\.\./' "cli sees public headers alone"
for format in json fxt perfetto; do forbid cli "$format/" "cli sees public headers alone"; done
for directory in bridge/include; do
  forbid "$directory" "base/|event/|timeline/|($formats)/" "public headers must not lead inside"
done
exit "$bad"
