# Packets that nobody reads further are instants with their fields, by name where these are known, and with what they
# refer to; without a time they are in otherData. So are entries of interned data that only they can refer to, in a
# packet of its own. Nothing is lost, so that the exit status is 0.
cat > in.txt <<'END'
packet { timestamp: 1000 smaps_packet: "\010\007\022\005\012\003abc" }
packet { timestamp: 2000 trusted_packet_sequence_id: 3 sequence_flags: 1
  interned_data { event_names { iid: 5 name: "text" } } protolog_message: "\010\011\022\001\005" }
packet { timestamp: 3000 winscope_extensions: "\010\005" }
packet { shell_transition: "\010\017" }
END
tracebridge convert -q --from text in.txt -o out.json --report report.json
echo "exit $?"
cat out.json
grep '"losses"' report.json
# field 22 of InternedData, of sequence 3: entry 1 is "abc"; the same of event_names, which importers look up
printf '\012\020\120\003\150\001\142\012\262\001\007\010\001\022\003abc' >interned.pftrace
printf '\012\017\120\003\150\001\142\011\022\007\010\001\022\003abc' >>interned.pftrace
tracebridge convert -q interned.pftrace -o interned.json
cat interned.json
tracebridge convert -q out.json -o back.pftrace
tracebridge dump --events back.pftrace
