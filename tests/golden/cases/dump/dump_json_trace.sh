# Events of a JSON trace, one a line.
tracebridge dump "$DATA/phases/flows.json"
tracebridge dump - <"$DATA/phases/stacks.json"
