# A report for people, on standard output too.
hide_size() { sed -E 's/(perfetto, )[^)]*/\1SIZE/; s/(format": "perfetto", "bytes": |peak_held_bytes": )[0-9]+/\1SIZE/'; }
sed 's/"id":9}/"id":9,"args":{"x":1}}/' "$DATA/phases/flows.json" >flows.json
tracebridge convert -q flows.json -o flows.perfetto-trace --report report.txt
hide_size <report.txt
tracebridge convert -q flows.json -o flows.perfetto-trace --report - | hide_size
