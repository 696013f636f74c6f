# Unknown options, long and short.
# exit 2
tracebridge convert --frob x.json
tracebridge convert -qz x.json
