# Perfetto's packets as text are an input: by their content, from a pipe, and with --from. They come back as they were.
cp "$(dirname "$HELPERS")/data/recorder.perfetto-trace" .
tracebridge dump recorder.perfetto-trace | tracebridge convert --from text - -o back.pftrace
tracebridge dump recorder.perfetto-trace | tracebridge convert -q -o detected.pftrace
cmp recorder.perfetto-trace back.pftrace && cmp back.pftrace detected.pftrace && echo same
tracebridge dump recorder.perfetto-trace -o recorder.txt
tracebridge info recorder.txt | head -3
tracebridge dump recorder.txt | cmp - recorder.txt && echo same text
tracebridge convert -q recorder.txt -o recorder.json && head -c 40 recorder.json && echo
tracebridge merge -q recorder.txt --unplaced start -o merged.pftrace; echo "merge: $?"
tracebridge convert recorder.txt -o same.pftrace.gz --report report.json -q
grep -A1 '"from"' report.json

echo "--- what is wrong is lost, and nothing else"
cat > wrong.txt <<'EOF'
# by hand
packet { timestamp: 1000 trusted_packet_sequence_id: 1 track_descriptor { uuid: 7 name: "by hand" } }
packet { timestamp: oops }
packet { timestamp: 1500 trusted_packet_sequence_id: 1
  track_event { type: TYPE_INSTANT track_uuid: 7
packet {
  timestamp: 2000
  trusted_packet_sequence_id: 1
  never_heard_of { a: 1 }
  track_event { type: TYPE_INSTANT track_uuid: 7 name: "hello" }
}
EOF
tracebridge convert wrong.txt -o wrong.pftrace; echo "convert: $?"
tracebridge dump wrong.pftrace
tracebridge dump -q wrong.txt | wc -l
tracebridge info wrong.txt | tail -3
tracebridge convert --strict wrong.txt -o strict.pftrace; echo "strict: $?"
echo 'packet { "' | tracebridge convert --from text -o none.pftrace; echo "nothing: $?"
ls

echo "--- what stands between packets takes no packet with it"
printf 'packet { timestamp: 1 },\npacket { timestamp: 2 }; packet { timestamp: 3 }\n}\n' > between.txt
printf 'adb: a line of a log!!\npacket { timestamp: 4 }\n' >> between.txt
tracebridge dump between.txt | grep -c timestamp

echo "--- text that has no packets, and a log that says packet"
echo 'a line of log' | tracebridge convert --from text -o none.pftrace; echo "no packets: $?"
echo 'packet: received 5 bytes' | tracebridge convert -o none.pftrace; echo "a log: $?"

echo "--- a packet first that only its bytes say, and text in an archive"
printf '\n\013\100\377\377\377\377\377\377\377\377\377\177\n\002\100\005' > wide.pftrace
tracebridge dump wide.pftrace > wide.txt
tracebridge convert -q wide.txt -o wide_back.pftrace && cmp wide.pftrace wide_back.pftrace && echo same
tar cf archive.tar recorder.txt
tracebridge convert -q archive.tar -o member.pftrace && cmp recorder.perfetto-trace member.pftrace && echo same

echo "--- text whose compression ends between two packets"
printf 'packet { timestamp: 1 }\n' | gzip | head -c -8 > cut.txt.gz
tracebridge convert -q cut.txt.gz -o cut.pftrace; echo "cut: $?"
tracebridge info cut.txt.gz | grep -c '^cut'

echo "--- a byte order mark, and a brace in the next line"
printf '\357\273\277packet\n{\n  timestamp: 1\n}\npacket\r\n{ timestamp: 2 }' > mark.txt
tracebridge convert -q mark.txt -o mark.pftrace && tracebridge dump mark.pftrace | grep -c timestamp

echo "--- offsets of what is lost are those of the text"
{
  echo '# a comment'
  echo 'packet { timestamp: 5 trusted_packet_sequence_id: 1 track_event { type: 1 track_uuid: 7 name_iid: 99 } }'
  echo 'packet { timestamp: 6 trusted_packet_sequence_id: 3 sequence_flags: 2 track_event { type: 1 track_uuid: 7 } }'
} > lost.txt
tracebridge convert -q lost.txt -o lost.json --report -
tracebridge info lost.txt | grep -A2 '^lost'
tail -c +118 lost.txt | head -c 8 && echo

echo "--- what goes on and on without a packet is one loss, and is not kept"
{
  echo 'packet { timestamp: 1 }'
  yes 'a line of a log' | head -n 20000
  echo 'packet { timestamp: 2 }'
} > log.txt
tracebridge convert -q log.txt -o log.pftrace --report -
tracebridge dump log.pftrace | grep -c timestamp
