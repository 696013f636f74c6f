# Help of repair.
tracebridge help repair
