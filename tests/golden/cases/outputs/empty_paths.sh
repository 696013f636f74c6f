# An empty text is no path, of a file or a folder: --out-dir "" was the folder of all.
# exit 2
try() { tracebridge "$@" || echo "status $?" >&2; }
try convert x.json --out-dir ""
try convert x.json --out-dir=
try convert x.json -o ""
try convert x.json -o y.fxt --report ""
try merge x.json -o ""
try merge x.json -o y.pftrace --report ""
try merge x.json -o y.pftrace --manifest ""
try trim x.json -o ""
try filter x.json -o y.pftrace --report ""
try split x.json -o ""
try dump x.json -o ""
try redact x.json -o ""
tracebridge repair x.json -o ""
