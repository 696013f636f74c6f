# Two machines with equal process and thread ids become one whose ids differ; times are on the first one's clock.
# exit 4
protos=$DATA/../../protos
protoc -I"$protos" --encode=perfetto.protos.Trace perfetto/trace_packet.proto <"$DATA/perfetto/machines.textproto" \
  >machines.perfetto-trace
tracebridge convert -q machines.perfetto-trace -o machines.fxt
tracebridge dump --events machines.fxt | grep 4194315
tracebridge info machines.perfetto-trace | sed -n '/^time/,/^events/p'
tracebridge convert -q machines.perfetto-trace -o machines.json
status=$?
cat machines.json
exit "$status"
