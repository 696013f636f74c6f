# What info says of a Perfetto trace.
# exit 4
protos=$DATA/../../protos
protoc -I"$protos" --encode=perfetto.protos.Trace "$protos"/perfetto/*.proto <"$DATA/text/small.textproto" \
  >small.perfetto-trace
tracebridge info small.perfetto-trace
