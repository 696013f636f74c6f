# Clocks that run backwards: as few snapshots are left out as it takes, whichever sequence they are on and whatever the
# clock, and verify finds nothing behind it.
reads() { # SEQUENCE CLOCK NS [CLOCK NS…]
  echo "packet { trusted_packet_sequence_id: $1 clock_snapshot { primary_trace_clock: 6"
  shift
  while test $# -gt 0; do
    echo "clocks { clock_id: $1 timestamp: $2 }"
    shift 2
  done
  echo "} }"
}
instant() { # NS CLOCK
  echo "packet { trusted_packet_sequence_id: 2 sequence_flags: 2 timestamp: $1 timestamp_clock_id: $2"
  echo 'track_event { type: TYPE_INSTANT track_uuid: 5 name: "x" } }'
}
check() { # NAME, packets on standard input
  {
    reads 2 6 1000 3 1000
    echo 'packet { trusted_packet_sequence_id: 2 sequence_flags: 1'
    echo 'track_descriptor { uuid: 5 thread { pid: 1 tid: 2 } } }'
    cat
  } | tracebridge convert -q --from text - -o in.pftrace
  echo "--- $1: $(tracebridge verify in.pftrace | grep -c clock_backwards)"
  tracebridge repair in.pftrace -o out.pftrace 2>&1
  tracebridge verify out.pftrace
}
{ reads 2 6 9000 3 9000; reads 7 6 5000 3 5000; instant 13000 6; } | check "two sequences"
for clock in 9 64 128; do
  { reads 2 6 9000 $clock 9000; reads 2 6 12000 $clock 5000; instant 5500 $clock; } | check "clock $clock"
done
{ reads 2 6 9000 3 9000 3 9100; instant 13000 6; } | check "twice in one"
for wild in "6 9000000 3 9000000" "6 9000 3 9000000"; do
  {
    # shellcheck disable=SC2086 # four numbers
    reads 2 $wild
    for at in $(seq 10000 1000 19000); do reads 2 6 "$at" 3 "$at"; done
    instant 13000 6; instant 13500 3
  } | check "one is far ahead of all behind it"
done
{ reads 2 6 9000 3 9000; instant 9500 6; reads 2 6 500 3 500; instant 9600 6; } | check "one is behind, the last"
