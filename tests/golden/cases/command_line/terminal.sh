# On a terminal: no binary on it, and the summary is shown.
# exit 2
tracebridge convert -q "$DATA/phases/flows.json" -o - --to perfetto | cat >/dev/null
script -qec "tracebridge convert $DATA/phases/flows.json --to perfetto" /dev/null | tr -d "\r"
exit "${PIPESTATUS[0]}"
