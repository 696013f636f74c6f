# What the ids of packets stand for; the comments do not keep protoc from encoding the text.
protos=$DATA/../../protos
protoc -I"$protos" --encode=perfetto.protos.Trace "$protos"/perfetto/*.proto <"$DATA/text/small.textproto" \
  >small.perfetto-trace
tracebridge dump --resolve - <small.perfetto-trace >packets
cat packets
protoc -I"$protos" --encode=perfetto.protos.Trace "$protos"/perfetto/*.proto <packets | cmp - small.perfetto-trace
