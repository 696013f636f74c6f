# What verify says of traces with errors, with warnings alone, and with nothing; from files and a pipe.
# exit 1
tracebridge verify "$DATA/phases/be_pairs.json"
echo "status $?"
tracebridge verify "$DATA/damage/end_without_begin.json"
echo "status $?"
tracebridge verify - <"$DATA/damage/cut_in_event.json"
echo "status $?"
tracebridge verify -q --json "$DATA/damage/bad_numbers.json" | python3 -m json.tool
tracebridge verify "$DATA/damage/negative_duration.json" "$DATA/phases/flows.json"
echo "status $?"
# what is not in the order of time is read once, from a file that the shell opened
tracebridge verify - <"$DATA/phases/async_overlap.json"
echo "status $?"
cd "$HELPERS/../data" && tracebridge verify lost_state.perfetto-trace recorder_loss.perfetto-trace
