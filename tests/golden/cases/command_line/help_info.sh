# Help of info, dump, open, verify, diff and redact.
tracebridge help info
tracebridge help dump
tracebridge help open
tracebridge help verify
tracebridge help diff
tracebridge help redact
