# Flow events that join slices come back as they were, and stay what they are where two traces are merged whose flows
# have the same ids.
tracebridge convert -q "$DATA/flows/flows_members.json" -o there.perfetto-trace
tracebridge convert -q there.perfetto-trace -o back.json
grep '"ph":"[stf]"' back.json
sed 's/"pid":1/"pid":2/' "$DATA/phases/flows.json" >second.json
for name in "$DATA/phases/flows.json" second.json; do
  tracebridge convert -q "$name" -o "$(basename "$name" .json).perfetto-trace"
done
tracebridge merge -q --unplaced=start flows.perfetto-trace second.perfetto-trace -o merged.perfetto-trace
tracebridge convert -q merged.perfetto-trace -o merged.json
grep -E '"ph":"[stf]"|bind_id' merged.json
