# Frames are events to formats that have nothing else for them; packets where the target takes those.
protos=$DATA/../../protos
protoc -I"$protos" --encode=perfetto.protos.Trace perfetto/trace_packet.proto <"$DATA/perfetto/frames.textproto" \
  >frames.perfetto-trace
tracebridge convert -q frames.perfetto-trace -o again.perfetto-trace
tracebridge dump again.perfetto-trace | grep -c frame_timeline_event
tracebridge convert -q frames.perfetto-trace -o events.fxt
tracebridge dump --events events.fxt | grep -c 'async begin'
tracebridge convert -q --keep-packets frames.perfetto-trace -o packets.fxt
tracebridge dump --events packets.fxt | grep -c 'async begin'
tracebridge convert -q packets.fxt -o back.perfetto-trace
tracebridge dump back.perfetto-trace | grep -c frame_timeline_event
