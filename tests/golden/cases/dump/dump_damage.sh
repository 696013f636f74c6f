# What can be read is printed, what is lost is said.
# exit 4
tracebridge dump "$DATA/damage/cut_in_event.json"
