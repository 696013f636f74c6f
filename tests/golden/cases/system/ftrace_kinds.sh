# Ftrace events of kinds that the schema has no struct for are lines of text with their names, or with numbers where
# nothing describes them: JSON loses nothing, and the way back has them as generic events.
protoc -I"$GOLDEN" --encode=published.Trace published.proto >in.perfetto-trace <<'TRACE'
packet {
  trusted_packet_sequence_id: 1
  ftrace_events {
    cpu: 1
    event { timestamp: 1000 pid: 10 common_flags: 1 kfree_skb { location: 18446744073709551615 protocol: 2048 } }
    event { timestamp: 2000 pid: 10 sys_enter { id: 64 args: 1 args: 0 } }
    event { timestamp: 3000 pid: 10 i2c_write { adapter_nr: -1 len: 2 buf: "\000\377" } }
    event { timestamp: 4000 pid: 10 kprobe_event { name: "f\nu" type: 1 } }
    event { timestamp: 5000 pid: 10 later { number: 7 text: "two words" blob: "\001\377" } }
    event { timestamp: 6000 pid: 10 }
  }
}
TRACE
tracebridge convert --report report.json -q in.perfetto-trace -o out.json
echo "exit $?"
cat out.json
grep '"losses"' report.json
tracebridge convert -q out.json -o back.perfetto-trace
tracebridge dump back.perfetto-trace | grep -A9 ' generic'
