# Values that are missing or wrong.
# exit 2
tracebridge convert x.json -o
tracebridge convert x.json --to yaml
tracebridge convert x.json --memory 64Q
tracebridge convert x.json --memory 0
tracebridge convert x.json --memory 99999999999999999999G
tracebridge convert x.json --memory 1.0001K
tracebridge dump x.json --after 1.0000000001s
tracebridge dump x.json --before 0.5ns
tracebridge dump x.json --before 0.7
tracebridge convert x.json -j0
tracebridge convert x.json --strict=1
tracebridge convert x.json --clock sundial
tracebridge convert x.json y.json -o z.fxt
tracebridge convert
