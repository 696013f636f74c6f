# What tells two recordings in one file apart, each alone, and what does not. Behind the first recording comes a second
# one; verify says where it begins.
event() { # TIME [FIELDS]
  echo "packet { timestamp: $1 trusted_packet_sequence_id: 2 $2"
  echo '  track_event { type: TYPE_INSTANT track_uuid: 1 name: "e" } }'
}
snapshot() { # BOOTTIME MONOTONIC
  echo "packet { trusted_packet_sequence_id: 1 clock_snapshot { primary_trace_clock: 6"
  echo "  clocks { clock_id: 6 timestamp: $1 } clocks { clock_id: 3 timestamp: $2 } } }"
}
say() { echo "packet { trusted_packet_sequence_id: 1 $1 }"; }
look() { # NAME: of the text on standard input
  cat >"$1.txt"
  tracebridge convert -q "$1.txt" --from text -o "$1.pftrace"
  echo "$1: $(tracebridge info "$1.pftrace" | grep '^holds') $(tracebridge verify "$1.pftrace" | grep second_trace)"
}
day=86400000000000
mark() { # NAME FIRST SECOND: what the two say
  { echo "$2"; event $day; echo "$3"; event $((day + 5)); } | look "$1"
}
mark uuid "$(say 'trace_uuid { msb: 1 lsb: 2 }')" "$(say 'trace_uuid { msb: 3 lsb: 4 }')"
mark config "$(say 'trace_config { duration_ms: 1 }')" "$(say 'trace_config { duration_ms: 2 }')"
system=$(say 'system_info { tracing_service_version: "1" }')
mark system "$system" "$system"
mark started "$(say 'timestamp: 1 service_event { tracing_started: true }')" \
  "$(say 'timestamp: 2 service_event { tracing_started: true }')"
mark clocks "$(snapshot $day $day)" "$(snapshot 1000 900)"
{ event 1; event 2 "first_packet_on_sequence: true"; } | look sequence
echo "--- one mark of each, of one recording behind another"
whole() {
  say "trace_uuid { msb: $1 lsb: 2 }"; snapshot "$2" "$2"
  say 'trace_config { duration_ms: 1 }'; echo "$system"
  say "timestamp: $2 service_event { tracing_started: true }"
  event $(($2 + 1)) "first_packet_on_sequence: true sequence_flags: 1"
}
{ whole 1 $day; whole 2 2000; } | look two
{ whole 1 $day; whole 2 2000; whole 3 1000; } | look three
echo "--- one recording"
mark same_uuid "$(say 'trace_uuid { msb: 1 lsb: 2 }')" "$(say 'trace_uuid { msb: 1 lsb: 2 }')"
mark machines "$(say 'trace_config { duration_ms: 1 }')" "$(say 'machine_id: 5 trace_config { duration_ms: 1 }')"
mark flushed "$(say 'timestamp: 1 service_event { tracing_started: true }')" \
  "$(say 'timestamp: 2 service_event { all_data_sources_flushed: true }')"
mark seconds_back "$(snapshot $day $day)" "$(snapshot $((day - 5000000000)) $((day - 5000000000)))"
mark one_clock "$(snapshot $day $day)" "$(snapshot $((day + 5)) 900)"
{ event 1 "sequence_flags: 1"; event 2 "sequence_flags: 1 previous_packet_dropped: true"; } | look cleared
# The service's packets are behind the events of the other input here too: where they are shows nothing.
{ event 1; event 2; } | look nothing_said
{ snapshot 6 6; whole 1 7; } | look service
tracebridge merge -q nothing_said.pftrace service.pftrace -o merged.pftrace
echo "merged: $(tracebridge dump merged.pftrace | grep -oE "trace_uuid|trace_config|track_event" | tr "\n" " ")"
echo "merged: $(tracebridge info merged.pftrace | grep '^holds')" \
  "$(tracebridge verify merged.pftrace | grep second_trace)"
