# Help of info, dump, verify, diff and redact.
tracebridge help info
tracebridge help dump
tracebridge help verify
tracebridge help diff
tracebridge help redact
