# An input that is placed by the line of its wall clock has times on MONOTONIC by all readings of that, too: each is
# 0.9 us off, one way or the other, and the event 35 s after the start is where it was.
snapshot() { # BOOTTIME MONOTONIC REALTIME
  echo "packet { clock_snapshot { primary_trace_clock: 6
    clocks { clock_id: 6 timestamp: $1 } clocks { clock_id: 3 timestamp: $2 } clocks { clock_id: 1 timestamp: $3 } } }"
}
event() { # NAME CLOCK TIME
  echo "packet { trusted_packet_sequence_id: 1 timestamp: $3 timestamp_clock_id: $2
    track_event { type: TYPE_INSTANT track_uuid: 1 name: \"$1\" } }"
}
off=900
for i in 0 1 2 3 4 5 6 7; do
  t=$((i * 10000000000)) off=$((-off))
  snapshot $((500000000000 + t)) $((400000000000 + t)) $((1700000000000000000 + t)) >>a.textproto
  b=$((1000000000000 + t + t / 50000)) # 20 ppm fast
  snapshot $b $((b - 100000000000 + off)) $((1700000000000000000 + t)) >>b.textproto
done
event a 6 535000000000 >>a.textproto
event b 3 935000700000 >>b.textproto
tracebridge merge -q a.textproto b.textproto --machine a.textproto=A --machine b.textproto=B -o merged.json
grep '"[ab]"' merged.json
