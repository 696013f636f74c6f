# info --json is JSON, and says the same.
tracebridge info --json "$DATA/phases/flows.json" | python3 -m json.tool --sort-keys
