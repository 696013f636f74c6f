# Help goes to standard output.
tracebridge help
