# --dry-run shows of each input its time span, its date, its clocks and how it would be placed, and writes nothing.
mono='"metadata": {"clock-domain": "LINUX_CLOCK_MONOTONIC"}, '
events='"traceEvents": [{"ph": "i", "name": "a", "pid": 1, "tid": 1, "ts": 2000}, {"ph": "i", "name": "b", "pid": 1, "tid": 1, "ts": 3500000}]'
echo "{\"baseTimeNanoseconds\": 1700000000000000000, $events}" >wall.json
echo "{\"baseTimeNanoseconds\": 1600000000500000000, $events}" >before.json
echo "{$mono$events}" >mono.json
echo "{$events}" >none.json
echo '{"traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p"}}]}' >empty.json
tracebridge merge wall.json before.json mono.json none.json empty.json --offset mono.json=1s --unplaced=start \
  --dry-run | grep -v -e packets -e sequences
tracebridge merge wall.json before.json mono.json none.json --unplaced=drop --dry-run --report report.json
grep -o '"name": "[^"]*"\|"clocks\?": "[^"]*"\|"own[^,]*\|"wall_[^,]*' report.json
ls
