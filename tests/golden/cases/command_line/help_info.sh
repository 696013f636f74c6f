# Help of info, dump and verify.
tracebridge help info
tracebridge help dump
tracebridge help verify
