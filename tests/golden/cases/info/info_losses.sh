# Losses are part of what info says, and of its exit status.
# exit 4
tracebridge info "$DATA/damage/cut_in_event.json"
