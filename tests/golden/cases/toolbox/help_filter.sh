# Help of filter.
tracebridge help filter
