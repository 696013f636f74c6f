# Records of an FXT archive, one a line; its events; what info says of it.
tracebridge convert -q "$DATA/phases/be_pairs.json" -o trace.fxt || exit
tracebridge dump trace.fxt
tracebridge dump --events trace.fxt | head -n 3
tracebridge info trace.fxt
tracebridge info --json - <trace.fxt | grep -o '"providers".*"processes\|"record_kinds":\[{[^}]*}'
gzip -c trace.fxt >again.fxt.gz
tracebridge dump again.fxt.gz | cmp - <(tracebridge dump trace.fxt) && gzip -dc again.fxt.gz | tracebridge dump - |
  cmp - <(tracebridge dump trace.fxt) && echo "the same from gzip and from a pipe"
