# An unknown command is a usage error.
# exit 2
tracebridge frobnicate
