# A report for people, on standard output too.
hide_size() { sed -E 's/(perfetto, )[^)]*/\1SIZE/; s/(format": "perfetto", "bytes": |peak_held_bytes": )[0-9]+/\1SIZE/'; }
tracebridge convert -q "$DATA/phases/flows.json" -o flows.perfetto-trace --report report.txt
hide_size <report.txt
tracebridge convert -q "$DATA/phases/flows.json" -o flows.perfetto-trace --report - | hide_size
