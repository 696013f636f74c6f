# Help of info and dump.
tracebridge help info
tracebridge help dump
