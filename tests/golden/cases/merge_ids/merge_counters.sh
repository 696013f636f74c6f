# Counters of one name that count in two ways are two: one has values as they are, the other differences; or two units.
counter() { # counter FILE MICROSECONDS VALUE...: 900 and more take less room as differences, 100 and more do not
  local file=$1 ts=$2
  shift 2
  echo '[{"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "server"}}' >"$file"
  for value; do
    echo ",{\"ph\": \"C\", \"name\": \"mem\", \"pid\": 7, \"ts\": $ts, \"args\": {\"used\": $value}}" >>"$file"
    ts=$((ts + 10))
  done
  echo "]" >>"$file"
}
values() { tracebridge convert -q "$1" -o - --to json | grep '"ph":"C"'; }
counter a.json 1000 100 101 102
counter b.json 1001 900 901 902
echo "values and differences"
tracebridge merge -q a.json b.json --offset b.json=0 -o both.pftrace
values both.pftrace
counter c.json 1002 1000 1001 1002
echo "differences and differences"
tracebridge merge -q b.json c.json --offset c.json=0 -o both.pftrace
values both.pftrace
unit() { # unit FILE TIME SAYS
  local id="trusted_packet_sequence_id: 1"
  cat >"$1" <<EOF
packet { $id track_descriptor { uuid: 3 process { pid: 7 process_name: "app" } } }
packet { $id track_descriptor { uuid: 9 name: "mem" parent_uuid: 3 counter { $3 } } }
packet { $id timestamp: $2 track_event { type: TYPE_COUNTER track_uuid: 9 counter_value: 5 } }
EOF
}
unit bytes.textproto 1000 'unit: UNIT_SIZE_BYTES'
unit thousands.textproto 2000 'unit: UNIT_SIZE_BYTES unit_multiplier: 1000'
unit again.textproto 3000 'unit_multiplier: 1 unit: UNIT_SIZE_BYTES is_incremental: false'
echo "units"
tracebridge merge -q bytes.textproto thousands.textproto again.textproto --offset thousands.textproto=0 \
  --offset again.textproto=0 -o both.pftrace
values both.pftrace
tracebridge verify both.pftrace
tracebridge info both.pftrace | grep -i counter
