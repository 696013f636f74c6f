# A report for people, on standard output too.
hide_size() { sed -E 's/(fxt, )[^)]*/\1SIZE/; s/(format": "fxt", "bytes": |peak_held_bytes": )[0-9]+/\1SIZE/'; }
sed 's/^\[/[{"ph":"C","pid":1,"ts":50,"name":"c","args":{"v":"none"}},\n/' "$DATA/phases/flows.json" >flows.json
tracebridge convert -q flows.json -o flows.fxt --report report.txt
hide_size <report.txt
tracebridge convert -q flows.json -o flows.fxt --report - | hide_size
