# Packets of a network are instants, or slices where they are only counted, on a track for each interface and direction.
tracebridge convert --report report.json -q "$HELPERS/../data/network.perfetto-trace" -o out.json
echo "exit $?"
cat out.json
grep '"losses"' report.json
tracebridge convert -q "$HELPERS/../data/network.perfetto-trace" -o out.fxt
echo "exit $?"
tracebridge dump --events out.fxt | grep -c uid=
