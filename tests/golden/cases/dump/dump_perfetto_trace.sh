# Packets of a Perfetto trace as text; encoded again they are the same bytes.
protos=$DATA/../../protos
protoc -I"$protos" --encode=perfetto.protos.Trace "$protos"/perfetto/*.proto <"$DATA/text/small.textproto" \
  >small.perfetto-trace
tracebridge dump small.perfetto-trace >packets
cat packets
protoc -I"$protos" --encode=perfetto.protos.Trace "$protos"/perfetto/*.proto <packets | cmp - small.perfetto-trace
