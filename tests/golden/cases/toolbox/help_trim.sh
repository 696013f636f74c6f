# Help of one command.
tracebridge help trim
