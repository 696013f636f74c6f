# Help of info, dump, verify and diff.
tracebridge help info
tracebridge help dump
tracebridge help verify
tracebridge help diff
