-- Names of processes and threads stay.
select p.pid, t.tid, p.name as process, t.name
from thread t left join process p using (upid) where t.utid in (
  select utid from thread_track join slice on slice.track_id = thread_track.id
  where ifnull(slice.name, '') != 'binder async rcv' and ts < $end and (ts >= $start or dur = -1 or ts + dur > $start))
-- of the part
select p.pid, t.tid, p.name as process, t.name
from thread t left join process p using (upid) where t.utid in (
  select utid from thread_track join slice on slice.track_id = thread_track.id
  where ifnull(slice.name, '') != 'binder async rcv')
