# Copies that a merge makes of its inputs have no name: whatever ends it, and while it runs, nobody finds them.
mkdir tmp
export TMPDIR=$PWD/tmp
# the modes of the copies that a process holds, and how many names they have
held() { for fd in /proc/"$1"/fd/*; do [[ $(readlink "$fd") == "$TMPDIR"/* ]] &&
  stat -L -c 'copies: mode %a, %h names' "$fd"; done | sort -u; }
left() { echo "$1: exit $2, left: $(ls tmp)"; }
tracebridge convert -q "$DATA/phases/counters.json" -o a.perfetto-trace
gzip -k a.perfetto-trace
cp "$DATA/phases/flows.json" b.json
echo '{"perfetto_manifest": {"version": 1, "files": []}}' >m.json
printf 'not a trace' >bad.txt
head -c 60 a.perfetto-trace.gz >bad.gz
: >empty.pftrace
tar cf good.tar m.json a.perfetto-trace a.perfetto-trace.gz b.json
tar cf bad.tar a.perfetto-trace bad.txt b.json bad.gz empty.pftrace
tar cf nested.tar a.perfetto-trace good.tar
head -c 1700 good.tar >cut.tar

tracebridge merge -q --unplaced=start good.tar b.json a.perfetto-trace.gz -o one.pftrace; left success $?
tracebridge merge -q --unplaced=start - good.tar -o two.pftrace <b.json; left 'standard input' $?
tracebridge merge -q --unplaced=start bad.tar bad.txt -o three.pftrace --skip-bad 2>/dev/null; left --skip-bad $?
tracebridge merge -q --unplaced=start bad.tar -o four.pftrace 2>/dev/null; left 'bad member' $?
tracebridge merge -q --unplaced=start good.tar nested.tar -o four.pftrace 2>/dev/null; left 'archive in an archive' $?
tracebridge merge -q --unplaced=start cut.tar -o four.pftrace 2>/dev/null; left 'damaged archive' $?
tracebridge merge -q good.tar b.json -o four.pftrace 2>/dev/null; left 'nothing places them' $?
tracebridge merge -q --unplaced=start good.tar b.json -o nowhere/four.pftrace 2>/dev/null; left 'no such directory' $?
(ulimit -f 0; trap '' XFSZ; tracebridge merge -q --unplaced=start good.tar b.json -o four.pftrace 2>/dev/null)
left 'no room' $?

# in its middle: the pipe is opened when what comes before it was unpacked and converted
mkfifo pipe
for signal in KILL TERM; do
  tracebridge merge -q --unplaced=start good.tar b.json pipe -o five.pftrace &
  exec 3>pipe
  left "before SIG$signal" none
  held $!
  kill -$signal $!
  exec 3>&-
  wait $! 2>/dev/null
  left "after SIG$signal" $?
done
ls ./*.pftrace*
