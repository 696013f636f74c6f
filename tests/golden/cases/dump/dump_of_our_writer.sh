# Our writer puts fields in an order of its own: protoc sorts them, and all of them are there.
protos=$DATA/../../protos
for trace in async_nestable counters flows args objects; do
  tracebridge convert -q "$DATA/phases/$trace.json" -o out.perfetto-trace
  protoc -I"$protos" --encode=perfetto.protos.Trace "$protos"/perfetto/*.proto < \
    <(tracebridge dump out.perfetto-trace) >again
  cmp <(tracebridge dump out.perfetto-trace | sort) <(tracebridge dump again | sort) && echo "$trace"
done
