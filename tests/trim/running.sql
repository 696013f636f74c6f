-- The states of threads that begin in the window, and who runs at its start. What a thread that does not run waits for
-- then is said by its next event alone.
select max(ts, $start) as ts, iif(dur = -1 or ts + dur >= $end, -1, ts + dur - max(ts, $start)) as dur, state, cpu,
  (select tid from thread where utid = s.utid) as tid
from thread_state s where ts < $end and (ts >= $start or (state = 'Running' and (dur = -1 or ts + dur > $start)))
-- of the part
select ts, iif(dur = -1 or ts + dur >= $end, -1, dur) as dur, state, cpu,
  (select tid from thread where utid = s.utid) as tid
from thread_state s
