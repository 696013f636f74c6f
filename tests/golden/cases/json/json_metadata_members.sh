# Metadata of JSON with more members than it needs names its process or thread all the same, and comes back whole, once.
tracebridge convert "$DATA/phases/metadata_members.json" -o out.pftrace -q
tracebridge dump out.pftrace | grep -aE '(process|thread)_name:|sort_index:|labels:'
tracebridge convert out.pftrace -o - --to json -q
