# The version.
tracebridge --version
