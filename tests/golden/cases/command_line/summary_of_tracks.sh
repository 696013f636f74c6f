# Every target's summary says how many processes, threads, counters and flows there are, whatever the source.
summary() { sed -n 's/^  tracks: */'"$1"': /p'; }
tracebridge convert "$DATA/phases/flows.json" -o a.fxt 2>&1 | summary "json to fxt"
tracebridge convert a.fxt -o a.perfetto-trace 2>&1 | summary "fxt to perfetto"
tracebridge convert a.perfetto-trace -o b.json 2>&1 | summary "perfetto to json"
tracebridge convert a.perfetto-trace -o b.fxt 2>&1 | summary "perfetto to fxt"
tracebridge convert "$DATA/phases/counters.json" -o c.json 2>&1 | summary "json to json"
