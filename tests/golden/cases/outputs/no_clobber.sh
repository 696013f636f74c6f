# With --no-clobber a file that is there stays, whatever it is; pipes and devices are none.
# exit 3
echo '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >t.json
echo old >old.pftrace
ln -s old.pftrace link.pftrace
ln -s new.pftrace dangling.pftrace
tracebridge convert -n t.json -o old.pftrace || echo "status $?"
tracebridge convert --no-clobber t.json -o link.pftrace || echo "status $?"
tracebridge convert -nq t.json -o other.pftrace --report old.pftrace || echo "status $?"
cat old.pftrace
tracebridge convert -nq t.json -o dangling.pftrace && tracebridge info new.pftrace | head -1
tracebridge convert -nq t.json -o - --to json | tail -1
tracebridge convert -nq t.json -o /dev/null --to json && echo written
tracebridge merge -nq t.json -o old.pftrace --dry-run >dry.txt && echo "nothing would be written"
echo "--- a file that comes while the input is read stays, too"
mkfifo pipe
for command in "convert -n --from json -o late.pftrace" "dump -n -o late.pftrace" "merge -nq -o late.pftrace" \
  "merge -nq -o late.json" "convert -nq -o other.json --report late.txt" "merge -nq -o other.fxt --report late.txt"; do
  rm -f late.*
  late=${command##* }
  # shellcheck disable=SC2086 # several words
  tracebridge $command pipe &
  exec 3>pipe # the reader is there, and looked before
  echo late >"$late"
  cat t.json >&3
  exec 3>&-
  wait $! || echo "status $?"
  cat "$late"
done
ls
tracebridge merge -n t.json -o old.pftrace
