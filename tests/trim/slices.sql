-- Slices that touch the window, cut at its edges. One that never ends still does not. Zero-length slices, instants too,
-- are in the window or not. Of binder, what one receives that nobody waits for is not asked for, since only its sender
-- says what it is. Where a slice is cut at the window's end, the next of its queue begins there: it is not in the window.
select max(ts, $start) as ts, iif(dur = -1, -1, min(ts + dur, $end) - max(ts, $start)) as dur, place, depth, name,
  category
from slice join track_place using (track_id)
where ifnull(name, '') != 'binder async rcv' and ts < $end and (ts >= $start or dur = -1 or ts + dur > $start)
-- of the part
select ts, dur, place, depth, name, category from slice join track_place using (track_id)
where ifnull(name, '') != 'binder async rcv' and ts < $end
