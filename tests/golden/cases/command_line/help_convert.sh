# Help for a command, by either way.
tracebridge help convert
tracebridge convert --help | cmp - <(tracebridge help convert) && echo same
