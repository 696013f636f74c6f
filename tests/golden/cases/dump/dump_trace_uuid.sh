# The halves of a trace's UUID have the names that Perfetto gives their numbers: the first is the most significant.
printf '\x0a\x07\xca\x05\x04\x08\x01\x10\x02' >t.perfetto-trace
tracebridge dump t.perfetto-trace
