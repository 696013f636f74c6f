# What info says of a JSON trace, from a file and from a pipe.
tracebridge info "$DATA/phases/be_pairs.json"
tracebridge info - <"$DATA/phases/counters.json"
