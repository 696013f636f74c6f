# There and back: flow events and bind_ids that join nothing come back as they were, also next to an argument with the
# name of a carried field.
sed 's/"flow_in":true}/"flow_in":true,"args":{"trace_event":1}}/' "$DATA/flows/flows_unjoined.json" >flows.json
tracebridge convert -q flows.json -o there.perfetto-trace
tracebridge convert -q there.perfetto-trace -o back.json
cat back.json
