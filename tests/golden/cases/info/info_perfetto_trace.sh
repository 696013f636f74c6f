# What info says of a Perfetto trace. A snapshot that is derived for other readers is none of its own.
# exit 4
tracebridge convert -q "$DATA/producers/devtools_profiles.json" -o profiles.pftrace
tracebridge info profiles.pftrace | grep -A 1 clocks
protos=$DATA/../../protos
protoc -I"$protos" --encode=perfetto.protos.Trace "$protos"/perfetto/*.proto <"$DATA/text/small.textproto" \
  >small.perfetto-trace
tracebridge info small.perfetto-trace
