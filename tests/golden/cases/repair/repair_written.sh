# Traces of writers that say nothing of recordings, put one behind the other: those of our own writer, whose tracks are
# described before their sequences start and in part behind them, and those of Dart's, which name their clock first.
# Each part is byte for byte what it was; one that was merged, split or cut is one recording.
json() { # NAME PID: two threads and a counter
  echo '['
  for tid in 1 2; do
    for at in 10 20 30; do
      echo "{\"ph\":\"X\",\"name\":\"$1 $at\",\"pid\":$2,\"tid\":$tid,\"ts\":$at,\"dur\":5},"
    done
  done
  echo "{\"ph\":\"C\",\"name\":\"level\",\"pid\":$2,\"ts\":12,\"args\":{\"value\":3}}]"
}
json one 5 >one.json
json other 7 >two.json
for name in one two; do tracebridge convert -q $name.json -o $name.pftrace; done
check() { # FILE FILE
  cat "$1" "$2" >all.pftrace
  wc -c <"$1"
  tracebridge verify all.pftrace | grep second_trace
  rm -f whole*
  tracebridge repair -q all.pftrace -o whole.pftrace
  cmp "$1" whole.pftrace && cmp "$2" whole.2.pftrace && echo as they were
}
check one.pftrace two.pftrace
echo "--- three"
cat one.pftrace one.pftrace two.pftrace >all.pftrace
tracebridge verify all.pftrace | grep second_trace
echo "--- merged"
tracebridge merge -q --unplaced=start one.pftrace two.pftrace -o merged.pftrace
tracebridge verify merged.pftrace
check merged.pftrace one.pftrace
echo "--- split"
tracebridge split -q one.pftrace --by thread -o parts
tracebridge merge -q parts/* -o again.pftrace
tracebridge verify again.pftrace
echo "--- Dart"
dart() { # MONOTONIC
  echo "packet { clock_snapshot { clocks { clock_id: 3 timestamp: $1 } primary_trace_clock: 3 }"
  echo "trusted_packet_sequence_id: 1 }"
  echo "packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 5 thread { pid: 5 tid: 5 } } }"
  echo "packet { trusted_packet_sequence_id: 1 timestamp: $1 timestamp_clock_id: 3"
  echo 'track_event { type: TYPE_INSTANT track_uuid: 5 name: "a" } }'
}
dart 7000 | tracebridge convert -q --from text - -o one.pftrace
dart 8000 | tracebridge convert -q --from text - -o two.pftrace
check one.pftrace two.pftrace
