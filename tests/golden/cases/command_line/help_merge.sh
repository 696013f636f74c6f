# Help of merge.
tracebridge help merge
