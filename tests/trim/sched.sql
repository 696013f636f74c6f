-- What runs on each processor, from the start of the window on. What runs at its end ends with the trace, as where a
-- recorder stops.
select max(ts, $start) as ts, iif(dur = -1 or ts + dur >= $end, -1, ts + dur - max(ts, $start)) as dur, cpu,
  (select tid from thread where utid = s.utid) as tid, iif(dur = -1 or ts + dur >= $end, '', end_state) as end_state,
  priority
from sched_slice s where ts < $end and (ts >= $start or dur = -1 or ts + dur > $start)
-- of the part
select ts, iif(dur = -1 or ts + dur >= $end, -1, dur) as dur, cpu, (select tid from thread where utid = s.utid) as tid,
  iif(dur = -1 or ts + dur >= $end, '', end_state) as end_state, priority
from sched_slice s
