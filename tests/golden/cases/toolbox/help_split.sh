# Help of split.
tracebridge help split
