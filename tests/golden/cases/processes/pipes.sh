# Standard input and output give the same bytes as files.
tracebridge convert -q "$DATA/phases/flows.json" -o flows.perfetto-trace
tracebridge convert -q - --to perfetto <"$DATA/phases/flows.json" | cmp - flows.perfetto-trace && echo same bytes
dd status=none if="$DATA/phases/flows.json" | tracebridge convert -q - --to perfetto -o - |
  cmp - flows.perfetto-trace && echo same bytes
