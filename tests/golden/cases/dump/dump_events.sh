# Events of a Perfetto trace, one a line.
# exit 4
protos=$DATA/../../protos
protoc -I"$protos" --encode=perfetto.protos.Trace "$protos"/perfetto/*.proto <"$DATA/text/small.textproto" \
  >small.perfetto-trace
tracebridge dump --events small.perfetto-trace
